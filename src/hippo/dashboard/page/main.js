// The page: which view is open, what it shows, and when it is drawn anew. The address says all of it.

import { clickedNode, curvesChart, rungsChart, savingsChart, schedulesChart, treeChart } from "./charts.js";
import { TokenNeeded, VIEWS, ask, chart, choose, command, forgetAnswers, heading, href, learnRights, page, place, token } from "./frame.js";
import { actsBar } from "./acting.js";
import { follow } from "./live.js";
import { signIn, whoBar } from "./signing.js";
import { showCompare } from "./compare.js";
import { moneyPart, savingsTables } from "./savings.js";
import { showLineage, showStorage } from "./states.js";
import { nodeHref, showNode, showTrial } from "./node.js";
import { showSlots } from "./slots.js";
import { behind, element, note, seconds, shortNumber, table } from "./parts.js";

const main = document.getElementById("main"), live = document.getElementById("live"), views = document.getElementById("views"), who = document.getElementById("who");
let turn = 0, lastShown = "", waiting = null;
// pages that lie within a view
const WITHIN = { trial: "trials", node: "tree" };

// --- views: each returns [elements, charts to begin]

const EXACTNESS = { unchecked: "not checked yet", proven: "proven", failed: "no: it differs" };

async function showStudies() {
  const answer = await ask("overview");
  if (!answer.studies.length) {
    return [[element("h2", {}, "No study yet"), note("This database has no study. Run a script that makes one with ",
      element("code", {}, `hippo.create_study(..., storage="${page.storage}")`), "; it appears here by itself.")], []];
  }
  const columns = [
    { title: "study", of: (row) => row.name, link: (row) => href(row.name, "tree"), long: true },
    { title: "trials", of: (row) => shortNumber(Object.values(row.trials).reduce((sum, count) => sum + count, 0)), number: true },
    { title: "ended", of: (row) => shortNumber(["COMPLETE", "PRUNED", "FAIL"].reduce((sum, state) => sum + (row.trials[state] || 0), 0)), number: true },
    { title: "running", of: (row) => shortNumber(row.trials.RUNNING || 0), number: true },
    { title: "failed", of: (row) => shortNumber(row.trials.FAIL || 0), number: true },
    { title: "steps asked", of: (row) => shortNumber(row.steps_asked), number: true },
    { title: "run", of: (row) => shortNumber(row.steps_executed), number: true },
    { title: "saved", of: (row) => shortNumber(row.steps_saved), number: true },
    { title: "device time", of: (row) => seconds(row.device_seconds), number: true },
    { title: "resuming is exact", of: (row) => row.exactness.map((each) => EXACTNESS[each] || each).join(", ") },
    ...(answer.studies.some((row) => row.lanes) ? [{ title: "lanes as one", of: (row) => row.lanes ? shortNumber(Number(row.lanes.toPrecision(3))) : "", number: true }] : []),
    ...(answer.studies.some((row) => row.generation > 1) ? [{ title: "generation", of: (row) => String(row.generation), number: true }] : []),
  ];
  return [[element("h2", {}, "Studies"), note(`of ${page.storage}`), table(columns, answer.studies, "studies of this database"),
    ...(page.rights.optuna ? [element("p", {}, element("a", { href: "optuna" }, "the same in Optuna's dashboard"))] : []), command("studies")], []];
}

async function showTree({ study, choices }) {
  const told = await ask("tree", { study, metric: choices.get("metric") });
  const nodes = told.node.map((node, at) => ({ node, member: told.member[at], line: told.line[at], from: told.from[at], start: told.start[at],
    stop: told.stop[at], trials: told.trials[at], first: told.first[at], kept: told.kept[at], metric: told.value[at], said: told.said && told.said[at] }));
  const data = { ...told, nodes }, left = told.of > nodes.length ? `The ${shortNumber(nodes.length)} of ${shortNumber(told.of)} stretches that most trials share. ` : "";
  if (!nodes.length) return [[...heading(study, "No trial has anything to train yet."), command("tree", study)], []];
  const option = treeChart(data), to = ({ node, member }) => nodeHref(study, node, member);
  const drawn = chart(option, `stage tree of ${data.nodes.length} nodes`, Math.min(1600, Math.max(320, 90 + 16 * data.height)), (clicked) => { const node = clickedNode(option, clicked); if (node) location.hash = to(node); });
  const columns = [
    { title: "steps", of: (row) => `${row.start} to ${row.stop}`, link: to }, { title: "trials", of: (row) => shortNumber(row.trials), number: true },
    { title: data.metric || "metric", of: (row) => shortNumber(row.metric), number: true },
    { title: "states kept", of: (row) => row.kept.join(", ") }, { title: "what changed", of: (row) => row.said || "", long: true },
  ];
  return [[...heading(study, `${left}What trials share is trained once: a line for each stretch, thick where many trials go, a diamond where a state is kept, coloured by how it ended. Click on an end for all that is known of it. Scroll to zoom, shift and scroll for lines.`),
    drawn.holder, behind("the same as a table", () => table(columns, data.nodes.slice(0, 1000), `nodes of the tree${data.nodes.length > 1000 ? ", the first 1,000" : ""}`)), command("tree", study)], [drawn]];
}

