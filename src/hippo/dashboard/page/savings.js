// Where steps came from, what was predicted of that, and what it is worth in money.

import { chooseHere } from "./frame.js";
import { element, labelled, nameOfScale, note, seconds, shortNumber, table } from "./parts.js";

const rate = (value) => value === null ? "" : shortNumber(Number(value.toPrecision(4)));

export function savingsTables(data) {
  const rows = [["asked for by trials", data.asked], ["run for this study", data.executed], ["saved: had already, or shared", data.saved], ["not had yet", data.to_come],
    ...Object.entries(data.repeated).map(([cause, count]) => [`run again: ${cause}`, count]), ["run as a check", data.checked], ["run ahead of time", data.speculative]];
  const predicted = [["steps to be run", shortNumber(data.distinct), shortNumber(data.executed)], ["steps saved", shortNumber(data.asked - data.distinct), shortNumber(data.saved)],
    ["merge rate: asked for, by run", rate(data.predicted_rate), rate(data.seen_rate)]];
  const columns = [{ title: "steps", of: (row) => row[0] }, { title: "how many", of: (row) => shortNumber(row[1]), number: true }];
  const beside = [{ title: "of what trials asked for", of: (row) => row[0] }, { title: "predicted", of: (row) => row[1], number: true }, { title: "seen", of: (row) => row[2], number: true }];
  return [table(columns, rows, "where steps came from"), element("h3", {}, "Predicted, and seen"),
    note("Predicted by the tree of what trials asked for, as hippo plan does before anything runs: each of its steps is run once, for this study. Other studies and earlier ones spare more; what is not had yet has not been run."),
    table(beside, predicted, "savings predicted, and seen"), ...scalesTable(data.scales)];
}

// what surrogates cost is known; what was not trained because of them is not, and nobody makes it up
function scalesTable(scales) {
  if (!scales.length) return [];
  const columns = [{ title: "of", of: (row) => nameOfScale(row.scale) }, { title: "trials", of: (row) => shortNumber(row.trials), number: true },
    { title: "steps run", of: (row) => shortNumber(row.steps), number: true }, { title: "seconds of steps and evaluations", of: (row) => seconds(row.seconds), number: true }];
  return [element("h3", {}, "The target, and what was trained for it"), table(columns, scales, "what was spent on the target, and beside it")];
}

const money = (value) => value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: Math.abs(value) < 1 ? 6 : 2 });

// in money: at the price of the address, else at that of whoever started the server; nobody makes one up
export function moneyPart(study, data) {
  const told = data.money;
  const field = element("input", { id: "price", type: "number", min: "0", step: "any", value: told ? String(told.per_hour) : "", onchange: (event) => { if (event.target.validity.valid) chooseHere({ price: event.target.value }); } });
  const parts = [element("h3", {}, "In money"), element("div", { class: "choices" }, labelled("price", "price of a device-hour", field))];
  if (!told) return { parts: [...parts, note("With a price, savings are told in money, too: in whatever currency it is in.")], options: [] };
  const rows = [["spent", data.device_seconds, told.spent], ["each trial alone, training and evaluating", data.trial_seconds, told.alone],
    told.saved < 0 ? ["sharing cost more by", data.device_seconds - data.trial_seconds, -told.saved] : ["not spent", data.trial_seconds - data.device_seconds, told.saved]];
  const columns = [{ title: "for", of: (row) => row[0] }, { title: "device time", of: (row) => seconds(row[1]), number: true }, { title: `money, at ${shortNumber(told.per_hour)} a device-hour`, of: (row) => money(row[2]), number: true }];
  return { parts: [...parts, table(columns, rows, "what devices' time costs")], options: ["--price", String(told.per_hour)] };
}
