// A book on the first screen: its map, its strips, and what was found by chapter.
const FOUND = { k: "kept", m: "moved", i: "invented", c: "changed", x: "cut" };

function openPlace(key, block, summary, original) {
  const no = summary !== null ? "sentence " + (summary + 1) : "original " + (original + 1);
  drill(key, { i: no, s: block.y, g: block.t, v: [], r: [], b: [], e: block.e,
    h: summary === null ? undefined : summary, j: original === null ? undefined : original }, []);
}

// Stretches of equal signs in a string: start, end, sign.
function stretches(text) {
  const found = [];
  for (let start = 0, at = 1; at <= text.length; at++) {
    if (at < text.length && text[at] === text[start]) continue;
    found.push([start, at, text[start]]);
    start = at;
  }
  return found;
}

// Shares in each part, stacked; parts are [class, share] from the bottom up.
function strip(parts, name) {
  const svg = draw("svg", { class: "strip", height: 26, role: "img", "aria-label": name, viewBox: "0 0 " + parts.length + " 26", preserveAspectRatio: "none" });
  parts.forEach((part, at) => {
    let y = 26;
    for (const [kind, share] of part) {
      if (!share) continue;
      y -= 26 * share;
      svg.append(draw("rect", { class: kind, x: at, width: 1.02, y, height: 26 * share }));
    }
  });
  return make("div", { class: "strip-row" }, make("span", { class: "faint small" }, name), svg);
}

function bookMap(block, key) {
  const [down, across] = block.s;
  const svg = draw("svg", { class: "book-map", height: 380, role: "img", "aria-label": block.n });
  const x = (place) => 100 * place / Math.max(1, across), y = (row) => 6 + 93 * row / Math.max(1, down);
  const bins = block.o.length;
  for (const [start, end, one] of stretches(block.o)) {
    if (one !== "-" && one < "9") svg.append(draw("rect", { class: "f-cut", x: 100 * start / bins + "%", width: 100 * (end - start) / bins + "%", y: "6%", height: "94%", "fill-opacity": (0.2 * (9 - one) / 9).toFixed(2) }));
  }
  const labels = [];
  block.c.forEach(([title, first, last, kept], at) => {
    svg.append(draw("line", { class: "edge", x1: x(first) + "%", x2: x(first) + "%", y1: 0, y2: "100%" }));
    const wide = x(last + 1) - x(first);
    const clip = draw("svg", { x: x(first) + "%", width: wide + "%", height: 20, y: 0, overflow: "visible" });
    clip.append(draw("title", {}, (title || "no heading") + (kept ? ", kept " + kept : "")));
    const text = draw("text", { x: 4, y: 14 }, "");
    clip.append(text);
    labels.push([text, x(first), wide, [title, title.split(" · ").pop(), title.trim().split(/\s+/).pop(), String(at + 1)]]);
    svg.append(clip);
  });
  for (const [first, last, start, end, text] of block.m) {
    const small = 93 * (last - first + 1) / down < 1.5;  // a dot would cover its frame
    const frame = small ? draw("circle", { class: "frame", cx: x((start + end + 1) / 2) + "%", cy: y((first + last + 1) / 2) + "%", r: 6 }) : draw("rect", { class: "frame", x: x(Math.min(start, end)) - 0.4 + "%", width: x(Math.abs(end - start) + 1) + 0.8 + "%", y: y(first) - 0.8 + "%", height: 93 * (last - first + 1) / down + 1.2 + "%", rx: 4 });
    frame.append(draw("title", {}, text));
    svg.append(frame);
  }
  // What is too much to draw one by one stands in cells, the darker the more.
  const [rows, columns] = block.grid, most = Math.max(1, ...block.d.map((cell) => cell[3]));
  for (const [kind, row, column, count, first, place] of block.d) {
    const cell = draw("rect", { class: "cell f-" + kind, x: 100 * column / columns + "%", width: 100 / columns + 0.15 + "%", y: 6 + 93 * row / rows + "%", height: Math.max(0.6, 93 / rows + 0.2) + "%", "fill-opacity": (0.35 + 0.65 * count / most).toFixed(2) });
    cell.append(draw("title", {}, count + " " + FOUND[kind] + ", from edition " + (first + 1)));
    cell.addEventListener("click", () => openPlace(key, block, first, kind === "i" ? null : place));
    svg.append(cell);
  }
  // Dots come with what was kept first, so that all that was found lies on top; where they are many,
  // they are small, or few faults would cover a whole edition.
  const many = [...block.f].filter((one) => one !== "k").length > 100;
  block.p.forEach((place, at) => {
    if (place === null) return;
    const dot = draw("circle", { class: "f-" + block.f[at], cx: x(place + 0.5) + "%", cy: y(block.i[at] + 0.5) + "%", r: (down < 80 ? 4.5 : down < 400 ? 3.2 : 2) + (block.f[at] === "k" || down < 80 ? 0 : many ? -0.5 : 0.8) });
    dot.append(draw("title", {}, "Edition " + (block.i[at] + 1) + (block.f[at] === "i" ? ", invented" : " from original " + (place + 1) + ", " + FOUND[block.f[at]])));
    dot.addEventListener("click", () => openPlace(key, block, block.i[at], block.f[at] === "i" ? null : place));
    svg.append(dot);
  });
  // A chapter has the longest name that fits above it: a cut one would name another. Where none fits,
  // its number may reach over the next ones, if these stay without a name.
  const name = () => {
    const size = svg.clientWidth / 100;
    const fitting = labels.map(([, , wide, names]) => names.find((one) => one && 7.5 * one.length < size * wide - 8));
    let end = 0;
    labels.forEach(([text, from, , names], at) => {
      const start = size * from, last = 4 + 7.5 * names[3].length;
      const next = labels.findIndex((_, other) => other > at && fitting[other]);
      const room = (next < 0 ? size * 100 : size * labels[next][1]) - start;
      text.textContent = fitting[at] || (start >= end && last < room ? names[3] : "");
      if (text.textContent) end = start + last + 6;
    });
  };
  new ResizeObserver(name).observe(svg);
  const present = new Set([...block.f, ...block.d.map((cell) => cell[0]), ...(/[0-8]/.test(block.o) ? ["x"] : [])]);
  const legend = make("ul", { class: "book-key" }, ["k", "m", "i", "c", "x"].filter((one) => present.has(one)).map((one) => make("li", {}, make("span", { class: "swatch s-" + one }), FOUND[one])), block.m.length ? make("li", {}, make("span", { class: "swatch s-frame" }), "moved block") : null);
  const found = block.g.map((counts) => { const all = counts.reduce((a, b) => a + b, 0) || 1; return [...counts].map((count, at) => ["f-" + "kmic"[at], count / all]); });
  const kept = [...block.o].map((one) => one === "-" ? [["f-none", 1]] : [["f-k", one / 9], ["f-cut", 1 - one / 9]]);
  return [make("p", { class: "faint small" }, "Across: the original, " + across.toLocaleString("en") + " sentences. Down: the edition, " + down.toLocaleString("en") + " sentences, every one of them" + (block.d.length ? "; where they are many, a cell is the darker the more it holds" : "") + ". A faithful edition runs from corner to corner. Choose a place to read both texts there."),
    make("div", { class: "map-frame" }, svg), legend,
    strip(kept, "original: sentences kept at least in part, and cut"),
    strip(found, "edition: shares of what was found")];
}

