// One item opened: its blocks, the other systems on it, and the way to its neighbours.
const MARKS = {
  shared: "in both texts", positive: "positive word", negative: "negative word", negation: "negation",
  "not positive": "positive, turned round", "not negative": "negative, turned round", inserted: "inserted", deleted: "lost",
  alarm: "told otherwise",
};
const STYLE = { "not positive": "positive m-turned", "not negative": "negative m-turned" };
let opened = null;

function markClass(kind) { return kind ? "m-" + (STYLE[kind] || kind) : ""; }

function marks(block) {
  return block.s.map(([words, kind]) => kind === "deleted" ? make("del", { class: markClass(kind) }, words)
    : kind === "inserted" ? make("ins", { class: markClass(kind) }, words)
    : kind ? make("span", { class: markClass(kind), title: MARKS[kind] || kind }, words) : words);
}

const blocks = {
  text(block) {
    const used = [...new Set(block.s.map((part) => part[1]).filter(Boolean))];
    return [make("p", { class: "marked", dir: "auto", lang: block.l || null }, marks(block)),
    used.length ? make("ul", { class: "key" }, used.map((kind) => make("li", {}, make("span", { class: markClass(kind) }, "abc"), " " + (MARKS[kind] || kind)))) : null];
  },
  bars(block) {
    return make("div", { class: "bars" }, block.r.flatMap(([name, value, low, high, unit, lower]) => {
      const fill = make("div", { class: lower ? "fill lower" : "fill" });
      if (value !== null) fill.style.width = Math.max(0, Math.min(1, (value - low) / (high - low || 1))) * 100 + "%";
      return [make("span", {}, make("code", {}, name), lower ? make("span", { class: "faint", title: "lower is better" }, " ↓") : null), make("div", { class: "track", "aria-hidden": "true" }, fill), make("span", { class: "number" + (value === null ? " none" : "") }, number(value, unit))];
    }));
  },
  facts(block) {
    return make("div", { class: "facts" }, block.g.map(([title, kind, facts, all]) => make("section", { class: kind },
      make("h4", {}, title + " (" + (all ?? facts.length).toLocaleString("en") + ")"), make("ul", {}, facts.map((fact) => make("li", { dir: "auto" }, fact))))));
  },
  table(block) {
    return make("div", { class: "scroll plain-table", tabindex: "0" }, make("table", {},
      make("thead", {}, make("tr", {}, block.c.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, block.r.map((row) => make("tr", {}, row.map((cell) => {
        const off = Array.isArray(cell);
        const value = off ? cell[0] : cell;
        return make("td", { dir: "auto", class: (typeof value === "number" ? "number" : "") + (off ? " cell-off" : "") }, typeof value === "number" ? number(value) : value === null ? "–" : value);
      }))))));
  },
  note(block) { return make("p", { class: "faint" }, block.x); },
  heat(block) { return heat(block); },
  audio(block) { return make("audio", { controls: true, preload: "none", src: block.u }); },
  parallel(block, item) { return parallel(block, item.h, item.j); },
  map(block, item, key) { return bookMap(block, key); },
  findings(block, item, key) { return bookFindings(block, key); },
  people(block) { return bookPeople(block); },
  flag(block, item, key) { return bookFlag(block, item, key); },
  tree(block, item, key) { return tree(block, item, key); },
  passages(block) { return passages(block); },
  timeline(block, item, key) { return timeline(block, key); },
  readings(block, item, key) { return readings(block, key); },
  along(block, item, key) { return along(sections[key].shared[block.of][0], block, key); },
};

// Words with some of them marked, by where they begin and end.
function withMarks(words, spans) {
  const signs = [...words], found = [];
  let end = 0;
  for (const [start, stop] of spans || []) {
    if (start < end) continue;
    found.push(signs.slice(end, start).join(""), make("span", { class: "m-alarm" }, signs.slice(start, stop).join("")));
    end = stop;
  }
  return [...found, signs.slice(end).join("")];
}

function sentence(words, no, tag, lang, onclick, spans) {
  const inside = [make("span", { class: "no" }, no ? String(no) : ""), make("span", { class: "words", dir: "auto", lang: lang || null }, spans ? withMarks(words, spans) : words), tag ? make("span", { class: "tag" }, tag) : null];
  return make("li", {}, onclick ? make("button", { type: "button", onclick }, inside) : make("div", {}, inside));
}

// Scroll a list to one of its lines; lines get their heights as they come into view, so until it rests there.
function reveal(list, item, frames = 60, still = 0) {
  if (frames === 60) list.wanted = item;
  if (list.wanted !== item || !item.isConnected && frames < 60) return;  // another one is looked for by now
  const before = list.scrollTop;
  list.scrollTop = item.offsetTop - list.clientHeight / 3;
  const rests = list.clientHeight > 0 && Math.abs(list.scrollTop - before) < 2;
  if (frames > 1 && still < 8) requestAnimationFrame(() => reveal(list, item, frames - 1, rests ? still + 1 : 0));
}

// Two texts side by side; a sentence on the right shows where on the left it comes from.
function parallel(block, chosen, original) {
  const [left, right] = [make("ol"), make("ol")];
  const say = make("p", { class: "faint", role: "status" }, block.hint);
  const marks = block.m || [{}, {}];
  const light = (summary) => {
    for (const list of [left, right]) for (const item of list.querySelectorAll(".on")) item.classList.remove("on");
    const source = block.a[summary];
    right.children[summary].classList.add("on");
    if (source === null || source === undefined || !left.children[source]) { say.textContent = "No source sentence was found for it."; return; }
    const target = left.children[source];
    target.classList.add("on");
    reveal(left, target);
    say.textContent = "Sentence " + (summary + 1) + " of the edition comes from sentence " + block.l[source][0] + " of the original" + (block.v[summary] === null ? "" : ", similarity " + number(block.v[summary]));
  };
  const users = new Map(), weakly = new Set(block.w);
  block.a.forEach((source, at) => { if (source !== null && !users.has(source)) users.set(source, at); });
  block.l.forEach(([no, words], at) => {
    const item = sentence(words, no, "", block.lang, users.has(at) ? () => { light(users.get(at)); reveal(right, right.children[users.get(at)]); } : null, marks[0][at]);
    if (!users.has(at)) item.classList.add("unused");
    left.append(item);
  });
  block.r.forEach((words, at) => {
    const weak = weakly.has(at);
    const item = sentence(words, at + 1, (weak ? "weak " : "") + (block.v[at] === null ? "" : number(block.v[at])), block.lang, () => light(at), marks[1][at]);
    if (weak) item.classList.add("weak");
    right.append(item);
  });
  if (chosen !== undefined && right.children[chosen]) requestAnimationFrame(() => {
    light(chosen);
    reveal(right, right.children[chosen]);
  });
  if (original !== undefined) requestAnimationFrame(() => {
    const at = block.l.findIndex(([no]) => no > original);
    if (at < 0) return;
    for (const item of left.querySelectorAll(".on")) item.classList.remove("on");
    left.children[at].classList.add("on");
    reveal(left, left.children[at]);
    if (chosen !== undefined) {
      if (block.a[chosen] === null) say.textContent = "Sentence " + (chosen + 1) + " of the edition has no source. The nearest, sentence " + block.l[at][0] + " of the original, is shown.";
      return;
    }
    const near = block.a.findLastIndex((source) => source !== null && source !== undefined && source <= at);
    if (near >= 0) reveal(right, right.children[near]);
    say.textContent = "Sentence " + block.l[at][0] + " of the original was cut; the edition is shown where it would stand.";
  });
  return [say, make("div", { class: "parallel" }, make("div", {}, make("h4", {}, block.n[0]), left), make("div", {}, make("h4", {}, block.n[1]), right))];
}

// A table in shades, a digit for each cell, with the alignment on top.
function heat(block) {
  const [down, across] = block.s, rows = block.c.length, columns = Math.max(...block.c.map((line) => line.length));
  const svg = draw("svg", { class: "plot heat", height: Math.max(60, Math.min(260, 24 * rows)), role: "img", "aria-label": block.n });
  block.c.forEach((line, row) => {
    for (let start = 0, at = 1; at <= line.length; at++) {
      if (at < line.length && line[at] === line[start]) continue;
      if (line[start] !== "-") svg.append(draw("rect", { class: "h" + line[start], x: 100 * start / columns + "%", width: 100 * (at - start) / columns + 0.05 + "%", y: 100 * row / rows + "%", height: 100 / rows + 0.3 + "%" }));
      start = at;
    }
  });
  for (const [row, column] of block.p) svg.append(draw("circle", { class: "way", cx: 100 * (column + 0.5) / across + "%", cy: 100 * (row + 0.5) / down + "%", r: block.p.length < 30 ? 5 : 3 }));
  const shades = Array.from({ length: 9 }, (_, at) => draw("rect", { class: "h" + at, x: 12 * at, width: 12, height: 10 }));
  return [svg, make("p", { class: "faint small" }, "Down: " + block.a[0] + " 1 to " + down + "; across: " + block.a[1] + " 1 to " + across + ". Dots: the alignment. Similarity " + number(block.v[0]) + " ",
    draw("svg", { width: 108, height: 10 }, shades), " " + number(block.v[1]))];
}

// The gold's tree and those of systems beneath it, over the same words; what differs is dashed and bold.
const MOST_TREES = 4;
const FIELDS = ["head", "deprel", "upos", "lemma", "feats", "semslot", "semclass"];

function tree(block, item, key) {
  const data = sections[key], words = block.w, tags = Object.keys(block.t);
  const others = data.ranked.filter((name) => block.s[name] && name !== item.s);
  const names = data.ranked.filter((name) => name === item.s || others.slice(0, MOST_TREES - 1).includes(name));
  const wrong = (name, field, at) => ((block.s[name].d[field] || {})[at]);
  const gold = (field, at) => field === "head" ? block.h[at] : field === "deprel" ? block.r[at] : block.t[field] ? block.t[field][at] : (block.o[field] || {})[at];
  const notes = [make("p", { class: "faint" }, [["gold", block.line], ...names.map((name) => [name, block.s[name].line])].map(([name, line]) => name + " line " + line).join(", ")), ...names.flatMap((name) => block.s[name].p.map((way) => make("p", { class: "small", dir: "auto" }, name + ": " + way)))];
  const table = differing(block, names, wrong, gold);
  if (!block.drawn) return [make("p", { class: "faint" }, "The sentence is too long to be drawn."), table, ...notes];
  const short = (text) => text.length > 18 ? text.slice(0, 17) + "…" : text;
  const wide = (text) => [...(text || "")].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e80 ? 13 : 7), 0);
  const xs = [];
  let x = 16;
  words.forEach((form, at) => {
    const texts = [form + "  ", ...tags.flatMap((tag) => [short(block.t[tag][at]), ...names.map((name) => "≠ " + short(wrong(name, tag, at) || ""))])];
    const width = Math.max(52, Math.min(330, Math.max(...texts.map(wide))) + 14);
    xs.push(x + width / 2); x += width;
  });
  const svg = draw("svg", { width: x + 10, role: "img", "aria-label": "The gold's tree, and beneath it that of " + names.join(", ") });
  const rise = (distance) => 14 + 24 * Math.min(distance, 8);
  let top = 0;
  const band = (name) => {
    const own = name === null ? null : block.s[name], kind = own ? "s" + data.colours[data.systems.indexOf(name)] : "";
    const lost = (at) => own && own.m.includes(at);
    const head = (at) => lost(at) ? -1 : own && wrong(name, "head", at) !== undefined ? wrong(name, "head", at) : block.h[at];
    const off = (at) => own ? wrong(name, "head", at) !== undefined || wrong(name, "deprel", at) !== undefined : names.some((one) => wrong(one, "head", at) !== undefined || wrong(one, "deprel", at) !== undefined);
    const reach = Math.max(1, ...words.map((_, at) => head(at) > 0 ? Math.abs(head(at) - 1 - at) : 1));
    const y = top + 30 + Math.max(30, 0.75 * rise(reach) + 10);
    svg.append(draw("text", { x: 4, y: top + 16, class: "whose " + kind }, own ? name : "gold"));
    words.forEach((form, at) => {
      if (!block.h.length || head(at) < 0) return;
      const label = own && wrong(name, "deprel", at) !== undefined ? wrong(name, "deprel", at) : block.r[at] || "";
      const arc = off(at) ? (own ? "arc-wrong " + kind : "arc-gold") : "", text = off(at) ? "off" : "tagline";
      if (head(at) === 0) {
        svg.append(draw("path", { d: `M${xs[at]},${y - 34}L${xs[at]},${y}`, class: arc }), draw("text", { x: xs[at] + 5, y: y - 24, class: text }, label));
        return;
      }
      const from = xs[head(at) - 1] + (at > head(at) - 1 ? 6 : -6), to = xs[at], height = rise(Math.abs(head(at) - 1 - at));
      svg.append(draw("path", { d: `M${from},${y}C${from},${y - height} ${to},${y - height} ${to},${y - 3}`, class: arc }));
      svg.append(draw("path", { d: `M${to - 4},${y - 7}L${to},${y}L${to + 4},${y - 7}Z`, class: "head" }));
      svg.append(draw("text", { x: (from + to) / 2, y: y - height * 0.75 - 3, "text-anchor": "middle", class: text }, label));
    });
    let line = y + 16;
    words.forEach((form, at) => svg.append(draw("text", { x: xs[at], y: line, "text-anchor": "middle", class: lost(at) ? "word lost" : "word" }, form)));
    for (const tag of tags) {
      if (own && !Object.keys(own.d[tag] || {}).length) continue;
      line += 15;
      words.forEach((_, at) => {
        const theirs = own ? wrong(name, tag, at) : undefined;
        if (own && theirs === undefined) return;
        svg.append(draw("text", { x: xs[at], y: line, "text-anchor": "middle", class: own ? "off" : "tagline" }, own ? "≠ " + short(theirs) : block.t[tag][at] === "_" ? "" : short(block.t[tag][at])));
      });
    }
    top = line + 10;
  };
  [null, ...names].forEach(band);
  svg.setAttribute("height", top);
  const more = others.length >= MOST_TREES ? " The systems that rank highest are shown." : "";
  return [make("p", { class: "faint" }, "The gold above, then each system; dashed and in bold: where they differ from the gold." + (tags.length ? " Under each word: " + tags.join(", ") + "." : "") + more),
    make("div", { class: "tree-scroll", tabindex: "0" }, svg), table, ...notes];
}