async function showCurves({ study, choices }) {
  const data = await ask("curves", { study, metric: choices.get("metric") });
  if (!data.curves.length) return [[...heading(study, "Nothing was evaluated yet.")], []];
  const isLog = choices.get("log") === "1";
  const drawn = chart(curvesChart(data, isLog), `${data.metric} over steps`, 520, ({ data: clicked }) => { if (clicked?.curve) location.hash = href(study, "trial", clicked.curve.first); });
  const metric = element("select", { id: "metric", onchange: (event) => choose("metric", event.target.value) },
    data.metrics.map((name) => element("option", { value: name, selected: name === data.metric }, name)));
  const log = element("input", { type: "checkbox", id: "log", checked: isLog, onchange: (event) => choose("log", event.target.checked ? "1" : "") });
  const ends = data.curves.map((curve) => ({ ...curve, last: curve.points[curve.points.length - 1] }));
  const columns = [{ title: "step", of: (row) => shortNumber(row.last[0]), number: true }, { title: data.metric, of: (row) => shortNumber(row.last[1]), number: true },
    { title: "trials", of: (row) => shortNumber(row.trials), number: true }, { title: "first trial", of: (row) => shortNumber(row.first), link: (row) => href(study, "trial", row.first), number: true }];
  return [[...heading(study, `${data.of > data.curves.length + 1 && data.curves.length >= 1000 ? `The way of the best trial, and the ${shortNumber(data.curves.length)} of ${shortNumber(data.of)} stretches that most trials share. ` : ""}Each stretch once, however many trials share it. Click on an end for its first trial.`),
    element("div", { class: "choices" }, element("label", { for: "metric" }, "metric"), metric, element("span", {}, log, " ", element("label", { for: "log" }, "logarithmic"))),
    drawn.holder, behind("the last points as a table", () => table(columns, ends.slice(0, 1000), `where curves end, by ${data.metric}`)), command("plot", "curves", study)], [drawn]];
}

async function showSchedules({ study, choices }) {
  const data = await ask("schedules", { study, trials: choices.get("trials") });
  if (!data.schedules.length) return [[...heading(study, "No trial was asked for yet.")], []];
  const names = [...new Set(data.schedules.map((each) => each.name))];
  const drawn = names.map((name) => chart(schedulesChart(data, name), `${name} over steps`, 320));
  const columns = [{ title: "hyper-parameter", of: (row) => row.name }, { title: "as written", of: (row) => row.written, long: true },
    { title: "trials", of: (row) => row.trials.slice(0, 12).join(", ") + (row.trials.length > 12 ? ", ..." : ""), long: true }];
  const which = data.trials < data.of ? `The first ${data.trials} of ${data.of} trials. ` : "";
  return [[...heading(study, `${which}Equal ones of several trials are one line; those that never change are left out, unless none does.`),
    ...drawn.map((each) => each.holder), behind("the same as a table", () => table(columns, data.schedules, "hyper-parameters")), command("plot", "schedules", study)], drawn];
}

async function showSavings({ study, choices }) {
  const data = await ask("savings", { study, price: choices.get("price") });
  if (!data.asked) return [[...heading(study, "Nothing was asked for yet.")], []];
  const drawn = chart(savingsChart(data), "where the steps came from", 170);
  const share = data.asked ? (100 * data.saved / data.asked).toFixed(0) : 0, money = moneyPart(study, data);
  return [[...heading(study, `${share} % of the steps that trials asked for were not run for them. ${seconds(data.device_seconds)} of devices' time; each trial alone would have trained and evaluated for ${seconds(data.trial_seconds)}.`),
    drawn.holder, ...savingsTables(data), ...money.parts, command("plot", "savings", study, ...money.options)], [drawn]];
}

