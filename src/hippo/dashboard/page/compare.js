// Trials against one another: how the best came about, their hyper-parameters side by side, and which of these matter.

import { BLUE, GREY, SKY, TOP, VERMILION, scaleNow, colour, common, isDark } from "./charts.js";
import { ask, askAgain, chart, command, drop, heading, href, place } from "./frame.js";
import { paretoPart } from "./pareto.js";
import { togetherPart } from "./together.js";
import { behind, element, note, replaceWithin, shortNumber, table } from "./parts.js";

function historyChart(data) {
  const { axis, base } = common();
  const said = ({ value }) => `trial ${value[0]}: ${shortNumber(value[1])}`;
  const best = data.best.length ? [...data.best, [data.last, data.best[data.best.length - 1][1]]] : [];
  return { ...base, grid: { left: 70, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "value", name: "trial", nameLocation: "middle", nameGap: 28, minInterval: 1, max: Math.max(1, data.last) },
    yAxis: { ...axis, type: "value", name: data.metric, scale: true }, dataZoom: [{ type: "inside" }],
    series: [["complete", data.complete, isDark() ? SKY : BLUE, "circle"], ["came less far", data.others, GREY, "diamond"]].filter(([, points]) => points.length)
      .map(([name, points, shade, symbol]) => ({ type: "scatter", name, symbol, symbolSize: 7, itemStyle: { color: shade }, data: points, tooltip: { formatter: said } }))
      .concat(best.length ? [{ type: "line", step: "end", name: "best so far", showSymbol: false, lineStyle: { color: VERMILION, width: 2.5 },
        itemStyle: { color: VERMILION }, data: best, tooltip: { formatter: said } }] : []) };
}

function parallelChart(data) {
  const { axis, base } = common();
  const values = data.lines.map((line) => line.value), low = Math.min(...values), high = Math.max(...values);
  const own = (name, more) => ({ name, axisLine: { lineStyle: { color: colour("--faint") } }, axisLabel: { ...axis.axisLabel, color: colour("--ink"), textBorderColor: colour("--paper"), textBorderWidth: 3 }, axisTick: axis.axisLine,
    nameTextStyle: { color: colour("--ink") }, ...more });
  return { ...base, legend: { show: false }, parallel: { left: 60, right: 110, top: 50, bottom: 30 }, tooltip: { ...base.tooltip, trigger: "item" },
    parallelAxis: [...data.axes.map((each, dim) => own(each.name, each.labels.length
      ? { dim, type: "category", data: each.labels } : { dim, type: each.is_log ? "log" : "value", scale: true })),
    own(data.metric, { dim: data.axes.length, type: "value", scale: true, inverse: data.mode === "min" })],
    // the better, the farther from the colour of the page, and the later it is drawn
    visualMap: { type: "continuous", dimension: data.axes.length, min: low, max: high === low ? low + 1 : high, right: 0, top: "middle",
      inRange: { color: (data.mode === "min") === isDark() ? [...scaleNow()].reverse() : scaleNow() }, textStyle: { color: colour("--ink") }, text: [data.metric, ""], calculable: false, precision: 4, itemHeight: 110 },
    series: [{ type: "parallel", lineStyle: { width: 1.4, opacity: 0.55 }, inactiveOpacity: 0.03, smooth: false,
      data: [...data.lines].sort((one, other) => (data.mode === "min" ? 1 : -1) * (other.value - one.value)).map((line) => ({ name: `trial ${line.trial}`, value: [...line.places.map((place) => place === null ? "-" : place), line.value] })),
      tooltip: { formatter: ({ name, value }) => [name, ...data.axes.map((each, at) => `${each.name} ${each.labels.length ? each.labels[value[at]] ?? "" : shortNumber(value[at])}`),
        `${data.metric} ${shortNumber(value[value.length - 1])}`].join("\n") } }] };
}

function importanceChart(data) {
  const { axis, base } = common();
  const rows = [...data.importances].reverse();
  return { ...base, legend: { show: false }, grid: { left: 10, right: 60, top: 10, bottom: 40, containLabel: true }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "value", name: "share", nameLocation: "middle", nameGap: 26, max: 1 }, yAxis: { ...axis, type: "category", data: rows.map((row) => row.name) },
    series: [{ type: "bar", barMaxWidth: 22, itemStyle: { color: BLUE }, data: rows.map((row) => row.share),
      label: { show: true, position: "right", color: colour("--ink"), formatter: ({ value }) => `${(100 * value).toFixed(0)} %` },
      tooltip: { formatter: ({ name, value }) => `${name}: ${(100 * value).toFixed(1)} %` } }] };
}

