// A metric along the tree: by steps or seconds, of each seed or of all as a band.

import { GREY, TOP, VERMILION, common } from "./charts.js";
import { ask, chart, choose, command, heading, href } from "./frame.js";
import { behind, element, note, seconds, shortNumber, table } from "./parts.js";

const AXES = { steps: { title: "steps", name: "step" }, seconds: { title: "seconds since the first work", name: "seconds since the first work in a slot" },
  "device-seconds": { title: "device-seconds", name: "device-seconds of the whole way" } };
const TRAINED = "train:";
const nameOf = (metric, data) => data.trained.includes(metric) && !data.metrics.includes(metric) ? `${metric.slice(TRAINED.length)} of train()` : metric;

// stretches of a curve in which all that a band needs is known, and can be drawn on the axis
function stretches(points, fits) {
  const found = [[]];
  points.forEach((point) => { if (fits(point[2]) && fits(point[3])) found[found.length - 1].push(point); else if (found[found.length - 1].length) found.push([]); });
  return found.filter((each) => each.length);
}

function bandSeries(curves, fits, shade, name, z) {
  const bands = curves.flatMap((curve) => stretches(curve.points, fits));
  const boxes = bands.map((band) => [band[0][0], band[band.length - 1][0], Math.min(...band.map((point) => point[2])), Math.max(...band.map((point) => point[3]))]);
  return { type: "custom", name, silent: true, clip: true, z, encode: { x: [0, 1], y: [2, 3] }, data: boxes, itemStyle: { color: shade },
    renderItem: ({ dataIndex }, api) => {
      const band = bands[dataIndex], points = [...band.map((point) => api.coord([point[0], point[3]])), ...[...band].reverse().map((point) => api.coord([point[0], point[2]]))];
      return { type: "polygon", shape: { points }, style: { fill: shade, opacity: 0.22 }, silent: true };
    } };
}