async function showRungs({ study }) {
  const data = await ask("rungs", { study });
  if (!data.rungs.length) return [[...heading(study, "This study has no rungs: no tuner of it asked some trials further than others. SuccessiveHalving, Hyperband and ASHA do.")], []];
  const drawn = chart(rungsChart(data), "trials by the step they were asked to", 420);
  const columns = [{ title: "call", of: (row) => String(row.call), number: true }, { title: "step", of: (row) => shortNumber(row.step), number: true },
    ...["asked", "went on", "complete", "stopped here", "running, or waiting", "failed"].map((name) => ({ title: name, of: (row) => shortNumber(row[name]), number: true }))];
  return [[...heading(study, "How many trials went on at each step to which a tuner asked."), drawn.holder, table(columns, data.rungs, "rungs"), command("plot", "rungs", study)], [drawn]];
}

const STATES = ["", "COMPLETE", "RUNNING", "WAITING", "PAUSED", "PRUNED", "FAIL"];

async function showTrials({ study, choices }) {
  const offset = Number(choices.get("offset") || 0), limit = 100, order = choices.get("order") || "number";
  const data = await ask("trials", { study, offset, limit, order, state: choices.get("state"), text: choices.get("text") });
  const sort = (name) => () => choose("order", order === name ? `-${name}` : name);
  const columns = [
    { title: "trial", of: (row) => String(row.number), link: (row) => href(study, "trial", row.number), number: true, sort: sort("number") },
    { title: "state", of: (row) => row.state, sort: sort("state") }, { title: "step", of: (row) => shortNumber(row.step), number: true, sort: sort("step") },
    { title: "value", of: (row) => shortNumber(row.value), number: true, sort: sort("value") },
    { title: "device time", of: (row) => seconds(row.seconds), number: true, sort: sort("seconds") },
    { title: "hyper-parameters", of: (row) => row.params, long: true },
    ...(data.rows.some((row) => row.error) ? [{ title: "error", of: (row) => row.error, long: true }] : []),
  ];
  const state = element("select", { id: "state", onchange: (event) => choose("state", event.target.value) },
    STATES.map((name) => element("option", { value: name, selected: name === (choices.get("state") || "") }, name || "all")));
  const text = element("input", { id: "text", type: "search", value: choices.get("text") || "", onchange: (event) => choose("text", event.target.value) });
  const to = Math.min(data.of, offset + limit);
  return [[...heading(study, data.of ? `trials ${offset + 1} to ${to} of ${data.of}` : "No such trial."),
    element("div", { class: "choices" }, element("label", { for: "state" }, "state"), state, element("label", { for: "text" }, "hyper-parameters hold"), text,
      element("button", { disabled: offset === 0, onclick: () => choose("offset", String(Math.max(0, offset - limit))) }, "before"),
      element("button", { disabled: to >= data.of, onclick: () => choose("offset", String(offset + limit)) }, "next")),
    table(columns, data.rows, "trials"), command("trials", study)], []];
}

const SHOWN = { tree: showTree, slots: showSlots, compare: showCompare, lineage: showLineage, storage: showStorage, curves: showCurves, schedules: showSchedules, savings: showSavings, rungs: showRungs, trials: showTrials, trial: showTrial, node: showNode };

// --- drawing

function showPlace(here) {
  views.replaceChildren(...(here.study ? Object.entries(VIEWS).map(([view, title]) =>
    element("a", { href: href(here.study, view), "aria-current": view === (WITHIN[here.view] || here.view) ? "page" : null }, title)) : []));
  document.title = here.study ? `${here.study} - hippo` : "hippo";
}

// Whoever goes to another view sees at once that it is on its way, and after a moment no longer the one before it.
const PATIENCE_MS = 250;
function setOut(here) {
  main.setAttribute("aria-busy", "true");
  if (lastShown === location.hash) return null;
  if (views.firstChild) showPlace(here);
  return setTimeout(() => {
    clear();
    lastShown = "";
    main.replaceChildren(element("h2", {}, here.study || "hippo"), element("p", { class: "note", role: "status" }, "Reading what has been written ..."));
  }, PATIENCE_MS);
}

