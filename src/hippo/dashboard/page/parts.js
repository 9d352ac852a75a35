// Pieces of the page. Text of users is only ever set as text: nothing here makes markup from a string.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export const shortNumber = (value) =>
  value === null || value === undefined ? "" : typeof value !== "number" ? String(value)
    : Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(5)).toString();

export function seconds(value) {
  if (value < 120) return `${shortNumber(Number(value.toPrecision(3)))} s`;
  if (value < 7200) return `${(value / 60).toFixed(1)} min`;
  return `${(value / 3600).toFixed(1)} h`;
}

export function bytes(value) {
  const at = value < 1000 ? 0 : Math.min(5, Math.floor(Math.log10(value) / 3));
  return `${shortNumber(Number((value / 1000 ** at).toPrecision(3)))} ${["bytes", "kB", "MB", "GB", "TB", "PB"][at]}`;
}

// columns: [{title, of: row -> text, number?, long?, link?: row -> href or null, sort?: () -> void}]
export function table(columns, rows, caption) {
  const head = columns.map((column) => element("th", { scope: "col", class: column.number ? "number" : null },
    column.sort ? element("button", { onclick: column.sort }, column.title) : column.title));
  const body = rows.map((row) => element("tr", {}, columns.map((column) => {
    const text = column.of(row), to = column.link ? column.link(row) : null;
    const shown = to === null ? text : element("a", { href: to }, text);
    return element("td", { class: column.number ? "number" : column.long ? "long" : null }, shown);
  })));
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", { class: "note" }, caption), element("thead", {}, element("tr", {}, head)),
      element("tbody", {}, body)));
}

// `content` makes what is behind it when that is looked at for the first time: a thousand rows cost more than a picture
export function behind(what, content) {
  const made = element("details", { ontoggle: () => { if (made.open && made.children.length === 1) made.append(content()); } }, element("summary", {}, what));
  return made;
}
// those that are open, by what they say and how many before them say the same; and the same ones again, once the page was drawn anew
function named(page) {
  const met = new Map();
  return [...page.querySelectorAll("details")].map((each) => {
    const what = each.firstChild.textContent, before = met.get(what) ?? 0;
    met.set(what, before + 1);
    return [`${before} ${what}`, each];
  });
}
export const openOnes = (page) => named(page).filter(([, each]) => each.open).map(([name]) => name);
export function reopen(page, opened) {
  for (const [name, each] of named(page)) {
    if (!opened.includes(name)) continue;
    each.open = true;
    each.dispatchEvent(new Event("toggle")); // the browser tells of it only later, when the page may have become shorter
  }
}
export function replaceWithin(part, children) {
  const opened = openOnes(part);
  part.replaceChildren(...children);
  reopen(part, opened);
}
// what stands in the place of a scale: the target, surrogates of it, or branches that were walked in a plan of their own
export function nameOfScale(scale) {
  if (scale === "1") return "the target";
  return scale.startsWith("branches") ? scale.replace(/ \([0-9a-f]+\)$/, "") : `surrogates at scale ${scale}`;
}
export const note = (...text) => element("p", { class: "note" }, ...text);
// a field with its label: on a narrow screen they go to the next line together
export const labelled = (id, label, field) => element("span", { class: "choice" }, element("label", { for: id }, label), field);
