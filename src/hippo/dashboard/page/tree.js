// The stage tree: by what it came to, or by how far it is; the longest chain that remains; surrogates and branches apart.

import { BLUE, GREEN, GREY, SKY, VERMILION, clickedNode, isDark, treeChart } from "./charts.js";
import { ask, askAgain, chart, choose, command, heading, href, saidOfAge } from "./frame.js";
import { behind, element, nameOfScale, note, seconds, shortNumber, table } from "./parts.js";
import { nodeHref } from "./node.js";

// a state is told by its symbol and its dashes as well as by its colour
const CROSS = "path://M0,2 L2,0 L5,3 L8,0 L10,2 L7,5 L10,8 L8,10 L5,7 L2,10 L0,8 L3,5 Z";
const KINDS = {
  done: { title: "trained", shade: () => isDark() ? SKY : BLUE, symbol: "circle", dash: null },
  running: { title: "running", shade: () => GREEN, symbol: "triangle", dash: null },
  waiting: { title: "waiting for a slot", shade: () => "#CC79A7", symbol: "circle", isHollow: true, dash: [6, 4] },
  failed: { title: "failed", shade: () => VERMILION, symbol: CROSS, dash: [2, 3] },
  dropped: { title: "no longer asked for", shade: () => GREY, symbol: "rect", isHollow: true, dash: [1, 4] },
};

// what is said of a node beside its steps: its state, or, where it has several, each part's, and its end's if that is another
function farOf(stretches, kind) {
  const said = stretches.length === 1 ? stretches[0].kind.title : stretches.map((each) => `${each.start} to ${each.stop} ${each.kind.title}`).join(", ");
  return stretches[stretches.length - 1]?.kind === kind ? said : [said, `its end ${kind.title}`].filter(Boolean).join("; ");
}

const saidOfFolded = (count) => `${shortNumber(count)} branches, of which neither metrics nor a state are left`;

function nodesOf(told) {
  const kinds = told.states.map((state, place) => ({ place, ...KINDS[state], shade: KINDS[state].shade() }));
  return told.node.map((node, at) => {
    const [start, stop, kind, folded] = [told.start[at], told.stop[at], kinds[told.state[at]], told.folded[at]];
    const stretches = (told.parts[at] ?? [[start, stop, told.state[at]]]).map(([from, to, state]) => ({ start: from, stop: to, kind: kinds[state] }));
    return { node, member: told.member[at], line: told.line[at], from: told.from[at], start, stop, trials: told.trials[at], first: told.first[at], kept: told.kept[at],
      metric: told.value[at], said: folded ? saidOfFolded(folded) : told.said && told.said[at], folded, isFar: stop > 0.75 * told.width, kind, stretches, far: farOf(stretches, kind) };
  });
}

// parts of the tree that are pictures of their own: the target, surrogates at each scale, and branches by where they begin
function groupsOf(told, nodes) {
  if (told.scales.length < 2) return [{ title: "", nodes, height: told.height }];
  return told.scales.map(({ scale, is_target: isTarget, members }) => {
    const own = nodes.filter((node) => members.includes(node.member)), first = own.reduce((least, node) => Math.min(least, node.line), Infinity);
    const moved = own.map((node) => ({ ...node, line: node.line - first, from: node.from === null ? null : node.from - first }));
    return { title: isTarget ? "The target" : `Its ${nameOfScale(scale)}`, nodes: moved, height: 1 + moved.reduce((most, node) => Math.max(most, node.line), 0) };
  });
}

function longestIn(nodes, left) {
  const lines = new Map(nodes.map((node) => [`${node.member}/${node.node}`, node.line]));
  return left.longest.filter(([member, node]) => lines.has(`${member}/${node}`)).map(([member, node, start, stop]) => [start, lines.get(`${member}/${node}`), stop]);
}

const counted = (nodes) => Object.values(KINDS).map(({ title }) => [nodes.filter((node) => node.kind.title === title).reduce((sum, node) => sum + (node.folded ?? 1), 0), title])
  .filter(([count]) => count).map(([count, title]) => `${shortNumber(count)} ${title}`).join(", ");

function saidOfLeft(study, left) {
  if (!left) return [];
  const about = (value) => value === null ? "" : `, about ${seconds(Number(value.toPrecision(2)))} of a device's time`;
  const trial = left.longest_trial === null ? [] : [", for ", element("a", { href: href(study, "trial", left.longest_trial) }, `trial ${left.longest_trial}`)];
  return [note(`To go of what is asked for so far: ${shortNumber(left.steps)} steps${about(left.seconds)}. The longest chain of them: ${shortNumber(left.longest_steps)} steps${about(left.longest_seconds)}`,
    ...trial, `. Steps that have to be run again are not among them.${left.is_worked_on ? "" : " No process works on this study now, as far as can be told from here."}`)];
}