const codeOf = (kind) => ({ cut: "x", "not found": "i", supported: "k" })[kind] || kind[0];
const STEP = 60;  // entries of a list that are written at once

// The sentences of a book's view by number, made once.
function textsOf(key, block) {
  const view = (sections[key].shared[block.e] || [])[0];
  if (!view) return { left: new Map(), right: [] };
  if (!view.texts) view.texts = { left: new Map(view.l.map(([no, words]) => [no - 1, words])), right: view.r, lang: view.lang };
  return view.texts;
}

// A flag as an item that can be opened, marked and linked: a note belongs to it, not to the book.
function flagItem(key, block, entry) {
  const [kind, place, first, last, start, end, reason, chance, , , level] = entry;
  const range = (from, to) => from === to || to === undefined ? String(from + 1) : (from + 1) + "–" + (to + 1);
  const no = kind === "cut" ? range(start, end) : range(first, last);
  const chapter = (block.c.findLast(([, , from]) => from <= place) || [""])[0];
  return { i: kind + " " + no, s: block.y, g: block.t, v: [], r: [], kind, no, reason, chance, entry, level: level || 0,
    b: [{ k: "flag", of: entry, from: block, chapter }], c: [] };
}

// Some sentences with those around them; the flagged ones stand out, with the words that differ.
function around(texts, from, to, spans, lang, beside) {
  const has = (at) => texts instanceof Map ? texts.has(at) : at >= 0 && at < texts.length;
  const get = (at) => texts instanceof Map ? texts.get(at) : texts[at];
  const lines = [], last = Math.min(to, from + 11);
  for (let at = from - beside; at <= last; at++) {
    if (!has(at)) continue;
    const on = at >= from && at <= to;
    lines.push(make("p", { class: on ? "on" : "faint", dir: "auto", lang: lang || null }, make("span", { class: "no" }, String(at + 1)), make("span", {}, on && spans && spans[at] ? withMarks(get(at), spans[at]) : get(at))));
  }
  if (last < to) lines.push(make("p", { class: "faint" }, "… and " + (to - last) + " sentences more, in both texts below"));
  else if (has(to + 1) && beside) lines.push(make("p", { class: "faint", dir: "auto", lang: lang || null }, make("span", { class: "no" }, String(to + 2)), make("span", {}, get(to + 1))));
  return lines;
}

