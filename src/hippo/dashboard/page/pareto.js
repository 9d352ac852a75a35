// Trials by two things of which each is to be good, and which of them no other one beats in both.

import { GREY, TOP, VERMILION, common } from "./charts.js";
import { ask, chart, command, href, within } from "./frame.js";
import { behind, element, labelled, note, shortNumber, table } from "./parts.js";

const COSTS = { steps: "steps of the trial", "device-seconds": "device-seconds of its way" };
const named = (name) => COSTS[name] || name;
const titled = ({ name, mode }) => `${named(name)} (${mode === "min" ? "less" : "more"} is better)`;

function paretoChart(data) {
  const { axis, base } = common();
  const said = ({ value: [x, y, trial] }) => `trial ${trial}\n${data.y.name} ${shortNumber(y)}\n${data.x.name} ${shortNumber(x)}`;
  const points = (rows) => rows.map(([trial, x, y]) => [x, y, trial]);
  return { ...base, grid: { left: 70, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    legend: { ...base.legend, data: ["all others", "no other one beats them in both"] },
    xAxis: { ...axis, type: "value", name: titled(data.x), nameLocation: "middle", nameGap: 28, scale: true }, yAxis: { ...axis, type: "value", name: data.y.name, scale: true },
    series: [{ type: "scatter", name: "all others", symbolSize: 6, itemStyle: { color: GREY, opacity: 0.8 }, data: points(data.others), tooltip: { formatter: said } },
      // what lies between two of them is what either has: a stair, on the side that is worse
      { type: "line", name: "no other one beats them in both", step: data.x.mode === "min" ? "end" : "start", symbol: "circle", symbolSize: 9, showAllSymbol: true, lineStyle: { color: VERMILION, width: 1.5, type: "dashed" },
        itemStyle: { color: VERMILION }, data: points(data.best), tooltip: { formatter: said } }] };
}

const select = (id, label, chosen, options, onChoice) => labelled(id, label,
  element("select", { id, onchange: (event) => onChoice(event.target.value) }, options.map(([value, text]) => element("option", { value, selected: value === chosen }, text))));

export async function paretoPart(study, choices, again) {
  const metric = choices.get("metric"), against = choices.get("against"), modes = choices.getAll("mode");
  const data = await ask("pareto", { study, metric, against }, modes.map((each) => ["mode", each]));
  const said = (name, value) => { within({ [name]: value }); again(name); };
  const judged = (name, mode) => { within({ mode: [...modes.filter((each) => !each.startsWith(`${name}=`)), `${name}=${mode}`] }); again(`better-${name === data.y.name ? "up" : "right"}`); };
  const names = data.metrics.map((name) => [name, name]), costs = Object.entries(COSTS);
  // of what the study does not optimise, whoever looks says which values are better
  const others = [["up", data.y], ["right", data.x]].filter(([, { name }]) => !(name in COSTS) && !data.objectives.includes(name));
  const controls = element("div", { class: "choices" }, select("metric", "up", data.y.name, [...names, ...costs].filter(([name]) => name !== data.x.name), (value) => said("metric", value)),
    select("against", "to the right", data.x.name, [...names, ...costs].filter(([name]) => name !== data.y.name), (value) => said("against", value)),
    ...others.map(([where, { name, mode }]) => select(`better-${where}`, `a good ${name} is`, mode, [["min", "small"], ["max", "large"]], (value) => judged(name, value))));
  if (!data.of) return [[controls, note(`No trial has both ${named(data.y.name)} and ${named(data.x.name)} yet.`)], []];
  const drawn = chart(paretoChart(data), `${data.y.name} against ${data.x.name} of ${data.of} trials`, 360, ({ value }) => { location.hash = href(study, "trial", value[2]); });
  const columns = [{ title: "trial", of: ([trial]) => String(trial), link: ([trial]) => href(study, "trial", trial), number: true },
    { title: data.y.name, of: (row) => shortNumber(row[2]), number: true }, { title: data.x.name, of: (row) => shortNumber(row[1]), number: true }];
  const left = data.of > data.best.length + data.others.length ? ` ${shortNumber(data.best.length)} of the ${shortNumber(data.of_best)} and ${shortNumber(data.others.length)} of the ${shortNumber(data.of - data.of_best)} others are drawn.` : "";
  const compared = data.x.name in COSTS || data.y.name in COSTS ? "Whoever came less far took less, and is compared, too." : "Trials that came less far are compared with none.";
  const better = [data.y, data.x].map(titled).join(", ");
  const choice = others.flatMap(([, { name, mode }]) => ["--mode", `${name}=${mode}`]);
  return [[controls, note(`${better}. Beaten by no other one in both: ${shortNumber(data.of_best)} of ${shortNumber(data.of)} trials. ${compared}${left}`), drawn.holder,
    behind("the same as a table", () => table(columns, data.best, "trials that no other one beats in both")), command("plot", "pareto", study, "--metric", data.y.name, "--against", data.x.name, ...choice)], [drawn]];
}