// A row for each cell that some system has otherwise than the gold.
function differing(block, names, wrong, gold) {
  const spell = (field, value) => field !== "head" ? value : value === 0 ? "root" : value < 0 ? "no word here" : value + " " + block.w[value - 1];
  const rows = block.w.flatMap((form, at) => FIELDS.filter((field) => names.some((name) => wrong(name, field, at) !== undefined)).map((field) =>
    [at + 1, form, field, spell(field, gold(field, at)), ...names.map((name) => wrong(name, field, at) === undefined ? (block.s[name].m.includes(at) ? ["no such word"] : "=") : [spell(field, wrong(name, field, at))])]));
  return rows.length ? make("div", {}, make("h3", {}, "What differs"), blocks.table({ c: ["", "word", "", "gold", ...names], r: rows.map(([at, ...rest]) => [String(at), ...rest]) })) : make("p", {}, "Nothing differs.");
}

// The address names what is open, so that it can be sent.
function address(...parts) {
  try { history.replaceState(null, "", "#" + parts.map(encodeURIComponent).join("/")); } catch { /* a browser may refuse too many changes */ }
}

function render(key, item) {
  const data = sections[key];
  $("drill-title").textContent = item.i;
  $("drill-title").lang = item.l || "";
  $("drill-sub").textContent = [item.s, item.g].filter(Boolean).join(" · ");
  const same = data.parts ? [] : data.items.filter((other) => other.i === item.i && other.g === item.g);
  $("drill-systems").replaceChildren(...(same.length > 1 ? same.map((other) => make("button", {
    type: "button", "aria-pressed": String(other === item), onclick: () => { opened.item = other; render(key, other); },
  }, other.s + "  " + number(other.v[0], (data.columns[0] || {}).unit))) : []));
  $("drill-marks").replaceChildren(...markControls(key, item));
  const parts = [];
  for (const why of item.r) parts.push(make("p", { class: "reasons" }, "Unscored: " + why));
  for (const block of [...(item.a === undefined ? [] : data.shared[item.a] || []), ...item.b, ...(item.e === undefined ? [] : data.shared[item.e] || [])]) {
    const inside = blocks[block.k] ? blocks[block.k](block, item, key) : null;
    if (inside && block.f) parts.push(make("details", { class: "block fold" }, make("summary", {}, block.f), inside));
    else if (inside) parts.push(make("div", { class: "block b-" + block.k }, block.n && typeof block.n === "string" ? make("h3", {}, block.n) : null, inside));
  }
  $("drill-body").replaceChildren(...parts);
  address(key, item.i, item.s, item.g);
  $("drill").scrollTop = 0;
}