function importance(data) {
  if (!data.importances.length) return [[note(data.why || "No hyper-parameter differs.")], []];
  const drawn = chart(importanceChart(data), "how much each hyper-parameter matters", 80 + 30 * data.importances.length);
  const columns = [{ title: "hyper-parameter", of: (row) => row.name }, { title: "share", of: (row) => `${(100 * row.share).toFixed(1)} %`, number: true }];
  const part = data.judged < data.of ? ` Judged by ${shortNumber(data.judged)} of ${shortNumber(data.of)} complete trials, drawn at random.` : "";
  return [[note(`What parts the best trials from the others (PED-ANOVA, by Optuna). Sequences count by their arguments.${part}`), drawn.holder, behind("the same as a table", () => table(columns, data.importances, "importance"))], [drawn]];
}

// A part with choices of its own: it is drawn anew by them, and the rest of the view stays.
async function partOf(make, study) {
  const holder = element("div", {});
  const again = async (focus) => {
    let shown;
    try { shown = await make(study, place().choices, again); } catch (error) { shown = [[element("p", { class: "error", role: "alert" }, error.message)], []]; }
    if (!holder.isConnected) return;
    holder.querySelectorAll(".chart").forEach((each) => drop(each));
    replaceWithin(holder, shown[0]);
    shown[1].forEach((each) => each.begin());
    document.getElementById(focus)?.focus();
  };
  const [parts, charts] = await make(study, place().choices, again);
  holder.append(...parts);
  return { holder, charts };
}

let lastShares = {};
// What takes longest comes last, into its place on the page that is shown by then.
function importanceLater(study) {
  const spot = element("div", {}, note("Asking which hyper-parameters matter ..."));
  const show = ([parts, charts]) => {
    replaceWithin(spot, parts);
    charts.forEach((each) => each.begin());
  };
  const fill = async () => {
    if (lastShares.study === study) show(importance(lastShares.shares)); // until it is known what changed
    let shown;
    try {
      const shares = await ask("importance", { study });
      lastShares = { study, shares };
      shown = importance(shares);
      if (spot.isConnected) askAgain(shares.again_s);
    } catch (error) { shown = [[element("p", { class: "error", role: "alert" }, error.message)], []]; }
    if (!spot.isConnected) return;
    spot.querySelectorAll(".chart").forEach((holder) => drop(holder));
    show(shown);
  };
  return { place: spot, begin: fill };
}

export async function showCompare({ study }) {
  const [past, data, front, together] = await Promise.all([...["history", "parallel"].map((name) => ask(name, { study })), partOf(paretoPart, study), partOf(togetherPart, study)]);
  if (!past.of) return [[...heading(study, past.nothing || "Nothing was evaluated yet.")], []];
  const matters = importanceLater(study);
  const first = chart(historyChart(past), `${past.metric} of each trial, and the best so far`, 360, ({ value }) => { location.hash = href(study, "trial", value[0]); }), begin = [first];
  const beside = [];
  if (data.axes.length && data.lines.length) {
    const drawn = chart(parallelChart(data), "hyper-parameters side by side", 420);
    begin.push(drawn);
    const columns = [{ title: "trial", of: (row) => String(row.trial), number: true }, ...data.axes.map((each, at) => ({ title: each.name, long: each.labels.length > 0,
      number: !each.labels.length, of: (row) => row.places[at] === null ? "" : each.labels.length ? each.labels[row.places[at]] : shortNumber(row.places[at]) })),
    { title: data.metric, of: (row) => shortNumber(row.value), number: true }];
    const left = data.of > data.lines.length ? `The best ${shortNumber(data.lines.length)} of ${shortNumber(data.of)}. ` : "";
    beside.push(note(`${left}A line for each trial, from its hyper-parameters to what it came to; better ones stand out. Drag along an axis to choose.`),
      drawn.holder, behind("the same as a table", () => table(columns, data.lines, "trials side by side")));
  } else beside.push(note("No hyper-parameter differs."));
  return [[...heading(study, "What each trial came to, and the best so far."), first.holder,
    element("h3", {}, "Hyper-parameters side by side"), ...beside, element("h3", {}, "Pareto front"), front.holder, element("h3", {}, "Beside other studies"), together.holder,
    element("h3", {}, "Which hyper-parameters matter"), matters.place, command("trials", study)], [...begin, ...front.charts, ...together.charts, matters]];
}
