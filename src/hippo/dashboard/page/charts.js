// Options of charts, from the data of a view. Colours are those of Okabe and Ito (2008), distinguishable to all.

export const BLUE = "#0072B2", SKY = "#56B4E9", GREEN = "#009E73", ORANGE = "#E69F00", VERMILION = "#D55E00", GREY = "#8a939b";
const SERIES = [BLUE, VERMILION, GREEN, ORANGE, SKY, "#CC79A7", GREY];
// viridis, from small to large
export const SCALE = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function common() {
  const axis = { axisLine: { lineStyle: { color: colour("--faint") } }, axisLabel: { color: colour("--faint") },
    splitLine: { lineStyle: { color: colour("--line"), opacity: 0.5 } }, nameTextStyle: { color: colour("--faint") } };
  return {
    axis,
    base: {
      animation: false, backgroundColor: "transparent", textStyle: { color: colour("--ink"), fontFamily: "system-ui, sans-serif" },
      // drawn on the canvas, as text: nothing that a user wrote becomes markup
      tooltip: { renderMode: "richText", backgroundColor: colour("--soft"), borderColor: colour("--line"),
        textStyle: { color: colour("--ink"), fontSize: 12 }, confine: true },
      legend: { textStyle: { color: colour("--ink") }, top: 0, type: "scroll" },
      stateAnimation: { duration: still() ? 0 : 200 },
    },
  };
}

// what lies only in part within what is zoomed to is drawn, too
export const zooms = () => [{ type: "inside", xAxisIndex: 0, filterMode: "weakFilter" },
  { type: "inside", yAxisIndex: 0, zoomOnMouseWheel: "shift", filterMode: "weakFilter" }];

const MOST_LABELS = 80;
const thickness = (trials) => Math.min(9, 1.5 + 1.6 * Math.floor(Math.log2(Math.max(1, trials))));

const saidOfNode = (metric) => (node) => [
  `steps ${node.start} to ${node.stop}${node.member ? `, ${node.member}` : ""}`,
  node.said, `${node.trials} trial${node.trials === 1 ? "" : "s"}, the first is ${node.first}`,
  node.metric === null ? null : `${metric} ${Number(node.metric.toPrecision(5))}`];

export function treeChart(data, said = saidOfNode(data.metric), label = null) {
  const { axis, base } = common();
  const values = data.nodes.map((node) => node.metric).filter((value) => value !== null);
  const low = Math.min(...values), high = Math.max(...values);
  const nodes = data.nodes;
  const grey = GREY;
  return {
    ...base,
    grid: { left: 20, right: values.length ? 90 : 30, top: 16, bottom: 46 }, legend: { show: false },
    xAxis: { ...axis, axisLine: { ...axis.axisLine, onZero: false }, type: "value", name: "step", nameLocation: "middle", nameGap: 28, min: 0, max: Math.max(1, data.width) },
    yAxis: { type: "value", inverse: true, min: -0.5, max: data.height - 0.5, show: false },
    dataZoom: zooms(),
    visualMap: values.length ? { type: "continuous", seriesIndex: 1, dimension: 2, min: low, max: high === low ? low + 1 : high,
      right: 0, top: "middle", inRange: { color: SCALE }, outOfRange: { color: GREY }, textStyle: { color: colour("--ink") }, text: [data.metric, ""],
      calculable: false, precision: 4, itemHeight: 110 } : undefined,
    tooltip: { ...base.tooltip, trigger: "item" },
    series: [
      { type: "custom", name: "ways", silent: true, clip: true, encode: { x: [1, 2], y: 0 },
        data: nodes.map((node) => [node.line, node.start, node.stop, node.from === null ? node.line : node.from, node.trials]),
        renderItem: (_, api) => {
          const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
          const above = api.coord([api.value(1), api.value(3)]);
          const children = [{ type: "line", shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] },
            style: { stroke: grey, lineWidth: thickness(api.value(4)) } }];
          if (api.value(3) !== api.value(0)) {
            children.push({ type: "line", shape: { x1: from[0], y1: above[1], x2: from[0], y2: from[1] },
              style: { stroke: grey, lineWidth: 1 } });
          }
          return { type: "group", children };
        } },
      { type: "scatter", name: "nodes", symbolSize: 9, z: 4, itemStyle: { color: grey, opacity: 1 },
        label: { show: label !== null && nodes.length <= MOST_LABELS, position: "right", color: colour("--faint"), formatter: ({ data: { node } }) => label?.(node) },
        data: nodes.map((node) => ({ value: [node.stop, node.line, node.metric === null ? "-" : node.metric], node })),
        tooltip: { formatter: ({ data: { node } }) => said(node).filter(Boolean).join("\n") } },
      { type: "scatter", name: "states kept", symbol: "diamond", symbolSize: 13, z: 3, itemStyle: { color: ORANGE, opacity: 1 },
        data: nodes.flatMap((node) => node.kept.map((step) => [step, node.line])),
        tooltip: { formatter: ({ value }) => `state after step ${value[0]} is kept` } },
    ],
  };
}