const select = (id, title, chosen, options) => [element("label", { for: id }, title), element("select", { id, onchange: (event) => choose(id, event.target.value) },
  options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)))];

function switches(told, choices) {
  const boxes = told.left ? [element("span", {}, element("input", { type: "checkbox", id: "longest", checked: choices.get("longest") !== "0",
    onchange: (event) => choose("longest", event.target.checked ? "" : "0") }), " ", element("label", { for: "longest" }, "mark the longest chain that remains"))] : [];
  const folds = told.freed ? [element("span", {}, element("input", { type: "checkbox", id: "folded", checked: choices.get("folded") !== "0",
    onchange: (event) => choose("folded", event.target.checked ? "" : "0") }), " ", element("label", { for: "folded" }, `count branches of which nothing is left (${shortNumber(told.freed)})`))] : [];
  const apart = told.scales.length > 1 ? select("apart", "the target, and what is beside it", choices.get("apart") || "", [["", "beside one another"], ["rows", "one after the other"]]) : [];
  return element("div", { class: "choices" }, select("by", "coloured by", choices.get("by") || "", [["", told.metric ? `the last ${told.metric}` : "nothing"], ["state", "how far it is"]]), boxes, folds, apart);
}

export async function showTree({ study, choices }) {
  const told = await ask("tree", { study, metric: choices.get("metric"), folded: choices.get("folded") });
  askAgain(told.again_s);
  const nodes = nodesOf(told), isByState = choices.get("by") === "state", to = ({ node, member, folded }) => folded ? null : nodeHref(study, node, member);
  const left = told.of > told.shown ? `The ${shortNumber(told.shown)} of ${shortNumber(told.of)} stretches that most trials share. ` : "";
  if (!nodes.length) return [[...heading(study, "No trial has anything to train yet."), command("tree", study)], []];
  const isMarked = told.left && choices.get("longest") !== "0";
  const drawn = groupsOf(told, nodes).map(({ title, nodes: own, height }) => {
    const px = Math.min(1600, Math.max(title ? 240 : 320, (isByState ? 130 : 90) + 16 * height));
    const option = treeChart({ ...told, nodes: own, height, isByState, linePx: (px - 90) / height, longest: isMarked ? longestIn(own, told.left) : [] });
    const label = `stage tree of ${own.length} nodes${title ? `, ${title.toLowerCase()}` : ""}: ${counted(own)}`;
    const made = chart(option, label, px, (clicked) => { const node = clickedNode(option, clicked); if (node?.folded) choose("folded", "0"); else if (node) location.hash = to(node); });
    return { made, shown: title ? element("section", {}, element("h3", {}, title), note(counted(own)), made.holder) : made.holder };
  });
  const columns = [
    { title: "steps", of: (row) => `${row.start} to ${row.stop}`, link: to }, ...(nodes.some((node) => node.member) ? [{ title: "of", of: (row) => row.member || "the target" }] : []),
    { title: "how far", of: (row) => row.far }, { title: "trials", of: (row) => shortNumber(row.trials), number: true },
    { title: told.metric || "metric", of: (row) => shortNumber(row.metric), number: true },
    { title: "states kept", of: (row) => row.kept.join(", ") }, { title: "what changed", of: (row) => row.said || "", long: true },
  ];
  const chain = told.left ? [behind("the longest chain as a table", () => table([{ title: "steps", of: ([, , start, stop]) => `${start} to ${stop}`, link: ([member, node]) => nodeHref(study, node, member) },
    { title: "of", of: ([member]) => member || "the target" }], told.left.longest, "the longest chain that remains"))] : [];
  const colours = isByState ? "coloured by how far it is" : "coloured by how it ended";
  const pictures = drawn.length > 1 ? [element("div", { class: choices.get("apart") === "rows" ? "rows" : "beside" }, drawn.map((each) => each.shown))] : drawn.map((each) => each.shown);
  return [[...heading(study, `${left}What trials share is trained once: a line for each stretch, thick where many trials go, a diamond where a state is kept, ${colours}. ${isByState ? `Of ${shortNumber(told.shown)}: ${counted(nodes)}. ` : ""}Click on an end for all that is known of it. Scroll to zoom, shift and scroll for lines.${saidOfAge(told.again_s)}`),
    ...saidOfLeft(study, told.left), switches(told, choices), ...pictures,
    behind("the same as a table", () => table(columns, nodes.slice(0, 1000), `nodes of the tree${nodes.length > 1000 ? ", the first 1,000" : ""}`)), ...chain, command("tree", study), ...(isByState ? [command("plot", "tree", study, "--colour", "state")] : [])], drawn.map((each) => each.made)];
}