function drill(key, item, list) {
  opened = { key, item, list, back: document.activeElement };
  render(key, item);
  if (!$("drill").open) $("drill").showModal();
  $("drill").scrollTop = 0;
}

function step(by) {
  if (!opened) return;
  const at = opened.list.indexOf(opened.item);
  const next = opened.list[at + by];
  if (next) { opened.item = next; render(opened.key, next); }
}

$("drill-close").addEventListener("click", () => $("drill").close());
$("drill-previous").addEventListener("click", () => step(-1));
$("drill-next").addEventListener("click", () => step(1));
$("drill").addEventListener("close", () => { if (opened) { address(opened.key); if (opened.back) opened.back.focus(); } opened = null; });
$("drill-link").addEventListener("click", () => { navigator.clipboard.writeText(location.href).then(() => { $("drill-link").textContent = "Copied"; }, () => { prompt("Link to this item", location.href); }); });
$("drill").addEventListener("click", (event) => { if (event.target === $("drill")) $("drill").close(); });
$("drill").addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, audio")) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
for (const place of document.querySelectorAll(".opening")) for (const block of sections[place.dataset.section].opening) {
  place.append(make("div", { class: "block b-" + block.k }, block.n && typeof block.n === "string" ? make("h3", {}, block.n) : null, blocks[block.k](block, {}, place.dataset.section)));
}
for (const place of document.querySelectorAll(".items")) itemsTable(place, place.dataset.section);
for (const place of document.querySelectorAll(".beside")) beside(place, place.dataset.section);

// One run at a time; an address may name a run, or an item of it.
function go() {
  const [key, ...item] = location.hash.slice(1).split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  const tabs = [...document.querySelectorAll(".tab")];
  const chosen = tabs.find((tab) => tab.id === key) || tabs[0];
  for (const tab of tabs) tab.hidden = tab !== chosen;
  for (const link of document.querySelectorAll(".tabs a")) {
    if (link.hash === "#" + chosen.id) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  const data = sections[chosen.id];
  const among = data && item.length === 3 ? [data.items, data.flags || []] : [];
  const list = among.find((one) => one.some((other) => other.i === item[0] && other.s === item[1] && other.g === item[2]));
  if (list) drill(chosen.id, list.find((one) => one.i === item[0] && one.s === item[1] && one.g === item[2]), list);
}
addEventListener("hashchange", go);
go();
