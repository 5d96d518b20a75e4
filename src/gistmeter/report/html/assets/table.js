// The table of items: search, filter, sort, page by page.
const PAGE = 25;

function haystack(item) {
  if (item.hay === undefined) {
    const texts = item.b.flatMap((block) => block.k === "text" ? block.s.map((part) => part[0]) : []);
    item.hay = ["", item.i, item.g, item.s, item.x, ...(item.c || []), ...texts, ...(item.q || []), ""].join("\n").toLowerCase();
  }
  return item.hay;
}

// Words must all occur; `s_acc<0.5` compares a score; `deprel:obl>nmod` is one of the things that an item is found by, whole.
function parse(query, columns) {
  const tests = [];
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = /^([\w.@-]+)(<=|>=|<|>|=)(-?[\d.]+)$/.exec(word);
    const at = found ? columns.findIndex((column) => column.name.toLowerCase() === found[1]) : -1;
    if (at >= 0) {
      const limit = Number(found[3]);
      const compare = { "<": (v) => v < limit, ">": (v) => v > limit, "<=": (v) => v <= limit, ">=": (v) => v >= limit, "=": (v) => v === limit }[found[2]];
      tests.push((item) => item.v[at] !== null && compare(item.v[at]));
    } else tests.push((item) => haystack(item).includes(/:.+>/.test(word) ? "\n" + word + "\n" : word));
  }
  return tests;
}

function options(select, first, names) {
  select.append(make("option", { value: "" }, first));
  for (const name of names) select.append(make("option", { value: name }, name === "" ? "(none)" : name));
}

function itemsTable(place, key) {
  const data = sections[key];
  const state = { sort: data.sort, down: data.down, shown: PAGE };
  const search = make("input", { type: "search", placeholder: "words, or a score such as " + (data.columns[0] || { name: "score" }).name + "<0.5", "aria-label": "Search items" });
  const system = make("select", { "aria-label": "System" });
  const group = make("select", { "aria-label": "Group" });
  const scored = make("select", { "aria-label": "Scored or not" });
  options(system, "all systems", data.systems);
  options(group, "all groups", data.groups);
  for (const [value, text] of [["", "all items"], ["no", "unscored only"], ["yes", "scored only"], ["marked", "with my stars and notes"]]) scored.append(make("option", { value }, text));
  const facets = (data.facets || []).map(([name, values]) => {
    const select = make("select", { "aria-label": name });
    options(select, "all", values);
    return [name, select];
  });
  const count = make("p", { class: "count", role: "status" });
  const save = make("button", { type: "button", class: "save", onclick: () => exportMarks(key) }, "Save stars and notes");
  const controls = make("div", { class: "controls" },
    make("label", { class: "grow" }, "Search", search),
    data.systems.length > 1 ? make("label", {}, "System", system) : null,
    data.groups.length > 1 ? make("label", {}, "Group", group) : null,
    ...facets.map(([name, select]) => make("label", {}, name, select)),
    make("label", {}, "Show", scored), save, count);
  const head = make("tr");
  const body = make("tbody");
  const more = make("button", { type: "button", class: "more-button" }, "Show more");
  place.append(controls, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Items" },
    make("table", {}, make("thead", {}, head), body)), more);

  const fields = [["id", (item) => item.i + (item.n ? " · " + item.n : "")], ...(data.systems.length > 1 ? [["system", (item) => item.s]] : []),
    ...(data.groups.length > 1 ? [["group", (item) => item.g]] : []),
    ...data.columns.map((column, at) => [column.name, (item) => item.v[at], column, at])];
  const lead = fields.findIndex((field) => field[2]) + 1 || fields.length;  // the text stands after the first score
  const withText = (cells, text) => data.snippet ? [...cells.slice(0, lead), text, ...cells.slice(lead)] : cells;

  function choose() {
    const tests = parse(search.value, data.columns);
    const kept = data.items.filter((item) =>
      facets.every(([, select], at) => !select.value || item.c[at] === select.value) &&
      (!system.value || item.s === system.value) && (group.selectedIndex <= 0 || item.g === group.value) &&
      (!scored.value || (scored.value === "marked" ? markOf(key, item) !== undefined : (scored.value === "no") === (item.v[0] === null))) && tests.every((test) => test(item)));
    const field = fields.find(([name]) => name === state.sort);
    if (!field) return kept;
    const sign = state.down ? -1 : 1;
    const value = field[1];
    kept.sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === null || y === null) return (x === null) - (y === null) || a.at - b.at;
      return (typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true })) * sign || a.at - b.at;
    });
    return kept;
  }

  function row(item, kept) {
    const open = () => drill(key, item, kept);
    const cells = fields.map(([name, value, column, at]) => column
      ? make("td", { class: "number" + (item.v[at] === null ? " faint" : "") }, number(item.v[at], column.unit))
      : make("td", { class: name === "id" ? "id" : "key-cell", dir: "auto" }, make("span", { class: "clip" }, (name === "id" && (markOf(key, item) || {}).star ? "★ " : "") + value(item))));
    return make("tr", { tabindex: "0", "data-at": item.at, onclick: open, onkeydown: (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); }
      const next = event.key === "ArrowDown" ? event.currentTarget.nextElementSibling : event.key === "ArrowUp" ? event.currentTarget.previousElementSibling : null;
      if (next) { event.preventDefault(); next.focus(); }
    } }, withText(cells, make("td", { class: "snippet" }, make("span", { class: "clip", dir: "auto", lang: item.l || null }, item.x))));
  }

  function show() {
    const kept = choose();
    head.replaceChildren(...withText(fields.map(([name, , column]) => {
      const on = name === state.sort;
      const label = name + (on ? (state.down ? " ↓" : " ↑") : "");
      return make("th", { scope: "col", class: column ? "number" : "", "aria-sort": on ? (state.down ? "descending" : "ascending") : "none" },
        make("button", { type: "button", title: column && column.words || null, onclick: () => { state.down = on ? !state.down : false; state.sort = name; show(); } }, label));
    }), make("th", { scope: "col" }, data.snippet)));
    body.replaceChildren(...kept.slice(0, state.shown).map((item) => row(item, kept)));
    save.hidden = Object.keys(marksOf(key)).length === 0;
    count.textContent = kept.length === data.items.length ? kept.length + " shown here" : kept.length + " of " + data.items.length;
    more.hidden = kept.length <= state.shown;
    more.textContent = "Show " + Math.min(PAGE, kept.length - state.shown) + " more";
  }
  document.addEventListener("marked", (event) => { if (event.detail === key) show(); });
  const fresh = () => { state.shown = PAGE; show(); };
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(fresh, 120); });
  for (const control of [system, group, scored, ...facets.map(([, select]) => select)]) control.addEventListener("change", fresh);
  for (const finder of document.querySelectorAll(".finder")) if (finder.dataset.section === key) finder.addEventListener("click", () => {
    search.value = finder.dataset.query;
    system.value = finder.dataset.system;
    fresh();
    place.scrollIntoView();
  });
  more.addEventListener("click", () => { state.shown += PAGE; show(); });
  show();
}