// Spans by sentence: [sentence, start, end] of the original, [start, end] of the first of the edition.
function spansBy(spans, first) {
  const found = {};
  for (const span of spans || []) (found[span.length > 2 ? span[0] : first] = found[span.length > 2 ? span[0] : first] || []).push(span.slice(-2));
  return found;
}

function bookFlag(block, item, key) {
  const [kind, , first, last, start, end, reason, chance, here, there, , further] = block.of, texts = textsOf(key, block.from);
  const view = (sections[key].shared[block.from.e] || [])[0];
  const said = make("p", { class: "found flag-reason" }, make("span", { class: "kind s-" + codeOf(kind) }, kind), make("b", { dir: "auto" }, reason), chance === undefined || chance === null ? null : make("span", { class: "faint" }, (further || !["changed", "invented", "moved", "cut"].includes(kind) ? " probability " : " an editor would agree: ") + Math.round(100 * chance) + "%"));
  let where = first;  // where the edition would have what was cut
  if (kind === "cut" && view) where = view.a.findLastIndex((line) => line !== null && line !== undefined && view.l[line][0] <= start);
  const edition = first === null || first === undefined
    ? [make("h4", {}, "The edition, where it would stand"), ...(where >= 0 ? around(texts.right, where + 1, where, null, texts.lang, 2) : [])]
    : [make("h4", {}, "The edition"), ...around(texts.right, first, last, spansBy(here, first), texts.lang, 1)];
  const names = { invented: "The nearest of the original, which is not a source", cut: "The original, which was cut", "not found": "The nearest of the original", supported: "The original", contradicted: "The original" };
  const original = [make("h4", {}, names[kind] || "The original"), ...(start === null || start === undefined ? [] : around(texts.left, start, end, spansBy(there, start), texts.lang, 1)),
    ...(further || []).flatMap(([from, to]) => [make("h4", {}, "and there"), ...around(texts.left, from, to, null, texts.lang, 0)])];
  const whole = make("details", { class: "fold" }, make("summary", {}, "Both texts whole, at this place"));
  whole.addEventListener("toggle", () => { if (whole.open && view && whole.children.length < 2) whole.append(...parallel(view, first === null ? undefined : first, first === null || ["invented", "not found"].includes(kind) ? start : undefined)); });
  return [make("p", { class: "faint small", dir: "auto" }, block.chapter), said, make("div", { class: "flag-texts" }, make("div", {}, edition), make("div", {}, original)), view ? whole : null];
}

