// How far the studies of a list are, and how long they still take: only where that is known.

import { element, note, seconds, shortNumber } from "./parts.js";

function progress({ steps_executed: run, left }) {
  const all = Math.max(1, run + left.steps), text = `${shortNumber(run)} of ${shortNumber(all)} steps`;
  return element("span", {}, element("progress", { max: all, value: run, "aria-label": `steps that were run, of those asked for so far: ${text}` }), ` ${text}`);
}

const about = (value) => seconds(Number(value.toPrecision(2)));

function toGo({ left }) {
  if (left.seconds === null) return "no step was timed yet";
  const at = left.slots > 1 ? `, or ${about(left.seconds / left.slots)} with the ${left.slots} slots at work` : "";
  return `${left.may_ask_more ? "at least" : "about"} ${about(left.seconds)}${at}`;
}

// columns that are there only if a study is worked on, and some of it remains
export function leftColumns(studies) {
  if (!studies.some((row) => row.left)) return [];
  return [{ title: "progress", of: (row) => row.left ? progress(row) : "" }, { title: "device time to go", of: (row) => row.left ? toGo(row) : "" }];
}

export const saidOfColumns = (studies) => studies.some((row) => row.left)
  ? [note("Progress, and device time to go: of what trials are asked for so far. A tuner may ask for more.")] : [];
