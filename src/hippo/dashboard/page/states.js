// Which trial each one left, and what states take in files.

import { BLUE, GREEN, GREY, ORANGE, SKY, common, treeChart } from "./charts.js";
import { ask, askAgain, chart, command, heading, href, saidOfAge } from "./frame.js";
import { behind, bytes, seconds, shortNumber, table } from "./parts.js";

const changes = (node) => [node.changed, node.parentChanged && `trial ${node.parent} changes ${node.parentChanged}`].filter(Boolean).join("; ")
  || "it goes on for longer";

export async function showLineage({ study }) {
  const told = await ask("lineage", { study });
  if (!told.height) return [[...heading(study, "No trial has anything to train yet."), command("plot", "lineage", study)], []];
  const nodes = told.trial.map((trial, at) => ({ trial, member: told.member[at], parent: told.parent[at], line: told.line[at], from: told.from[at],
    start: told.start[at], stop: told.stop[at], state: told.state[at], metric: told.value[at], changed: told.said[at], parentChanged: told.parent_said[at], trials: 1, kept: [] }));
  const said = (node) => [`trial ${node.trial}${node.member ? ` (${node.member})` : ""}, ${node.state}, asked until step ${node.stop}`,
    node.parent === null ? "shares nothing" : `as trial ${node.parent} until step ${node.start}`, changes(node),
    node.metric === null ? null : `${told.metric || "value"} ${shortNumber(node.metric)}`];
  const px = Math.min(1600, Math.max(320, 90 + 16 * told.height));
  const drawn = chart(treeChart({ ...told, nodes, linePx: (px - 90) / told.height }, said, (node) => String(node.trial)), `lineage of ${nodes.length} trials`, px, ({ data }) => { if (data?.node) location.hash = href(study, "trial", data.node.trial); });
  const columns = [{ title: "trial", of: (row) => String(row.trial), link: (row) => href(study, "trial", row.trial), number: true },
    { title: "of", of: (row) => row.parent === null ? "" : String(row.parent), number: true }, { title: "until step", of: (row) => row.parent === null ? "" : shortNumber(row.start), number: true },
    { title: "asked until", of: (row) => shortNumber(row.stop), number: true }, { title: "state", of: (row) => row.state },
    { title: told.metric || "value", of: (row) => shortNumber(row.metric), number: true }, { title: "what changed", of: changes, long: true }];
  const left = told.of > told.trials ? ` The first ${shortNumber(told.trials)} of ${shortNumber(told.of)} trials.` : "";
  return [[...heading(study, `A line for each trial: it leaves the earlier trial with which it shares most, where they part.${left} Scroll to zoom, shift and scroll for lines.`),
    drawn.holder, behind("the same as a table", () => table(columns, nodes.slice(0, 1000), `lineage${nodes.length > 1000 ? ", the first 1,000" : ""}`)), command("plot", "lineage", study)], [drawn]];
}

const SHADES = [GREY, ORANGE, SKY, BLUE, GREEN];

function storageChart(data) {
  const { axis, base } = common();
  return { ...base, grid: { left: 20, right: 30, top: 60, bottom: 40 }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "value", name: "bytes", nameLocation: "middle", nameGap: 26, axisLabel: { ...axis.axisLabel, formatter: bytes } },
    yAxis: { type: "category", data: ["states"], show: false },
    series: data.kinds.map((kind) => ({ type: "bar", stack: "all", name: kind.why, barWidth: 46, data: [kind.size_bytes], itemStyle: { color: SHADES[kind.rank] },
      tooltip: { formatter: () => `${kind.why}: ${shortNumber(kind.count)} states, ${bytes(kind.size_bytes)}` } })) };
}

export async function showStorage({ study }) {
  const data = await ask("storage", { study });
  askAgain(data.again_s);
  const gone = data.gone.map((each) => `${shortNumber(each.count)} ${each.why} (${bytes(each.size_bytes)})`).join(", ");
  const went = gone ? ` Of earlier states: ${gone}.` : "";
  if (!data.kinds.length) return [[...heading(study, `No state of this study is in a file.${went}`), command("gc")], []];
  const old = saidOfAge(data.again_s);
  const drawn = chart(storageChart(data), "bytes of states, by who would miss them", 170);
  const again = { title: "to make each again", of: (row) => `${shortNumber(row.steps)} steps, ${seconds(row.seconds)}`, number: true };
  const size = { title: "size", of: (row) => bytes(row.size_bytes), number: true };
  const budget = data.budget === null ? "without a bound" : `of ${bytes(data.budget)} that the database may hold`;
  return [[...heading(study, `${bytes(data.size_bytes)} in files, ${budget}; ${bytes(data.spare_bytes)} of it nobody keeps, and hippo gc removes. States go from left to right when room is needed.${went}${old}`),
    drawn.holder, table([{ title: "who would miss them", of: (row) => row.why }, { title: "states", of: (row) => shortNumber(row.count), number: true }, size, again], data.kinds, "states by who would miss them"),
    behind("the largest states", () => table([{ title: "node", of: (row) => `${row.node}${row.member ? `, ${row.member}` : ""}` }, { title: "step", of: (row) => shortNumber(row.step), number: true }, size, { title: "who would miss it", of: (row) => row.why }, again], data.largest, "the largest states")),
    command("plot", "storage", study), command("gc")], [drawn]];
}
