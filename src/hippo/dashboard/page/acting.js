// What can be done to a study from here: buttons for that alone, a question before what others may miss, and what came of it.

import { act, ask, page } from "./frame.js";
import { element } from "./parts.js";

const said = document.getElementById("said");

function tell(text, isBad = false) {
  said.classList.toggle("bad", isBad);
  said.replaceChildren(text, " ", element("button", { onclick: () => said.replaceChildren() }, "close"));
}

// Ask before something is done. `fields` are shown, and `given` returns what was said there.
function question(title, text, verb, onYes, { fields = [], given = () => ({}), isDangerous = false } = {}) {
  const why = element("p", { class: "error", role: "alert" });
  const yes = element("button", { class: isDangerous ? "danger" : "primary", onclick: async () => {
    yes.disabled = true;
    try { await onYes(given()); dialog.close(); } catch (error) { why.textContent = error.message; yes.disabled = false; }
  } }, verb);
  const dialog = element("dialog", { "aria-labelledby": "question", onclose: () => dialog.remove() },
    element("h2", { id: "question" }, title), element("p", {}, text), ...fields, why,
    element("div", { class: "choices" }, yes, element("button", { onclick: () => dialog.close() }, "cancel")));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const done = (study, name) => async (more) => tell(await act(study, name, more));

function enqueue(study, config) {
  const text = element("textarea", { id: "config", rows: 8, spellcheck: "false" }, JSON.stringify(config.values, null, 1));
  const until = element("input", { id: "until", type: "number", min: 1, step: 1, value: config.until || 1 });
  const given = () => {
    let values;
    try { values = JSON.parse(text.value); } catch (error) { throw new Error(`the config is no JSON: ${error.message}`); }
    return { config: values, until: Number(until.value) };
  };
  question("Enqueue a config", "It is trained as a trial of its own, beside whatever runs.", "enqueue", done(study, "enqueue"), { given, fields: [
    element("p", {}, element("label", { for: "config" }, "hyper-parameters, as JSON: "), text),
    element("p", {}, element("label", { for: "until" }, "until step "), until)] });
}

function keep(study) {
  const rule = element("select", { id: "rule" }, ["leaves", "best", "top:3", "top:10", "all"].map((name) => element("option", { value: name }, name)));
  question("Keep other states", "hippo gc, and a study that needs room, remove from then on what no study keeps.", "keep", done(study, "keep"), { given: () => ({ keep: rule.value }), isDangerous: true,
    fields: [element("p", {}, element("label", { for: "rule" }, "states that stay "), rule)] });
}

const BUTTONS = {
  stop: ["Stop", (study) => question("Stop this study?", `What runs of ${study} leaves a checkpoint, and its script ends with a message. Run again, it goes on.`, "stop it", done(study, "stop"), { isDangerous: true })],
  enqueue: ["Enqueue ...", (study, config) => enqueue(study, config)],
  retry: ["Retry failed", (study) => question("Retry what failed?", `Trials of ${study} that failed are trained again when its script is run again.`, "retry", done(study, "retry"))],
  keep: ["Keep ...", (study) => keep(study)],
  delete: ["Delete", (study) => question("Delete this study?", `${study} and all its trials are forgotten. This cannot be undone. What was trained stays in the search plan.`, "delete it",
    async () => { await done(study, "delete")({}); location.hash = "#/"; }, { isDangerous: true })],
};

// Return the buttons of what can be done now; nothing where that is nothing. A trial's page offers its own config.
export async function actsBar(study, config = null) {
  if (!page.rights?.acts) return [];
  const { acts } = await ask("acts", { study });
  if (!acts.length) return [];
  const like = config || { values: {}, until: 1 };
  return [element("div", { class: "acts", role: "group", "aria-label": "what can be done to this study" },
    acts.filter((name) => name in BUTTONS).map((name) => element("button", { id: `act-${name}`, onclick: () => BUTTONS[name][1](study, like) }, BUTTONS[name][0])))];
}
