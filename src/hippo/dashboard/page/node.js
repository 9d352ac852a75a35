// One stretch of a tree, and one trial: what is known of it, and its metrics over steps.

import { BLUE, GREEN, ORANGE, SKY, TOP, VERMILION, common, isDark } from "./charts.js";
import { actsBar } from "./acting.js";
import { ask, chart, command, heading, href } from "./frame.js";
import { behind, bytes, element, note, seconds, shortNumber, table } from "./parts.js";

const SHADES = [VERMILION, GREEN, ORANGE, SKY, "#CC79A7"];
const namesOf = (history) => [...new Set(history.flatMap(([, metrics]) => Object.keys(metrics)))];

function metricsChart(history, names, last) {
  const { axis, base } = common();
  return { ...base, grid: { left: 70, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "axis" },
    xAxis: { ...axis, type: "value", name: "step", nameLocation: "middle", nameGap: 28, max: last, scale: true, minInterval: 1 },
    yAxis: { ...axis, type: "value", scale: true }, dataZoom: [{ type: "inside", filterMode: "none" }],
    series: names.map((name, number) => { const shade = [isDark() ? SKY : BLUE, ...SHADES][number % 6]; return { type: "line", name, showSymbol: history.length < 100, symbolSize: 5,
      lineStyle: { color: shade, width: 2 }, itemStyle: { color: shade }, data: history.filter(([, metrics]) => name in metrics).map(([step, metrics]) => [step, metrics[name]]) }; }) };
}

// a picture of each unit would be a picture each: all metrics share one, the table behind it has them apart
function measured(history, last) {
  const names = namesOf(history);
  if (!names.length) return [[note("Not evaluated yet.")], []];
  const drawn = chart(metricsChart(history, names, last), `${names.join(", ")} over steps`, 300);
  const columns = [{ title: "step", of: (row) => shortNumber(row[0]), number: true }, ...names.map((name) => ({ title: name, of: (row) => shortNumber(row[1][name]), number: true }))];
  return [[drawn.holder, behind("the same as a table", () => table(columns, history, "metrics"))], [drawn]];
}

const trouble = (error, traceback) => [element("p", { class: "error" }, error), ...(traceback ? [element("pre", { tabindex: "0", role: "region", "aria-label": "traceback" }, traceback)] : [])];

export async function showTrial({ study, item }) {
  const data = await ask("trial", { study, number: item });
  const [shown, charts] = measured(data.history, data.step || undefined);
  const way = data.way.flatMap(({ node, member, start, stop }, at) => [at ? ", then " : "", element("a", { href: nodeHref(study, node, member) }, `steps ${start} to ${stop}`)]);
  return [[element("h2", {}, `Trial ${data.number} of ${study}`), note(`${data.state}, step ${data.step} of ${data.until}, ${seconds(data.seconds)} of devices' time along its whole path`),
    ...await actsBar(study, { values: data.values, until: data.until }), ...(data.error ? trouble(data.error, data.traceback) : []),
    table([{ title: "hyper-parameter", of: (row) => row[0] }, { title: "value", of: (row) => row[1], long: true }], Object.entries(data.config), "config"),
    ...(way.length ? [note("its way through the tree: ", ...way)] : []), ...shown, command("logs", study, String(data.number))], charts];
}

export const nodeHref = (study, node, member) => href(study, "node", node) + (member ? `?${new URLSearchParams({ member })}` : "");

export async function showNode({ study, item, choices }) {
  const data = await ask("node", { study, node: item, member: choices.get("member") });
  const [shown, charts] = measured(data.history, data.stop);
  const trials = data.trials.flatMap((number, at) => [at ? ", " : "", element("a", { href: href(study, "trial", number) }, String(number))]);
  const more = data.num_trials > data.trials.length ? ` and ${shortNumber(data.num_trials - data.trials.length)} more` : "";
  const from = data.parent === null ? "from the beginning" : ["continues ", element("a", { href: nodeHref(study, data.parent, data.member) }, `node ${data.parent}`)];
  const facts = [["begins with", data.values || "what its parent has"], ["trained for", seconds(data.train_seconds)], ["evaluated for", seconds(data.evaluate_seconds)],
    ["slots that walked it", data.slots.map((each) => each.slot).join(", ") || "none that is known"]];
  const many = [
    data.paid.length ? table([{ title: "for study", of: (row) => row.study || "one that was deleted" }, { title: "why", of: (row) => row.cause }, { title: "steps", of: (row) => shortNumber(row.count), number: true },
      { title: "device time", of: (row) => seconds(row.seconds), number: true }], data.paid, "who paid") : null,
    data.states.length ? table([{ title: "state after step", of: (row) => shortNumber(row.step), number: true }, { title: "size", of: (row) => bytes(row.size_bytes), number: true },
      { title: "written in", of: (row) => seconds(row.seconds), number: true }, { title: "", of: (row) => row.gone || "kept" }], data.states, "states") : note("No state of it was written.")];
  return [[...heading(study, `Node ${data.node}${data.member ? ` of ${data.member}` : ""}: steps ${data.start} to ${data.stop}`), element("p", {}, from, "; trials ", ...trials, more),
    table([{ title: "of this stretch", of: (row) => row[0] }, { title: "", of: (row) => row[1], long: true }], facts, "what is known of it"),
    table([{ title: "hyper-parameter", of: (row) => row.name }, { title: "in this stretch", of: (row) => row.piece }, { title: "since", of: (row) => row.begins_here ? "here" : "before" }], data.in_force, "which piece of each sequence is in force"),
    ...(data.switch ? [note("to branch off at its end: ", element("code", {}, data.switch))] : []),
    ...data.failures.flatMap((each) => trouble(`failed in ${each.method}() at step ${each.step}${each.taken_back ? ", and was tried again" : ""}: ${each.error}`, each.traceback)),
    ...shown, ...many.filter(Boolean), command("tree", study)], charts];
}
