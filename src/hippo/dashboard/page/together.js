// The best value of several studies over what they spent.

import { SERIES, TOP, common } from "./charts.js";
import { ask, chart, command, href, within } from "./frame.js";
import { element, labelled, note, seconds, shortNumber, table } from "./parts.js";

const OVER = { steps: ["steps executed", 2], "device-seconds": ["device-seconds of steps and evaluations", 3] };
// names that were told last: where an answer is refused, there are none in it
let names = [];

function togetherChart(data, over) {
  const { axis, base } = common(), [title, at] = OVER[over];
  const said = (name) => ({ value: [x, y, trial] }) => `${name}: trial ${trial}\n${data.metric} ${shortNumber(y)}\n${shortNumber(x)} ${over}`;
  return { ...base, grid: { left: 70, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "value", name: title, nameLocation: "middle", nameGap: 28 }, yAxis: { ...axis, type: "value", name: `best ${data.metric}`, scale: true },
    series: data.studies.map((study, number) => ({ type: "line", step: "end", name: study.name, symbol: "circle", symbolSize: 5, lineStyle: { width: 2.2, color: SERIES[number % SERIES.length] },
      itemStyle: { color: SERIES[number % SERIES.length] }, tooltip: { formatter: said(study.name) },
      // the best one stays that until all that was spent
      data: study.points.length ? [...study.points.map((point) => [point[at], point[1], point[0]]), [study.until[at - 2], study.best, study.best_trial]] : [] })) };
}

export async function togetherPart(study, choices, again) {
  const beside = choices.getAll("with"), over = choices.get("over") in OVER ? choices.get("over") : "steps";
  let data = null, why = "";
  try {
    data = await ask("together", { study }, beside.map((name) => ["with", name]));
    names = data.names;
  } catch (error) {
    if (error.constructor !== Error) throw error; // no answer, or a token is needed: the whole page tells of that
    why = error.message;
    if (!names.length) names = await ask("together", { study }).then((alone) => alone.names, () => []); // so that others can be chosen
  }
  const choose = (chosen, focus) => { within({ with: chosen }); again(focus); };
  const free = names.filter((name) => name !== study && !beside.includes(name));
  const add = element("select", { id: "beside", onchange: (event) => choose([...beside, event.target.value], "beside") },
    element("option", { value: "" }, free.length ? "choose one" : "there is no other"), free.map((name) => element("option", { value: name }, name)));
  const spent = element("select", { id: "over", onchange: (event) => { within({ over: event.target.value }); again("over"); } },
    Object.entries(OVER).map(([value, [title]]) => element("option", { value, selected: value === over }, title)));
  const controls = element("div", { class: "choices" }, names.length ? labelled("beside", "beside it", add) : null, beside.map((name) => element("button", { onclick: () => choose(beside.filter((each) => each !== name), "beside") }, `without ${name}`)),
    labelled("over", "over", spent));
  if (!data) return [[controls, element("p", { class: "error", role: "alert" }, why)], []];
  const told = data.studies.some((each) => each.points.length);
  const drawn = told ? [chart(togetherChart(data, over), `best ${data.metric} of ${data.studies.length} studies over ${over}`, 360)] : [];
  const columns = [{ title: "study", of: (row) => row.name, link: (row) => href(row.name, "compare"), long: true }, { title: "trials", of: (row) => shortNumber(row.trials), number: true },
    { title: "complete", of: (row) => shortNumber(row.complete), number: true }, { title: "steps run", of: (row) => shortNumber(row.steps_executed), number: true },
    { title: "saved", of: (row) => shortNumber(row.steps_saved), number: true }, { title: "device time", of: (row) => seconds(row.device_seconds), number: true },
    { title: `best ${data.metric}`, of: (row) => shortNumber(row.best), number: true },
    { title: "of trial", of: (row) => row.best_trial === null ? "" : String(row.best_trial), link: (row) => row.best_trial === null ? null : href(row.name, "trial", row.best_trial), number: true }];
  const left = data.of_names > data.names.length ? ` Of ${shortNumber(data.of_names)} studies the first ${shortNumber(data.names.length)} can be chosen here; the address takes any (with=NAME).` : "";
  return [[controls, note(told ? `The best ${data.metric} of complete trials, and of those that came furthest where a call did not end. A trial counts from the last step or evaluation on its way that its study paid for: what other studies had run is there from the beginning.${left}` : `No trial is complete yet.${left}`),
    ...drawn.map((each) => each.holder), table(columns, data.studies, `studies by their best ${data.metric} (${data.mode})`), ...(told ? [command("plot", "best-values", study, ...beside.flatMap((name) => ["--beside", name]), "--over", over)] : [])], drawn];
}
