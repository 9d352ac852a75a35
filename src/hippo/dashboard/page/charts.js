// Options of charts, from the data of a view. Colours are those of Okabe and Ito (2008), distinguishable to all.

export const BLUE = "#0072B2", SKY = "#56B4E9", GREEN = "#009E73", ORANGE = "#E69F00", VERMILION = "#D55E00", GREY = "#8a939b";
export const SERIES = [BLUE, VERMILION, GREEN, ORANGE, SKY, "#CC79A7", GREY];
// viridis, from small to large; its lightest part is darker here, for a white page, and its darkest lighter on a dark one
const SCALE = ["#440154", "#3b528b", "#21918c", "#4db654", "#d4b106"];
const DARK_SCALE = ["#8d6fd1", "#5f86c4", "#2aa59b", "#5ec962", "#fde725"];
// above a picture: room for its legend, and below that for the name of what goes up
export const TOP = 56;

// of very many points each colour is one drawing, of squares: below 4 pixels they are filled without a path, of which
// ten thousand took a fifth of a second
const COLOURS = 24, MANY = 2000, TINY = 3.5;
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// the colour of a share of the scale, 0 to 1
export function shade(scale, share) {
  const place = Math.min(0.9999, Math.max(0, share)) * (scale.length - 1), at = Math.floor(place);
  const [one, other] = [channels(scale[at]), channels(scale[at + 1])];
  return `rgb(${one.map((value, each) => Math.round(value + (place - at) * (other[each] - value))).join(",")})`;
}

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
export const scaleNow = () => isDark() ? DARK_SCALE : SCALE;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function common() {
  const axis = { axisLine: { lineStyle: { color: colour("--faint") } }, axisLabel: { color: colour("--faint"), hideOverlap: true },
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
const THIN = 1.5, THICKER = 1.6;
const thickness = (trials) => Math.min(9, THIN + THICKER * Math.floor(Math.log2(Math.max(1, trials))));
// as many lines as trials go along one of this thickness, at least
const lineRoom = (width) => 2 ** Math.max(0, Math.floor((width - THIN) / THICKER));

const saidOfNode = (metric) => (node) => [
  `steps ${node.start} to ${node.stop}${node.member ? `, ${node.member}` : ""}`,
  node.said, node.far, `${node.trials} trial${node.trials === 1 ? "" : "s"}, the first is ${node.first}`,
  node.metric === null ? null : `${metric} ${Number(node.metric.toPrecision(5))}`];

// Lines of a tree by their thickness, all of one thickness at once: ten thousand shapes take a browser a second.
let areWaysKnown = false;
function learnWays() {
  if (areWaysKnown) return;
  areWaysKnown = true;
  echarts.graphic.registerShape("hippoWays", echarts.graphic.extendShape({ shape: { ways: [] },
    buildPath: (to, { ways }) => ways.forEach(([x1, y1, x2, y2]) => { to.moveTo(x1, y1); to.lineTo(x2, y2); }) }));
}

// [[width, colour, dashes], ways]
function waysOf(nodes, isByState) {
  const found = new Map();
  const add = (style, way) => { const key = style.join(); if (!found.has(key)) found.set(key, [style, []]); found.get(key)[1].push(way); };
  nodes.forEach((node) => {
    const width = thickness(node.trials);
    if (isByState) node.stretches.forEach(({ start, stop, kind }) => add([width, kind.shade, kind.dash], [start, node.line, stop, node.line]));
    else add([width, GREY, null], [node.start, node.line, node.stop, node.line]);
    if (node.from !== null && node.from !== node.line) add([1, GREY, null], [node.start, node.from, node.start, node.line]);
  });
  return [...found.values()];
}

function waysSeries(nodes, ways, more = {}) {
  const lines = nodes.map((node) => node.line), stops = nodes.map((node) => node.stop);
  // each item lies where all of the tree does, so that no zoom leaves it out
  const whole = [0, Math.max(...lines, ...nodes.map((node) => node.from ?? 0)), 0, Math.max(...stops)];
  learnWays();
  return { type: "custom", name: "ways", silent: true, clip: true, encode: { y: [0, 1], x: [2, 3] }, data: ways.map(() => whole), ...more,
    renderItem: ({ dataIndex }, api) => {
      const [x0, y0] = api.coord([0, 0]), [x1, y1] = api.coord([1, 1]), [[width, shade, dash], own] = ways[dataIndex];
      // no thicker than there is room, or lines are one block: below one that many trials share lie the lines of these. A zoom makes room
      const thin = Math.min(width, Math.max(0.5, 0.7 * (y1 - y0) * lineRoom(width)));
      const at = ([fromX, fromY, toX, toY]) => [x0 + fromX * (x1 - x0), y0 + fromY * (y1 - y0), x0 + toX * (x1 - x0), y0 + toY * (y1 - y0)];
      return { type: "hippoWays", shape: { ways: own.map(at) }, style: { stroke: shade, lineWidth: more.isBand ? width : thin, lineDash: dash, fill: null, opacity: more.opacity ?? 1 }, silent: true };
    } };
}

// a band behind the lines, down to where the next line begins
const LONGEST = "longest chain that remains";
function longestSeries(nodes, longest) {
  const ways = longest.flatMap(([start, line, stop], at) => [[start, line, stop, line], ...(at && longest[at - 1][1] !== line ? [[start, longest[at - 1][1], start, line]] : [])]);
  return ways.length ? [waysSeries(nodes, [[[15, ORANGE, null], ways]], { name: LONGEST, z: 1, opacity: 0.55, isBand: true, itemStyle: { color: ORANGE, opacity: 0.55 } })] : [];
}

// of a line that stands for several branches, how many: beside its end, and above it where the picture ends
const countLabels = { label: { show: false }, labelLayout: { hideOverlap: true } };
const counted = (node) => node.folded ? { label: { show: true, position: node.isFar ? "top" : "right", color: colour("--faint"), formatter: () => `${node.folded} branches` } } : {};

// Ends of lines as large as there is room for: those of lines that are a pixel apart would hide each other's colours.
const ROOMY = 9;
const sizeOf = (linePx) => Math.max(5, Math.min(ROOMY, Math.floor(linePx ?? ROOMY)));

// Ends by how far they are: a series for each kind of which there is an end or a part of a line, so that the legend names it.
function kindsSeries(nodes, said, size) {
  const ends = new Map(), isMany = nodes.length > MANY;
  nodes.forEach((node) => [node, ...node.stretches].forEach(({ kind }) => { if (!ends.has(kind)) ends.set(kind, []); }));
  nodes.forEach((node) => ends.get(node.kind).push(node));
  return [...ends].sort(([one], [other]) => one.place - other.place).map(([kind, own]) => ({ type: "scatter", name: kind.title, z: 4, own,
    itemStyle: { color: kind.isHollow && !isMany ? colour("--paper") : kind.shade, borderColor: kind.shade, borderWidth: kind.isHollow && !isMany ? 2 : 0, opacity: 1 },
    ...(isMany ? { symbol: "rect", symbolSize: TINY, large: true, largeThreshold: 0 } : { symbol: kind.symbol, symbolSize: size + 1, ...countLabels }),
    data: own.map((node) => isMany ? [node.stop, node.line] : { value: [node.stop, node.line], node, ...counted(node) }),
    tooltip: { formatter: ({ dataIndex }) => said(own[dataIndex]).filter(Boolean).join("\n") } }));
}

// Points: each an element of its own that is coloured by the scale beside it; of very many, those of one colour together.
function pointsSeries(nodes, low, high, said, label, size) {
  const ring = { borderColor: colour("--faint"), borderWidth: size < ROOMY ? 0 : 1, opacity: 1 };
  if (nodes.length <= MANY) {
    return [{ type: "scatter", name: "nodes", symbolSize: size, z: 4, itemStyle: { color: GREY, ...ring }, ...countLabels,
      label: { show: label !== null && nodes.length <= MOST_LABELS, position: "right", color: colour("--faint"), formatter: ({ data: { node } }) => label?.(node) },
      data: nodes.map((node) => ({ value: [node.stop, node.line, node.metric === null ? "-" : node.metric], node, ...counted(node) })),
      tooltip: { formatter: ({ data: { node } }) => said(node).filter(Boolean).join("\n") } }];
  }
  const groups = new Map(), scale = scaleNow();
  nodes.forEach((node) => {
    const share = node.metric === null ? null : Math.min(COLOURS - 1, Math.floor(COLOURS * (node.metric - low) / ((high - low) || 1)));
    if (!groups.has(share)) groups.set(share, []);
    groups.get(share).push(node);
  });
  return [{ type: "scatter", name: "nodes", data: [] }, ...[...groups].map(([share, own]) => ({ type: "scatter", name: `nodes ${share}`, symbol: "rect", symbolSize: TINY, z: 4, large: true, largeThreshold: 0,
    itemStyle: { opacity: 1, color: share === null ? GREY : shade(scale, (share + 0.5) / COLOURS) }, own,
    data: own.map((node) => [node.stop, node.line]), tooltip: { formatter: ({ dataIndex }) => said(own[dataIndex]).filter(Boolean).join("\n") } }))];
}

export function treeChart(data, said = saidOfNode(data.metric), label = null) {
  const { axis, base } = common();
  const values = data.nodes.map((node) => node.metric).filter((value) => value !== null);
  const low = values.length ? values.reduce((one, other) => Math.min(one, other)) : 0, high = values.length ? values.reduce((one, other) => Math.max(one, other)) : 0;
  const nodes = data.nodes, isByMetric = !data.isByState && values.length > 0, longest = longestSeries(nodes, data.longest ?? []);
  const size = sizeOf(data.linePx), points = data.isByState ? kindsSeries(nodes, said, size) : pointsSeries(nodes, low, high, said, label, size);
  const named = [...(data.isByState ? points : []), ...longest].map((each) => each.name);
  return {
    ...base,
    grid: { left: 20, right: isByMetric ? 90 : 30, top: named.length ? TOP : 16, bottom: 46 }, legend: named.length ? { ...base.legend, data: named } : { show: false },
    xAxis: { ...axis, axisLine: { ...axis.axisLine, onZero: false }, type: "value", name: "step", nameLocation: "middle", nameGap: 28, min: 0, max: Math.max(1, data.width) },
    yAxis: { type: "value", inverse: true, min: -0.5, max: data.height - 0.5, show: false },
    dataZoom: zooms(),
    visualMap: isByMetric ? { type: "continuous", seriesIndex: 1, dimension: 2, min: low, max: high === low ? low + 1 : high,
      right: 0, top: "middle", inRange: { color: scaleNow() }, outOfRange: { color: GREY }, textStyle: { color: colour("--ink") }, text: [data.metric, ""],
      calculable: false, hoverLink: false, precision: 4, itemHeight: 110 } : undefined,
    tooltip: { ...base.tooltip, trigger: "item" },
    series: [
      waysSeries(nodes, waysOf(nodes, data.isByState)), ...points, ...longest,
      { type: "scatter", name: "states kept", z: 3, itemStyle: { color: ORANGE, opacity: 1 },
        ...(nodes.length > MANY ? { symbol: "rect", symbolSize: TINY, large: true, largeThreshold: 0 } : { symbol: "diamond", symbolSize: size + 4 }),
        data: nodes.flatMap((node) => node.kept.map((step) => [step, node.line])),
        tooltip: { formatter: ({ value }) => `state after step ${value[0]} is kept` } },
    ],
  };
}

// which node a click on a tree's point means
export const clickedNode = (option, { seriesIndex, dataIndex, data }) => data?.node ?? option.series[seriesIndex].own?.[dataIndex] ?? null;

export function schedulesChart(data, name) {
  const { axis, base } = common();
  const own = data.schedules.filter((each) => each.name === name);
  const isText = own.some((each) => each.points.some(([, value]) => typeof value === "string"));
  const ways = [...new Set(own.map((each) => each.written))]; // one of two lengths has one name, and so one colour
  const shadeOf = (each) => SERIES[ways.indexOf(each.written) % SERIES.length];
  return { ...base, grid: { left: 70, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    legend: ways.length <= 8 ? base.legend : { show: false },
    xAxis: { ...axis, type: "value", name: "step", nameLocation: "middle", nameGap: 28 },
    yAxis: { ...axis, type: isText ? "category" : "value", name, scale: true },
    series: own.map((each) => ({ type: "line", step: "end", name: each.written, showSymbol: false,
      lineStyle: { width: 2, color: shadeOf(each) }, itemStyle: { color: shadeOf(each) },
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
  return { ...base, grid: { left: 60, right: 20, top: TOP, bottom: 46 }, tooltip: { ...base.tooltip, trigger: "item" },
    xAxis: { ...axis, type: "category", name: "asked as far as step", nameLocation: "middle", nameGap: 28,
      data: data.rungs.map((rung) => calls > 1 ? `${rung.step} (call ${rung.call})` : String(rung.step)) },
    yAxis: { ...axis, type: "value", name: "trials", minInterval: 1 },
    series: groups.filter(([name]) => data.rungs.some((rung) => rung[name])).map(([name, shade]) => ({ type: "bar", stack: "all", name,
      itemStyle: { color: shade }, data: data.rungs.map((rung) => rung[name]),
      tooltip: { formatter: ({ dataIndex, value }) => `step ${data.rungs[dataIndex].step}: ${value} ${name}` } })) };
}
