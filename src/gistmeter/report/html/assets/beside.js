// One row per item, a column per system: what should have been, and what each made of it.
const FEW = 8, MOST_COLUMNS = 6;

function rowsByItem(data) {
  const found = new Map();
  for (const item of data.items) {
    const name = item.i + "\n" + item.g + (item.n ? "\n" + item.n : "");
    if (!found.has(name)) found.set(name, { name, first: item, own: new Map() });
    found.get(name).own.set(item.s, item);
  }
  return [...found.values()];
}

// What the system itself said is the first block: a note where it said nothing.
const ownOf = (item) => item.b.find((block) => !block.asked) || {};  // after what it was asked
const bodyOf = (item) => ownOf(item).k === "text" ? ownOf(item) : null;
const noteOf = (item) => ownOf(item).k === "note" ? ownOf(item).x : "";
const questionOf = (item) => item.b.filter((block) => block.asked && block.k === "text").map((block) => block.s.map((part) => part[0]).join("")).join("\n");
const sameWords = (one, two) => JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(two));

function beside(place, key) {
  const data = sections[key];
  const systems = data.ranked.slice(0, MOST_COLUMNS);
  const rows = rowsByItem(data);
  const state = { shown: FEW };
  const score = make("select", { "aria-label": "Score" });
  const order = make("select", { "aria-label": "Order" });
  const show = make("select", { "aria-label": "Which items" });
  data.columns.forEach((column, at) => score.append(make("option", { value: at }, column.words ? column.words + " (" + column.name + ")" : column.name)));
  for (const [select, options] of [[order, [["gap", "largest difference first"], ["worst", "worst first"], ["id", "by name"]]], [show, [["", "all items"], ["differ", "where systems differ"], ["none", "unscored"]]]])
    for (const [value, text] of options) select.append(make("option", { value }, text));
  const facets = (data.facets || []).map(([name, values]) => {
    const select = make("select", { "aria-label": name + ", side by side" });
    options(select, "all", values);
    return [name, select];
  });
  const count = make("p", { class: "count", role: "status" });
  const body = make("tbody");
  const more = make("button", { type: "button", class: "more-button" }, "Show more");
  const hasReference = Object.keys(data.references).length > 0;
  const heads = ["item", ...(hasReference ? ["what should be"] : [])].map((name) => make("th", { scope: "col" }, name));
  place.append(make("div", { class: "controls" }, make("label", {}, "By", score), make("label", {}, "Order", order), ...facets.map(([name, select]) => make("label", {}, name, select)), make("label", {}, "Show", show), count),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Systems side by side" }, make("table", {},
      make("thead", {}, make("tr", {}, heads, systems.map((name) => make("th", { scope: "col", dir: "auto", class: "top-line s" + data.colours[data.systems.indexOf(name)] }, name)))), body)), more);

  function cell(row, name, at, all) {
    const item = row.own.get(name);
    if (!item) return make("td", { class: "faint", "data-system": name }, "–");
    const block = bodyOf(item);
    const earlier = block && systems.slice(0, systems.indexOf(name)).find((other) => row.own.has(other) && sameWords(row.own.get(other), item));
    const text = earlier ? make("span", { class: "faint" }, "= " + earlier)
      : make("span", { class: noteOf(item) ? "clip faint" : "clip", dir: "auto", lang: item.l || null }, block ? marks(block) : noteOf(item) || item.x);
    return make("td", { "data-system": name }, make("button", { type: "button", class: "open", onclick: () => drill(key, item, all) },
      make("b", { class: item.v[at] === null ? "faint" : "" }, number(item.v[at], data.columns[at].unit)), text));
  }

  function update() {
    const at = Number(score.value);
    for (const row of rows) {
      const known = [...row.own.values()].map((item) => item.v[at]).filter((value) => value !== null);
      row.missing = known.length < row.own.size;
      row.gap = known.length > 1 ? Math.max(...known) - Math.min(...known) : -1;
      row.worst = known.length ? (data.columns[at].lower ? -Math.max(...known) : Math.min(...known)) : Infinity;
    }
    const kept = rows.filter((row) => facets.every(([, select], at) => !select.value || row.first.c[at] === select.value)).filter((row) => show.value === "differ" ? row.gap > 0 : show.value === "none" ? row.missing : true);
    const by = { gap: (a, b) => b.gap - a.gap, worst: (a, b) => a.worst - b.worst, id: (a, b) => a.name < b.name ? -1 : 1 }[order.value];
    kept.sort((a, b) => by(a, b) || a.first.at - b.first.at);
    const all = kept.flatMap((row) => systems.map((name) => row.own.get(name)).filter(Boolean));
    body.replaceChildren(...kept.slice(0, state.shown).map((row) => make("tr", {},
      make("th", { scope: "row", dir: "auto", lang: row.first.l || null }, row.first.i + (row.first.n ? " · " + row.first.n : ""), row.first.g && row.first.g !== row.first.i ? make("small", { class: "faint" }, row.first.g) : null,
        row.gap > 0 ? make("small", { class: "faint" }, "difference " + number(row.gap, data.columns[at].unit)) : null),
      hasReference ? make("td", { class: "reference" }, questionOf(row.first) ? make("small", { class: "clip question", dir: "auto", lang: row.first.l || null }, questionOf(row.first)) : null, make("span", { class: "clip", dir: "auto", lang: row.first.l || null }, data.references[row.first.i + "\n" + row.first.g] || "")) : null,
      systems.map((name) => cell(row, name, at, all)))));
    count.textContent = kept.length + " of " + rows.length + (rows.some((row) => row.first.n) ? " answers" : " items") + (systems.length < data.systems.length ? ", the best " + systems.length + " systems" : "");
    more.hidden = kept.length <= state.shown;
  }
  for (const select of [score, order, show, ...facets.map(([, select]) => select)]) select.addEventListener("change", () => { state.shown = FEW; update(); });
  more.addEventListener("click", () => { state.shown += PAGE; update(); });
  update();
}
