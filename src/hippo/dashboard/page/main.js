// The page: which view is open, what it shows, and when it is drawn anew. The address says all of it.

import { rungsChart, savingsChart, schedulesChart } from "./charts.js";
import { TokenNeeded, VIEWS, areChangesHeard, ask, askAgain, chart, choose, command, forgetAnswers, heading, href, learnRights, page, place, saidOfAge, token } from "./frame.js";
import { actsBar } from "./acting.js";
import { follow } from "./live.js";
import { signIn, whoBar } from "./signing.js";
import { showCompare } from "./compare.js";
import { showCurves } from "./curves.js";
import { moneyPart, savingsTables } from "./savings.js";
import { showLineage, showStorage } from "./states.js";
import { showNode, showTrial } from "./node.js";
import { showSlots } from "./slots.js";
import { showTree } from "./tree.js";
import { leftColumns, saidOfColumns } from "./left.js";
import { showTrials } from "./trials.js";
import { behind, element, note, openOnes, reopen, seconds, shortNumber, table } from "./parts.js";

const main = document.getElementById("main"), live = document.getElementById("live"), views = document.getElementById("views"), who = document.getElementById("who");
let turn = 0, lastShown = "", waiting = null, drawnAt = "";
// pages that lie within a view
const WITHIN = { trial: "trials", node: "tree" };

// --- views: each returns [elements, charts to begin]

const EXACTNESS = { unchecked: "not checked yet", proven: "proven", failed: "no: it differs" };

async function showStudies() {
  const answer = await ask("overview");
  askAgain(answer.again_s);
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
    ...leftColumns(answer.studies),
    { title: "steps asked", of: (row) => shortNumber(row.steps_asked), number: true },
    { title: "run", of: (row) => shortNumber(row.steps_executed), number: true },
    { title: "saved", of: (row) => shortNumber(row.steps_saved), number: true },
    { title: "device time", of: (row) => seconds(row.device_seconds), number: true },
    { title: "resuming is exact", of: (row) => row.exactness.map((each) => EXACTNESS[each] || each).join(", ") },
    ...(answer.studies.some((row) => row.lanes) ? [{ title: "lanes as one", of: (row) => row.lanes ? shortNumber(Number(row.lanes.toPrecision(3))) : "", number: true }] : []),
    ...(answer.studies.some((row) => row.generation > 1) ? [{ title: "generation", of: (row) => String(row.generation), number: true }] : []),
  ];
  return [[element("h2", {}, "Studies"), note(`of ${page.storage}`, saidOfAge(answer.again_s) && `.${saidOfAge(answer.again_s)}`), ...saidOfColumns(answer.studies), table(columns, answer.studies, "studies of this database"),
    ...(page.rights.optuna ? [element("p", {}, element("a", { href: "optuna" }, "the same in Optuna's dashboard"))] : []), command("studies")], []];
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
  drawnAt = new Date().toLocaleTimeString();
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
  const isSame = lastShown === location.hash, isView = lastShown.split("?")[0] === location.hash.split("?")[0];
  const opened = isView ? openOnes(main) : [], focused = isView ? document.activeElement?.id : "";
  const scroll = window.scrollY;
  // a chart that is drawn anew, since something was written, stays where it was zoomed to
  const zooms = isSame ? page.charts.map((each) => each.getOption().dataZoom) : [];
  clear();
  main.replaceChildren(...shown);
  begin.forEach((each, number) => each.begin(zooms[number]));
  reopen(main, opened);
  if (focused) document.getElementById(focused)?.focus();
  window.scrollTo(0, isView ? scroll : 0);
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

// Between two drawings the page rests, nine times as long as one takes with its answer, and fifty times where that is
// long, a hundredth of two cores: the machine may be the study's own. What one takes is the shortest of the last few: the
// first ones after a start, while nothing is warm, and one while the machine was busy, take many times as long, and say
// nothing of the next. Nor do those of another view: whoever leaves a large tree waits no longer for what follows.
const LEAST_REST_MS = 500, MOST_REST_MS = 60000, LONG_MS = 150, LAST = 3;
const frame = () => new Promise((done) => requestAnimationFrame(done));
const took = [];
let isDue = false, isDrawing = false, restsUntil = 0, endRest = () => {};
function sayHowLive() {
  const seconds = Math.ceil((restsUntil - performance.now()) / 1000);
  live.textContent = `live; as of ${drawnAt}${isDue && seconds > 1 ? `: more was written since, and is drawn in ${seconds} s` : ""}`;
}
async function redraw() {
  isDue = true;
  if (isDrawing) return;
  isDrawing = true;
  while (isDue) {
    isDue = false;
    if (document.visibilityState === "visible") {
      const began = performance.now();
      await draw();
      await Promise.race([frame().then(frame), new Promise((done) => setTimeout(done, 1000))]); // a hidden page has no frames
      took.push(performance.now() - began);
      if (took.length > LAST) took.shift();
    }
    const one = took.length < LAST ? 0 : Math.min(...took);
    const rest = Math.min(MOST_REST_MS, Math.max(LEAST_REST_MS, (one > LONG_MS ? 50 : 9) * one));
    restsUntil = performance.now() + rest;
    if (areChangesHeard()) sayHowLive();
    await new Promise((done) => { endRest = done; setTimeout(done, rest); });
  }
  isDrawing = false;
}

function listen() {
  follow({ onLost: lost, onToken: () => askForToken("This token opens nothing any more."), onNumber: () => {
    forgetAnswers(true);
    live.classList.remove("bad");
    redraw();
    sayHowLive();
  } });
}
window.addEventListener("hashchange", () => {
  took.length = 0;
  restsUntil = Math.min(restsUntil, performance.now() + LEAST_REST_MS);
  setTimeout(() => endRest(), LEAST_REST_MS);
  draw();
});
window.addEventListener("again", redraw);
// what is being drawn was asked for before that was chosen
window.addEventListener("chosen-within", () => { lastShown = location.hash; if (main.hasAttribute("aria-busy")) draw(); });
window.addEventListener("resize", () => page.charts.forEach((each) => each.resize()));
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") redraw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw().then(() => { if (!document.getElementById("token")) listen(); });
