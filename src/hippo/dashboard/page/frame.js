// What all views of the page ask, choose and are framed by. The address says where we are.

import { element, note } from "./parts.js";

export const VIEWS = { tree: "Tree", slots: "Slots", curves: "Curves", schedules: "Schedules", savings: "Savings", compare: "Compare", rungs: "Rungs", lineage: "Lineage", storage: "Storage", trials: "Trials" };
// what is drawn at the moment, and which database it is of
export const page = { charts: [], storage: "" };

// --- where we are: #/STUDY/VIEW?choices

export function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [study = "", view = "tree", item = ""] = path.split("/").map(decodeURIComponent);
  return { study, view: view in VIEWS || view === "trial" ? view : "tree", item, choices: new URLSearchParams(query) };
}

export const href = (study, view, item = "") => `#/${encodeURIComponent(study)}/${view}${item === "" ? "" : `/${item}`}`;

export function choose(name, value) {
  const { study, view, item, choices } = place();
  if (value === "") choices.delete(name); else choices.set(name, value);
  const query = choices.toString();
  location.hash = href(study, view, item) + (query ? `?${query}` : "");
}

// --- what we are told

export async function ask(name, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const response = await fetch(`/api/${name}?${new URLSearchParams(given)}`);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const quoted = (text) => /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
export const command = (...words) => note("the same in a terminal: ", element("code", {}, ["hippo", ...words.map(quoted), "--storage", quoted(page.storage)].join(" ")));

export function chart(option, label, height) {
  const holder = element("div", { class: "chart", role: "img", "aria-label": label });
  holder.style.height = `${height}px`;
  const begin = (zooms) => {
    const made = echarts.init(holder);
    made.setOption(option);
    zooms?.forEach(({ start, end }, dataZoomIndex) => made.dispatchAction({ type: "dataZoom", dataZoomIndex, start, end }));
    page.charts.push(made);
  };
  return { holder, begin };
}

export function heading(study, text) { return [element("h2", {}, study), note(text)]; }
