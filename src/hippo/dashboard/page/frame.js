// What all views of the page ask, choose and are framed by. The address says where we are.

import { element, note } from "./parts.js";

export const VIEWS = { tree: "Tree", slots: "Slots", curves: "Curves", schedules: "Schedules", savings: "Savings", compare: "Compare", rungs: "Rungs", lineage: "Lineage", storage: "Storage", trials: "Trials" };
// what is drawn at the moment, which database it is of, and what whoever looks may do there
export const page = { charts: [], storage: "", rights: null };

// --- where we are: #/STUDY/VIEW?choices

export function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [study = "", view = "tree", item = ""] = path.split("/").map(decodeURIComponent);
  return { study, view: view in VIEWS || view === "trial" || view === "node" ? view : "tree", item, choices: new URLSearchParams(query) };
}

export const href = (study, view, item = "") => `#/${encodeURIComponent(study)}/${view}${item === "" ? "" : `/${item}`}`;

export const choose = (name, value) => chooseAll({ [name]: value });

// several choices at once: each change of the address draws anew
export function chooseAll(changes) {
  const { study, view, item, choices } = place();
  for (const [name, value] of Object.entries(changes)) { if (value === "") choices.delete(name); else choices.set(name, value); }
  const query = choices.toString();
  location.hash = href(study, view, item) + (query ? `?${query}` : "");
}

// choose within a part of a view, which draws itself anew: the rest of the view stays. Several values are a list
export function within(chosen) {
  const { study, view, item, choices } = place();
  for (const [name, value] of Object.entries(chosen)) {
    choices.delete(name);
    [value].flat().filter((each) => each !== "").forEach((each) => choices.append(name, each));
  }
  const query = choices.toString();
  history.replaceState(null, "", href(study, view, item) + (query ? `?${query}` : ""));
  window.dispatchEvent(new Event("chosen-within"));
}

// choose, and stay where the view is scrolled to
export function chooseHere(chosen) {
  within(chosen);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

// --- what we are told

// The token stays in this tab, and goes out in a header alone: never into an address, nor into the page.
const TOKEN = "hippo-token";
export const token = { get: () => sessionStorage.getItem(TOKEN), keep: (value) => sessionStorage.setItem(TOKEN, value), forget: () => sessionStorage.removeItem(TOKEN) };

export class TokenNeeded extends Error {}

export function send(path, options = {}) {
  const known = token.get(), headers = { ...options.headers, ...(known ? { Authorization: `Bearer ${known}` } : {}) };
  return fetch(path, { cache: "no-store", ...options, headers });
}

async function told(response) {
  const answer = await response.json();
  if (response.status === 401) throw new TokenNeeded(answer.error);
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Answers that say the same until something is written are kept until that is heard, the last ones asked for.
const KEPT = new Set(["tree", "slots", "curves", "schedules", "savings", "rungs", "lineage", "history", "parallel", "pareto", "together", "trials", "trial", "node"]), MOST_KEPT = 12;
const kept = new Map();
let hears = false, told_of = 0;
// whether changes are heard of; called with each of them, and when they can no longer be heard
export function forgetAnswers(isHeard) { kept.clear(); hears = isHeard; told_of += 1; }
export const areChangesHeard = () => hears;

// `more` are pairs, of what has several values
function pathOf(name, parameters, more = []) {
  const given = [...Object.entries(parameters), ...more].filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return `api/${name}?${new URLSearchParams(given)}`;
}

export async function ask(name, parameters = {}, more = []) {
  const path = pathOf(name, parameters, more), before = told_of;
  if (kept.has(path)) return kept.get(path);
  const answer = await told(await send(path));
  if (KEPT.has(name) && !answer.runs && (answer.again_s ?? null) === null && hears && before === told_of) {
    kept.set(path, answer);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  }
  return answer;
}

// What is asked for so goes into a file of the user's; the token goes in a header here, too, so that no link will do.
export async function download(name, parameters, file) {
  const response = await send(pathOf(name, parameters));
  if (!response.ok) await told(response);
  const address = URL.createObjectURL(await response.blob());
  element("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export async function learnRights() {
  page.rights = await ask("rights");
  page.storage = page.rights.storage;
}

export async function act(study, name, more = {}) {
  const body = JSON.stringify({ study, act: name, ...more });
  return (await told(await send("api/acts", { method: "POST", headers: { "Content-Type": "application/json" }, body }))).done;
}

// what is not made anew each time something is written is asked for once more, if it is still shown then and the page has rested
let again = null;
export function askAgain(seconds) {
  clearTimeout(again);
  const here = location.hash;
  if (seconds !== null) again = setTimeout(() => { if (location.hash === here) window.dispatchEvent(new Event("again")); }, 1000 * seconds + 100);
}
// and whoever looks is told, unless it comes at once
export const saidOfAge = (seconds) => seconds === null || seconds < 1 ? "" : ` As of a moment ago: more was written since, and is shown in ${Math.ceil(seconds)} s.`;

const quoted = (text) => /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
export const command = (...words) => element("p", { class: "note command" }, "the same in a terminal: ", element("code", {}, ["hippo", ...words.map(quoted), "--storage", quoted(page.storage)].join(" ")));

// `onPoint` hears what was clicked on; whatever that leads to stands in the table behind the picture, too
export function chart(option, label, height, onPoint = null) {
  const holder = element("div", { class: "chart", role: "img", "aria-label": label });
  holder.style.height = `${height}px`;
  const begin = (zooms) => {
    const made = echarts.init(holder);
    made.setOption(option);
    if (onPoint) made.on("click", onPoint);
    zooms?.forEach(({ start, end }, dataZoomIndex) => made.dispatchAction({ type: "dataZoom", dataZoomIndex, start, end }));
    page.charts.push(made);
  };
  return { holder, begin };
}

// end the chart of a holder that goes while others stay
export function drop(holder) {
  const own = echarts.getInstanceByDom(holder);
  page.charts = page.charts.filter((each) => each !== own);
  own?.dispose();
}

export function heading(study, text) { return [element("h2", {}, study), note(text)]; }
