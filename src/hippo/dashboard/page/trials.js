// The table of trials: which of them, which columns, and all that is shown as a file.

import { TokenNeeded, ask, choose, chooseAll, command, download, heading, href } from "./frame.js";
import { behind, element, note, seconds, shortNumber, table } from "./parts.js";

const LIMIT = 100, STATES = ["", "COMPLETE", "RUNNING", "WAITING", "PAUSED", "PRUNED", "FAIL"];
// columns that each study has, and what they are called here; those of its own names are called as in its files
const USUAL = { state: "state", step: "step", value: "value", seconds: "device time", params: "hyper-parameters", error: "error" };

// names stand in one choice of the address with commas between them
const chosenOf = (text) => text ? text.split(",").map(decodeURIComponent) : [];
const written = (names) => names.map(encodeURIComponent).join(",");

const sorted = (order) => (name) => () => chooseAll({ order: order === name ? `-${name}` : name, offset: "" });

function columnOf(name, rows, sort) {
  switch (name) {
    case "state": return { title: "state", of: (row) => row.state, sort: sort("state") };
    case "step": return { title: "step", of: (row) => shortNumber(row.step), number: true, sort: sort("step") };
    case "value": return { title: "value", of: (row) => shortNumber(row.value), number: true, sort: sort("value") };
    case "seconds": return { title: "device time", of: (row) => seconds(row.seconds), number: true, sort: sort("seconds") };
    case "params": return { title: "hyper-parameters", of: (row) => row.params, long: true };
    case "error": return { title: "error", of: (row) => row.error, long: true };
    default: {
      const number = rows.every((row) => typeof row.cells[name] !== "string");
      return { title: name, of: (row) => shortNumber(row.cells[name]), number };
    }
  }
}

function columnsChoice(shown, offers) {
  const every = [...Object.keys(USUAL), ...offers];
  const change = (name, isOn) => choose("columns", written(every.filter((each) => each === name ? isOn : shown.includes(each))));
  const boxes = every.map((name) => element("span", {}, element("input", { type: "checkbox", id: `column-${name}`, checked: shown.includes(name),
    disabled: shown.length === 1 && shown[0] === name, onchange: (event) => change(name, event.target.checked) }), " ", element("label", { for: `column-${name}` }, USUAL[name] || name)));
  return behind("columns", () => element("fieldset", { class: "choices" }, element("legend", { class: "note" }, "of the trials shown; files have the columns chosen, or all there are"),
    boxes, element("button", { onclick: () => choose("columns", "") }, "the usual ones")));
}

function files(study, asked) {
  const said = element("span", { role: "status", class: "note" });
  const write = (form) => async (event) => {
    const button = event.currentTarget; // no longer known after the first wait
    button.disabled = true;
    said.textContent = "being written ...";
    try {
      await download("trials-file", { study, ...asked, form }, `${study.replace(/[^-.\w]+/g, "_")}-trials.${form}`);
      said.textContent = "";
    } catch (error) { said.textContent = error instanceof TypeError ? "no answer: nothing was written" : error.message; }
    button.disabled = false;
  };
  return [element("button", { id: "csv", onclick: write("csv") }, "all of them as CSV"), element("button", { id: "json", onclick: write("json") }, "as JSON"), said];
}

const pair = (id, said, control) => element("span", { class: "pair" }, element("label", { for: id }, said), control);
const oneOf = (count) => `${shortNumber(count)} trial${count === 1 ? "" : "s"}`;

function inTerminal(study, state, filter) {
  const parts = [state && `state == "${state}"`, state && filter ? `(${filter})` : filter].filter(Boolean);
  return command("trials", study, ...(parts.length ? ["--filter", parts.join(" and ")] : []));
}

export async function showTrials({ study, choices }) {
  const offset = Number(choices.get("offset") || 0), order = choices.get("order") || "number";
  const [state, text, filter] = ["state", "text", "filter"].map((name) => choices.get(name) || "");
  const asked = { order, state, text, filter, columns: choices.get("columns") };
  let data, trouble = "";
  try { data = await ask("trials", { study, offset, limit: LIMIT, ...asked }); } catch (error) {
    if (error instanceof TokenNeeded || error instanceof TypeError || !filter) throw error;
    trouble = error.message; // said beside what was typed, which can be mended there
  }
  const stateChoice = element("select", { id: "state", onchange: (event) => chooseAll({ state: event.target.value, offset: "" }) },
    STATES.map((name) => element("option", { value: name, selected: name === state }, name || "all")));
  const typed = (id, value, more) => element("input", { id, type: "search", value, onchange: (event) => chooseAll({ [id]: event.target.value.trim(), offset: "" }), ...more });
  const choice = element("div", { class: "choices" }, pair("state", "state", stateChoice), pair("text", "hyper-parameters hold", typed("text", text)),
    pair("filter", "only where", typed("filter", filter, { class: "wider", spellcheck: "false", autocomplete: "off", placeholder: 'lr < 0.1 and state == "COMPLETE"',
      "aria-invalid": trouble ? "true" : null, "aria-describedby": trouble ? "trouble" : null })));
  if (trouble) return [[...heading(study, "The filter cannot be read."), choice, element("p", { class: "error", id: "trouble", role: "alert" }, trouble)], []];
  const shown = chosenOf(asked.columns), usual = Object.keys(USUAL).filter((name) => name !== "error" || data.rows.some((row) => row.error));
  const names = shown.length ? shown : usual, to = Math.min(data.of, offset + LIMIT), sort = sorted(order);
  const columns = [{ title: "trial", of: (row) => String(row.number), link: (row) => href(study, "trial", row.number), number: true, sort: sort("number") },
    ...names.filter((name) => name !== "number").map((name) => columnOf(name, data.rows, sort))];
  const left = data.unknown.map(({ why, count }) => note(`Left out, since the filter says neither yes nor no: ${oneOf(count)}, ${why}.`));
  return [[...heading(study, data.of ? `trials ${shortNumber(offset + 1)} to ${shortNumber(to)} of ${shortNumber(data.of)}` : "No such trial."), choice, ...left,
    element("div", { class: "choices" }, element("button", { id: "before", disabled: offset === 0, onclick: () => choose("offset", String(Math.max(0, offset - LIMIT) || "")) }, "before"),
      element("button", { id: "next", disabled: to >= data.of, onclick: () => choose("offset", String(offset + LIMIT)) }, "next"), ...files(study, asked)),
    columnsChoice(names, data.offers), table(columns, data.rows, "trials"), inTerminal(study, state, filter)], []];
}