export function curvesChart(data, isLog) {
  const { axis, base } = common();
  const fits = (value) => value !== null && (!isLog || value > 0);
  const drawn = data.curves.map((curve) => ({
    type: "line", name: curve.is_best ? `trial ${data.best}, the best` : "all others", showSymbol: curve.points.length < 3,
    symbolSize: 4, z: curve.is_best ? 3 : 2, emphasis: { disabled: true },
    lineStyle: { width: curve.is_best ? 3 : 1.3, color: curve.is_best ? VERMILION : GREY, opacity: curve.is_best ? 1 : 0.7 },
    itemStyle: { color: curve.is_best ? VERMILION : GREY },
    data: curve.points.map(([step, value]) => [step, fits(value) ? value : null]),
    tooltip: { formatter: ({ value }) => `step ${value[0]}: ${Number(value[1].toPrecision(5))}\n${curve.trials} trial${curve.trials === 1 ? "" : "s"}, the first is ${curve.first}` },
  }));
  return { ...base, grid: { left: 70, right: 20, top: 36, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    legend: { ...base.legend, data: [...new Set(drawn.map((each) => each.name))] },
    xAxis: { ...axis, type: "value", name: "step", nameLocation: "middle", nameGap: 28 },
    yAxis: { ...axis, type: isLog ? "log" : "value", name: data.metric, scale: true }, dataZoom: [{ type: "inside" }], series: drawn };
}

export function schedulesChart(data, name) {
  const { axis, base } = common();
  const own = data.schedules.filter((each) => each.name === name);
  const isText = own.some((each) => each.points.some(([, value]) => typeof value === "string"));
  return { ...base, grid: { left: 70, right: 20, top: 36, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    legend: own.length <= 8 ? base.legend : { show: false },
    xAxis: { ...axis, type: "value", name: "step", nameLocation: "middle", nameGap: 28 },
    yAxis: { ...axis, type: isText ? "category" : "value", name, scale: true },
    series: own.map((each, number) => ({ type: "line", step: "end", name: each.written, showSymbol: false,
      lineStyle: { width: 2, color: SERIES[number % SERIES.length] }, itemStyle: { color: SERIES[number % SERIES.length] },
      data: each.points, triggerLineEvent: true,
      tooltip: { formatter: () => `${each.written}\n${each.trials.length} trial${each.trials.length === 1 ? "" : "s"}, the first is ${each.trials[0]}` } })) };
}

export function savingsChart(data) {
  const { axis, base } = common();
  const again = Object.values(data.repeated).reduce((sum, count) => sum + count, 0);
  const parts = [["run for this study", data.executed, BLUE], ["saved: had already, or shared", Math.max(0, data.saved), GREEN],
    ["not had yet", data.to_come, GREY], ["run again", again, VERMILION], ["as a check, or ahead of time", data.checked + data.speculative, "#F0E442"]];
  return { ...base, grid: { left: 20, right: 30, top: 60, bottom: 40 }, xAxis: { ...axis, type: "value", name: "steps", nameLocation: "middle", nameGap: 26 },
    yAxis: { type: "category", data: ["steps"], show: false }, tooltip: { ...base.tooltip, trigger: "item" },
    series: parts.filter(([, count]) => count).map(([name, count, shade]) => ({ type: "bar", stack: "all", name, barWidth: 46,
      data: [count], itemStyle: { color: shade }, tooltip: { formatter: () => `${name}: ${count.toLocaleString("en")} steps` } })) };
}

export function rungsChart(data) {
  const { axis, base } = common();
  const groups = [["went on", BLUE], ["complete", GREEN], ["stopped here", GREY], ["running, or waiting", ORANGE], ["failed", VERMILION]];
  const calls = new Set(data.rungs.map((rung) => rung.call)).size;
  return { ...base, grid: { left: 60, right: 20, top: 40, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "category", name: "asked as far as step", nameLocation: "middle", nameGap: 28,
      data: data.rungs.map((rung) => calls > 1 ? `${rung.step} (call ${rung.call})` : String(rung.step)) },
    yAxis: { ...axis, type: "value", name: "trials", minInterval: 1 },
    series: groups.filter(([name]) => data.rungs.some((rung) => rung[name])).map(([name, shade]) => ({ type: "bar", stack: "all", name,
      itemStyle: { color: shade }, data: data.rungs.map((rung) => rung[name]),
      tooltip: { formatter: ({ dataIndex, value }) => `step ${data.rungs[dataIndex].step}: ${value} ${name}` } })) };
}
