// A book on the first screen: its map, its strips, and what was found by chapter.
const FOUND = { k: "kept", m: "moved", i: "invented", c: "changed", x: "cut" };

function openPlace(key, block, summary, original) {
  drill(key, { i: block.t || block.n, s: block.y, g: "", v: [], r: [], b: [], e: block.e,
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

function strip(text, name, sign) {
  const svg = draw("svg", { class: "strip", height: 18, role: "img", "aria-label": name });
  for (const [start, end, one] of stretches(text)) {
    svg.append(draw("rect", { class: sign(one), x: 100 * start / text.length + "%", width: 100 * (end - start) / text.length + 0.02 + "%", height: 18 }));
  }
  return make("div", { class: "strip-row" }, make("span", { class: "faint small" }, name), svg);
}

function bookMap(block, key) {
  const [down, across] = block.s;
  const svg = draw("svg", { class: "book-map", height: 380, role: "img", "aria-label": block.n });
  const x = (place) => 100 * place / Math.max(1, across), y = (row) => 6 + 93 * row / Math.max(1, down);
  const cut = [...block.o].map((one) => one !== "-" && one < "5" ? "x" : "k").join("");
  for (const [start, end, one] of stretches(cut)) {
    if (one === "x") svg.append(draw("rect", { class: "f-x", x: 100 * start / cut.length + "%", width: 100 * (end - start) / cut.length + "%", y: "6%", height: "94%" }));
  }
  const labels = [];
  block.c.forEach(([title, first, last, kept], at) => {
    svg.append(draw("line", { class: "edge", x1: x(first) + "%", x2: x(first) + "%", y1: 0, y2: "100%" }));
    const wide = x(last + 1) - x(first);
    const clip = draw("svg", { x: x(first) + "%", width: wide + "%", height: 20, y: 0 });
    clip.append(draw("title", {}, (title || "no heading") + (kept ? ", kept " + kept : "")));
    const text = draw("text", { x: 4, y: 14 }, "");
    clip.append(text);
    labels.push([text, wide, [title, title.split(" · ").pop(), title.trim().split(/\s+/).pop(), String(at + 1)]]);
    svg.append(clip);
  });
  for (const [first, last, start, end, text] of block.m) {
    const frame = draw("rect", { class: "frame", x: x(Math.min(start, end)) - 0.4 + "%", width: x(Math.abs(end - start) + 1) + 0.8 + "%", y: y(first) - 0.8 + "%", height: 93 * (last - first + 1) / down + 1.2 + "%", rx: 4 });
    frame.append(draw("title", {}, text));
    svg.append(frame);
  }
  block.p.forEach((place, at) => {
    if (place === null) return;
    const dot = draw("circle", { class: "f-" + block.f[at], cx: x(place + 0.5) + "%", cy: y(block.i[at] + 0.5) + "%", r: down < 80 ? 4.5 : down < 400 ? 3.2 : 2.2 });
    dot.append(draw("title", {}, "Edition " + (block.i[at] + 1) + (block.f[at] === "i" ? ", invented" : " from original " + (place + 1) + ", " + FOUND[block.f[at]])));
    dot.addEventListener("click", () => openPlace(key, block, block.i[at], block.f[at] === "i" ? null : place));
    svg.append(dot);
  });
  // A chapter has the longest name that fits above it: a cut one would name another.
  const name = () => labels.forEach(([text, wide, names]) => {
    const room = svg.clientWidth * wide / 100 - 8;
    text.textContent = names.find((one) => one && 7.5 * one.length < room) || "";
  });
  new ResizeObserver(name).observe(svg);
  const present = new Set([...block.f, ...(cut.includes("x") ? ["x"] : [])]);
  const legend = make("ul", { class: "book-key" }, ["k", "m", "i", "c", "x"].filter((one) => present.has(one)).map((one) => make("li", {}, make("span", { class: "swatch s-" + one }), FOUND[one])), block.m.length ? make("li", {}, make("span", { class: "swatch s-frame" }), "moved block") : null);
  return [make("p", { class: "faint small" }, "Across: the original, " + across.toLocaleString("en") + " sentences. Down: the edition, " + down.toLocaleString("en") + " sentences. A faithful edition runs from corner to corner. Choose a dot to read both texts there."),
    make("div", { class: "map-frame" }, svg), legend,
    strip(block.o, "original: kept or cut", (one) => one === "-" ? "f-none" : one < "5" ? "f-x solid" : "f-k"),
    strip(block.g, "edition: what was found", (one) => "f-" + one)];
}

function bookFindings(block, key) {
  const inside = block.c.map(([title, kept, entries]) => {
    const counts = {};
    for (const [kind] of entries) counts[kind] = (counts[kind] || 0) + 1;
    const told = Object.entries(counts).map(([kind, count]) => count + " " + kind).join(", ") || "nothing to report";
    const list = make("ul", { class: "found" });
    const details = make("details", { class: "fold" }, make("summary", {}, make("b", { dir: "auto" }, title), make("span", { class: "faint" }, (kept ? "  kept " + kept + "; " : "  ") + told)), list);
    // Lists are filled when they are opened: a long book has many.
    details.addEventListener("toggle", () => {
      if (list.children.length || !details.open) return;
      for (const [kind, no, text, beside, summary, original] of entries) {
        list.append(make("li", {}, make("button", { type: "button", onclick: () => openPlace(key, block, summary, original) },
          make("span", { class: "kind s-" + (kind === "cut" ? "x" : kind[0]) }, kind), make("span", { class: "no" }, no), make("span", { dir: "auto" }, text, beside ? make("small", { class: "faint" }, " " + beside) : null))));
      }
    });
    return details;
  });
  return [make("p", { class: "faint small" }, "Sentences are numbered from 1: those of the original for what was cut, those of the edition for the rest. An entry opens both texts at its place."), ...inside, block.more ? make("p", { class: "faint small" }, block.more) : null];
}