async function draw() {
  const mine = ++turn, here = place();
  clearTimeout(waiting);
  const patience = waiting = setOut(here);
  try { await drawn(mine, here); } finally {
    clearTimeout(patience);
    if (mine === turn) main.removeAttribute("aria-busy");
  }
}

async function drawn(mine, here) {
  let shown, begin;
  try {
    if (!page.rights) await learnRights();
    const [[of, charts], acts] = await Promise.all([here.study ? SHOWN[here.view](here) : showStudies(), here.study && !WITHIN[here.view] ? actsBar(here.study) : []]);
    [shown, begin] = [[of[0], ...acts, ...of.slice(1)], charts];
  } catch (error) {
    if (mine !== turn) return;
    if (error instanceof TokenNeeded) { askForToken(token.get() ? error.message : ""); return; }
    if (error instanceof TypeError) { lost(); return; } // no answer at all: what is shown stays
    [shown, begin] = [[element("h2", {}, here.study || "hippo"), element("p", { class: "error", role: "alert" }, error.message), element("p", {}, element("a", { href: "#/" }, "all studies"))], []];
  }
  if (mine !== turn) return; // somebody went on meanwhile
  clearTimeout(waiting);
  showPlace(here);
  who.replaceChildren(...whoBar(() => askForToken()));
  const isSame = lastShown === location.hash, open = isSame && main.querySelector("details")?.open, focused = isSame ? document.activeElement?.id : "";
  const scroll = window.scrollY;
  // a chart that is drawn anew, since something was written, stays where it was zoomed to
  const zooms = isSame ? page.charts.map((each) => each.getOption().dataZoom) : [];
  clear();
  main.replaceChildren(...shown);
  begin.forEach((each, number) => each.begin(zooms[number]));
  if (open) main.querySelector("details").open = true;
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus();
  window.scrollTo(0, isSame ? scroll : 0);
  lastShown = location.hash;
}

function askForToken(why) {
  if (document.getElementById("token")) return; // somebody is typing
  token.forget();
  forgetAnswers(false);
  page.rights = null;
  lastShown = "";
  clear();
  live.textContent = "";
  for (const each of [views, who]) each.replaceChildren();
  main.replaceChildren(...signIn(() => { draw(); listen(); }, why));
  document.getElementById("token").focus();
}

function clear() {
  page.charts.forEach((each) => each.dispose());
  page.charts = [];
}

function lost() {
  forgetAnswers(false);
  page.rights = null; // whoever answers next may be another one
  live.textContent = "no answer: is what serves this page still running? It is asked again."; live.classList.add("bad");
}

// --- live

// Between two drawings the page rests, nine times as long as the last one took: the machine may be the study's own.
const LEAST_REST_MS = 500, MOST_REST_MS = 15000;
const frame = () => new Promise((done) => requestAnimationFrame(done));
let isDue = false, isDrawing = false;
async function redraw() {
  isDue = true;
  if (isDrawing) return;
  isDrawing = true;
  while (isDue) {
    isDue = false;
    const began = performance.now();
    if (document.visibilityState === "visible") {
      await draw();
      await Promise.race([frame().then(frame), new Promise((done) => setTimeout(done, 1000))]); // a hidden page has no frames
    }
    const rest = Math.min(MOST_REST_MS, Math.max(LEAST_REST_MS, 9 * (performance.now() - began)));
    await new Promise((done) => setTimeout(done, rest));
  }
  isDrawing = false;
}

function listen() {
  follow({ onLost: lost, onToken: () => askForToken("This token opens nothing any more."), onNumber: () => {
    forgetAnswers(true);
    live.classList.remove("bad");
    live.textContent = `live; as of ${new Date().toLocaleTimeString()}`;
    redraw();
  } });
}
window.addEventListener("hashchange", draw);
// what is being drawn was asked for before that was chosen
window.addEventListener("chosen-within", () => { lastShown = location.hash; if (main.hasAttribute("aria-busy")) draw(); });
window.addEventListener("resize", () => page.charts.forEach((each) => each.resize()));
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") redraw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw().then(() => { if (!document.getElementById("token")) listen(); });