// Lines without gaps between them are drawn one by one; so each kind is one line, with gaps.
function curvesChart(data, isLog) {
  const { axis, base } = common();
  const fits = (value) => value !== null && (!isLog || value > 0);
  const place = (curve, value) => data.by === "steps" ? `step ${value[0]}` : `step ${curve.step}, after ${seconds(value[0])}`;
  const spread = (value) => value.length > 2 ? `\nof seeds ${shortNumber(value[2])} to ${shortNumber(value[3])}` : "";
  const kinds = [[true, `trial ${data.best}, the best`, VERMILION, 3], [false, "all others", GREY, 1.3]];
  const drawn = kinds.flatMap(([isBest, name, shade, width]) => {
    const own = data.curves.filter((curve) => curve.is_best === isBest);
    const points = own.flatMap((curve) => [...curve.points.map(([x, value]) => [x, fits(value) ? value : null]), [null, null]]);
    const ends = own.filter((curve) => curve.ends).map((curve) => ({ curve, value: curve.points[curve.points.length - 1] })).filter((each) => fits(each.value[1]));
    const style = { color: shade, opacity: isBest ? 1 : 0.75 }, z = isBest ? 4 : 2;
    return own.length ? [...(data.as_bands ? [bandSeries(own, fits, shade, name, z - 1)] : []),
      { type: "line", name, showSymbol: false, connectNulls: false, silent: true, z, emphasis: { disabled: true }, lineStyle: { width, ...style }, itemStyle: { color: shade }, data: points },
      { type: "scatter", name, symbolSize: isBest ? 7 : 5, z: z + 1, itemStyle: style, data: ends.map((each) => ({ curve: each.curve, value: each.value.slice(0, 2), all: each.value })),
        tooltip: { formatter: ({ data: { curve, all } }) => `${place(curve, all)}: ${Number(all[1].toPrecision(5))}${spread(all)}\n${curve.trials} trial${curve.trials === 1 ? "" : "s"}, the first is ${curve.first}` } }] : [];
  });
  return { ...base, grid: { left: 70, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    legend: { ...base.legend, data: [...new Set(drawn.map((each) => each.name))] },
    xAxis: { ...axis, type: "value", name: AXES[data.by].name, nameLocation: "middle", nameGap: 28 },
    yAxis: { ...axis, type: isLog ? "log" : "value", name: nameOf(data.metric, data), scale: true }, dataZoom: [{ type: "inside", filterMode: "none" }], series: drawn };
}

function choicesOf(data, isLog) {
  const option = (value, said, now) => element("option", { value, selected: value === now }, said);
  const group = (label, names) => names.length ? [element("optgroup", { label }, names.map((name) => option(name, nameOf(name, data), data.metric)))] : [];
  const metric = element("select", { id: "metric", onchange: (event) => choose("metric", event.target.value) }, group("evaluate()", data.metrics), group("train()", data.trained.filter((name) => !data.metrics.includes(name))));
  const by = element("select", { id: "by", onchange: (event) => choose("by", event.target.value === "steps" ? "" : event.target.value) }, Object.entries(AXES).map(([value, { title }]) => option(value, title, data.by)));
  const box = (id, said, checked, change) => element("span", { class: "pair" }, element("input", { type: "checkbox", id, checked, onchange: (event) => change(event.target.checked) }), element("label", { for: id }, said));
  const pair = (id, said, control) => element("span", { class: "pair" }, element("label", { for: id }, said), control);
  return element("div", { class: "choices" }, pair("metric", "metric", metric), pair("by", "by", by), box("log", "logarithmic", isLog, (isOn) => choose("log", isOn ? "1" : "")),
    data.seeds > 1 ? box("seeds", `${data.seeds} seeds as a band`, data.as_bands, (isOn) => choose("seeds", isOn ? "" : "each")) : null);
}

function inTerminal(study, data) {
  const more = [...(data.metric === data.usual ? [] : ["--metric", data.metric]), ...(data.by === "steps" ? [] : ["--by", data.by]), ...(data.as_bands ? ["--bands"] : [])];
  return command("plot", "curves", study, ...more);
}

export async function showCurves({ study, choices }) {
  const data = await ask("curves", { study, metric: choices.get("metric"), by: choices.get("by"), seeds: choices.get("seeds") });
  if (!data.curves.length && !data.why) return [[...heading(study, data.nothing || "Nothing was evaluated yet.")], []];
  const isLog = choices.get("log") === "1", choice = choicesOf(data, isLog);
  if (data.why) return [[...heading(study, "Nothing can be drawn so."), choice, element("p", { role: "status" }, data.why)], []];
  const drawn = chart(curvesChart(data, isLog), `${nameOf(data.metric, data)} by ${AXES[data.by].title}`, 520, ({ data: clicked }) => { if (clicked?.curve) location.hash = href(study, "trial", clicked.curve.first); });
  const ends = data.curves.filter((curve) => curve.ends).map((curve) => ({ ...curve, last: curve.points[curve.points.length - 1] }));
  const columns = [{ title: "step", of: (row) => shortNumber(row.step), number: true }, ...(data.by === "steps" ? [] : [{ title: AXES[data.by].title, of: (row) => seconds(row.last[0]), number: true }]),
    { title: nameOf(data.metric, data), of: (row) => shortNumber(row.last[1]), number: true },
    ...(data.as_bands ? [["smallest of a seed", 2], ["largest", 3]].map(([title, at]) => ({ title, of: (row) => shortNumber(row.last[at]), number: true })) : data.seeds > 1 ? [{ title: "seed", of: (row) => row.member }] : []),
    { title: "trials", of: (row) => shortNumber(row.trials), number: true }, { title: "first trial", of: (row) => shortNumber(row.first), link: (row) => href(study, "trial", row.first), number: true }];
  const part = data.of > data.curves.length + 1 && data.curves.length >= 1000 ? `The way of the best trial, and the ${shortNumber(data.curves.length)} of ${shortNumber(data.of)} stretches that most trials share. ` : "";
  const bands = data.as_bands ? " The line is the study's average over its seeds, the band goes from the smallest to the largest of them, at steps to which all of them came." : "";
  const known = data.by === "seconds" ? " Only what was measured where a lease ended has a place: the plan does not know when steps in between were reached." : "";
  const without = data.without.length ? [note(`Without those of whose ways no trial here tells: ${data.without.join(", ")}.`)] : [];
  return [[...heading(study, `${part}Each stretch once, however many trials share it. Click on an end for its first trial.${bands}${known}`), choice, ...without,
    drawn.holder, behind("the last points as a table", () => table(columns, ends.slice(0, 1000), `where curves end, by ${nameOf(data.metric, data)}`)), inTerminal(study, data)], [drawn]];
}
