// What each slot did when.

import { GREEN, GREY, SKY, VERMILION, common, zooms } from "./charts.js";
import { ask, chart, command, heading } from "./frame.js";
import { behind, seconds, shortNumber, table } from "./parts.js";

// as the server numbers them
const KINDS = [["lost with its slot", VERMILION], ["running", GREEN], ["another study's", GREY], ["this study's", SKY]];
const UNKNOWN = "began; nobody saw its end";
const HEIGHT = 0.8;

// which part of a row a lane fills, from its top
function strip(api) {
  const [, middle] = api.coord([0, api.value(0)]), [, row] = api.size([0, 1]);
  const lanes = api.value(4), each = row * HEIGHT / lanes;
  return { y: middle - row * HEIGHT / 2 + each * api.value(3), height: Math.max(1, each - (lanes > 1 ? 0.5 : 0)) };
}

function slotsChart(data) {
  const { axis, base } = common();
  const [unit, unitSeconds] = [["days", 86400], ["hours", 3600], ["minutes", 60]].find(([, long]) => data.span_s >= 3 * long) || ["seconds", 1];
  const bars = data.slot.map((slot, at) => ({ slot, at, kind: data.kind[at], from: data.began_s[at], to: data.ended_s[at] }));
  const value = (bar) => [bar.slot, bar.from / unitSeconds, (bar.to ?? bar.from) / unitSeconds, data.lane[bar.at], data.lanes[bar.at], bar.at];
  const said = ({ value: [slot, from, to, , , at] }) => [
    `${data.slots[slot].slot}: lease ${data.lease[at]}${data.member[at] ? ` of ${data.member[at]}` : ""}, ${data.state[at]}`,
    data.lanes[at] > 1 ? `lane ${data.lane[at] + 1} of ${data.lanes[at]}` : null,
    data.width[at] > 1 ? `one of ${data.width[at]} slots` : null, data.said[at],
    data.ended_s[at] === null ? `from ${shortNumber(from)} ${unit}` : `${seconds(data.ended_s[at] - data.began_s[at])}, from ${shortNumber(from)} to ${shortNumber(to)} ${unit}`,
  ].filter(Boolean).join("\n");
  const drawn = KINDS.map(([name, shade], kind) => ({
    type: "custom", name, clip: true, encode: { x: [1, 2], y: 0 }, itemStyle: { color: shade }, tooltip: { formatter: said },
    data: bars.filter((bar) => bar.kind === kind && bar.to !== null).map(value),
    renderItem: (_, api) => {
      const [from] = api.coord([api.value(1), 0]), [to] = api.coord([api.value(2), 0]), { y, height } = strip(api);
      return { type: "rect", shape: { x: from, y, width: Math.max(1, to - from - 0.5), height }, style: { fill: shade } };
    },
  })).filter((each) => each.data.length);
  const unknown = bars.filter((bar) => bar.to === null).map(value);
  if (unknown.length) {
    drawn.push({ type: "custom", name: UNKNOWN, clip: true, encode: { x: 1, y: 0 }, itemStyle: { color: VERMILION }, data: unknown, tooltip: { formatter: said },
      renderItem: (_, api) => {
        const [x] = api.coord([api.value(1), 0]), { y, height } = strip(api);
        return { type: "polygon", shape: { points: [[x, y], [x + 7, y + height / 2], [x, y + height]] }, style: { fill: VERMILION } };
      } });
  }
  return { ...base, grid: { left: 10, right: 20, top: 36, bottom: 46, containLabel: true }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "value", name: `${unit} since ${new Date(data.began_at * 1000).toLocaleString()}`, nameLocation: "middle", nameGap: 28,
      min: data.from_s / unitSeconds, max: Math.max(data.span_s, 1e-3) / unitSeconds, axisLabel: { ...axis.axisLabel, formatter: shortNumber, showMaxLabel: false } },
    yAxis: { ...axis, type: "category", inverse: true, data: data.slots.map((each) => each.slot), splitLine: { show: false } },
    dataZoom: zooms(), series: drawn };
}

export async function showSlots({ study }) {
  const data = await ask("slots", { study });
  if (!data.slots.length) return [[...heading(study, "No slot was given any work yet."), command("plot", "slots", study)], []];
  const busy = data.slots.reduce((sum, each) => sum + each.busy_s, 0), present = data.slots.reduce((sum, each) => sum + each.present_s, 0);
  const drawn = chart(slotsChart(data), `what each of ${data.slots.length} slots did when`, Math.min(1400, 110 + 34 * Math.max(3, data.slots.length)));
  const columns = [{ title: "slot", of: (row) => row.slot }, { title: "leases", of: (row) => shortNumber(row.leases), number: true },
    { title: "lost", of: (row) => shortNumber(row.lost), number: true }, { title: "at work", of: (row) => seconds(row.busy_s), number: true },
    { title: "idle in between", of: (row) => seconds(row.idle_s), number: true },
    { title: "at work, share", of: (row) => row.present_s ? `${(100 * row.busy_s / row.present_s).toFixed(0)} %` : "", number: true }];
  const left = data.of > data.slot.length ? ` The last ${shortNumber(data.slot.length)} of ${shortNumber(data.of)} bars are drawn.` : "";
  const unknown = data.unknown ? ` Of ${shortNumber(data.unknown)} leases nobody saw the end: their process was killed, or an older hippo did not write it down.` : "";
  const share = present ? `While it was there, a slot was at work ${(100 * busy / present).toFixed(0)} % of the time. ` : "";
  return [[...heading(study, `${share}A row for each slot, a bar for each lease; lanes that are walked together lie above one another. Scroll to zoom.${left}${unknown}`),
    drawn.holder, behind("the same as a table", () => table(columns, data.slots, "slots")), command("plot", "slots", study)], [drawn]];
}