function bookFindings(block, key) {
  const items = block.a.map((entry) => flagItem(key, block, entry));
  (sections[key].flags = sections[key].flags || []).push(...items);
  const texts = () => textsOf(key, block);
  const counts = (list) => block.kinds.map((kind) => [list.filter((item) => item.kind === kind).length, kind]).filter(([count]) => count).map(([count, kind]) => count.toLocaleString("en") + " " + kind).join(", ") || "nothing to report";
  const line = (item, list) => {
    const [kind, , first, , start] = item.entry;
    const mark = markOf(key, item) || {};
    return make("li", {}, make("button", { type: "button", onclick: () => drill(key, item, list) },
      make("span", { class: "kind s-" + codeOf(kind) }, kind), make("span", { class: "no" }, (mark.star ? "★ " : mark.note ? "✎ " : "") + item.no),
      make("span", { dir: "auto", lang: texts().lang || null }, make("span", { class: "two-lines" }, (kind === "cut" ? texts().left.get(start) : texts().right[first]) || ""), make("small", { class: "faint" }, " " + item.reason + (item.chance === undefined || item.chance === null ? "" : ", " + Math.round(100 * item.chance) + "%")))));
  };
  // Lists are written when they are opened, a part at a time: a long book has many entries.
  const fill = (place, list) => {
    const ol = make("ul", { class: "found" }), more = make("button", { type: "button", class: "more-button" });
    let shown = 0;
    const go = () => { ol.append(...list.slice(shown, shown += STEP).map((item) => line(item, list))); more.hidden = shown >= list.length; more.textContent = "Show more (" + (list.length - shown).toLocaleString("en") + " left)"; };
    more.addEventListener("click", go);
    go();
    place.append(ol, more);
  };
  const fold = (title, told, list, open) => {
    const inside = make("div"), details = make("details", { class: "fold", open: open || null }, make("summary", {}, make("b", { dir: "auto" }, title), make("span", { class: "faint" }, "  " + told)), inside);
    const write = () => { if (details.open && !inside.children.length && list.length) fill(inside, list); };
    details.addEventListener("toggle", write);
    write();
    return details;
  };
  const place = make("div");
  const kinds = make("select", { "aria-label": "Which" }), order = make("select", { "aria-label": "Order" });
  const levels = make("select", { "aria-label": "How sure" });
  block.levels.forEach((name, at) => levels.append(make("option", { value: at }, at === block.level ? name + " (as chosen)" : name)));
  levels.value = block.level;
  const told = make("p"), graded = items.some((item) => item.level);
  const alarms = block.kinds.filter((kind) => kind !== "cut");
  for (const [value, text] of [["", "everything"], ...(alarms.length && block.kinds.includes("cut") ? [["alarms", "all but cuts"]] : []), ...block.kinds.map((kind) => [kind, kind])]) kinds.append(make("option", { value }, text));
  for (const [value, text] of [["chapters", "chapter by chapter"], ["gravest", "the gravest first"]]) order.append(make("option", { value }, text));
  const grave = (item) => [block.kinds.indexOf(item.kind), -(item.chance ?? 0), item.kind === "cut" ? -(item.entry[5] - item.entry[4]) : 0];
  const update = () => {
    const among = items.filter((item) => item.level <= levels.value);
    told.textContent = counts(among) + "." + (among.length < items.length ? " " + (items.length - among.length).toLocaleString("en") + " less sure ones are shown with “all”." : "");
    const kept = among.filter((item) => !kinds.value || (kinds.value === "alarms" ? item.kind !== "cut" : item.kind === kinds.value));
    if (order.value === "gravest") {
      const sorted = kept.map((item) => [grave(item), item]).sort(([a], [b]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map(([, item]) => item);
      place.replaceChildren(fold("The whole book", counts(kept), sorted, true));
      return;
    }
    const own = block.c.map(() => []);
    let at = 0;
    for (const item of among) {
      while (at < own.length - 1 && item.entry[1] > block.c[at][3]) at++;
      own[at].push(item);
    }
    const chosen = new Set(kept);
    place.replaceChildren(...block.c.map(([title, share], at) => fold(title, (share ? "kept " + share + "; " : "") + counts(own[at]), own[at].filter((item) => chosen.has(item)), block.c.length === 1)));
  };
  kinds.value = alarms.length && block.kinds.includes("cut") ? "alarms" : "";
  for (const select of [kinds, order, levels]) select.addEventListener("change", update);
  update();
  return [told, make("p", { class: "faint small" }, "Sentences are numbered from 1: those of the original for what was cut, those of the edition for the rest. An entry opens at its place, with the reason, both passages and room for a note."),
    make("div", { class: "controls" }, make("label", {}, "Show", kinds), make("label", {}, "Order", order), graded ? make("label", {}, "How sure", levels) : null), place];
}

// Who is who: the names that are taken for one person, to be edited, saved and given back.
function bookPeople(block) {
  const lines = make("textarea", { rows: Math.min(12, block.x.split("\n").length + 1), spellcheck: "false", "aria-label": block.n, class: "people" });
  lines.value = block.x;
  const save = make("button", { type: "button", onclick: () => {
    const url = URL.createObjectURL(new Blob([lines.value.trim() + "\n"], { type: "text/plain" }));
    make("a", { href: url, download: "people.txt" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  } }, "Save people.txt");
  return [make("details", { class: "fold" }, make("summary", {}, "Names that are taken for one person"), make("p", { class: "faint small" }, "Learned from the original. A name in place of another of the same person is no alarm. Edit the lines, save the file, and run again with --people people.txt."), lines, make("p", {}, save))];
}
