// A whole recording: what was said beside what each system heard, with a map of the errors.
const BINS = 240, HIGH = 0.6;  // bars of a map, and the error rate at which one is full
let wanted = null;  // the piece at which the next recording opens

const tripled = (cell) => Array.from({ length: cell ? cell.length / 3 : 0 }, (_, at) => cell.slice(3 * at, 3 * at + 3));
const sizeOf = (text) => text ? text.split(" ").length : 0;
function wrongIn(cell) {
  let sum = 0;
  for (let at = 0; cell && at < cell.length; at += 3) sum += Math.max(cell[at + 1], sizeOf(cell[at + 2]));
  return sum;
}

// A system's words of a piece: as they were said, with what was lost and what stands in its place.
function heard(words, cell) {
  const parts = [];
  let from = 0;
  for (const [at, lost, got] of tripled(cell)) {
    if (at > from) parts.push(words.slice(from, at).join(" ") + " ");
    const error = make("span", { class: "error" });
    if (lost) error.append(make("del", { class: "m-deleted" }, words.slice(at, at + lost).join(" ")));
    if (got) error.append(lost ? " " : "", make("ins", { class: "m-inserted" }, got));
    parts.push(error, " ");
    from = at + lost;
  }
  return [...parts, words.slice(from).join(" ")];
}

// Bars along the recording, as high as the share of words in error; a click leads there.
function errorMap(data, column, go) {
  const count = Math.min(BINS, data.r.length), bins = Array.from({ length: count }, () => [0, 0]);
  data.r.forEach((row, at) => {
    const bin = bins[Math.floor(at * count / data.r.length)];
    bin[0] += wrongIn(row[2 + column]);
    bin[1] += row[2 + column] === null ? 0 : sizeOf(row[1]);
  });
  const svg = draw("svg", { class: "error-map", height: 22, role: "img", "aria-label": "Errors of " + data.y[column] + " along the recording" });
  const bars = bins.map(([errors, words], at) => {
    const high = errors ? 22 * Math.max(0.12, Math.min(1, errors / Math.max(1, words) / HIGH)) : 0;
    return `M${at},22v${-high}h1v${high}z`;
  });
  svg.append(draw("svg", { viewBox: `0 0 ${count} 22`, preserveAspectRatio: "none", width: "100%", height: 22 }, draw("path", { d: bars.join("") })));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    go(Math.min(data.r.length - 1, Math.floor((event.clientX - box.left) / box.width * data.r.length)));
  });
  const [errors, words] = bins.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  return { svg, rate: words ? number(100 * errors / words, "%") : "–" };
}

const colour = (key, system) => sections[key].colours[sections[key].systems.indexOf(system)];
const mapRow = (key, data, column, map) => make("div", { class: "strip-row s" + colour(key, data.y[column]) },
  make("span", { class: "faint small", dir: "auto" }, data.y[column] + "  " + map.rate), map.svg);

function openReading(key, name, system, piece) {
  const items = sections[key].items;
  const own = items.filter((item) => item.s === system && item.b.some((block) => block.of === name));
  const place = (item) => item.b.find((block) => block.of === name).h;
  const near = own.filter((item) => place(item) <= piece).sort((a, b) => place(b) - place(a))[0];
  wanted = piece;
  drill(key, near || { i: sections[key].shared[name][0].t, s: system, g: "", v: [], r: [], b: [{ k: "along", of: name, h: piece, y: system }] }, near ? items : []);
  const block = document.querySelector("#drill .b-along");
  $("drill").scrollTop = block.offsetTop - document.querySelector(".drill-head").offsetHeight;
}

// Play a recording from a share of its length; a second earlier, since that is a guess by words.
function playFrom(share) {
  const audio = document.querySelector("#drill audio");
  const go = () => { audio.currentTime = Math.max(0, share * audio.duration - 1); audio.play(); };
  if (audio.readyState) return go();
  audio.addEventListener("loadedmetadata", go, { once: true });
  audio.preload = "auto";
  audio.load();
}

function passages(block) {
  return block.r.map(([value, share, expected, got]) => {
    const play = make("button", { type: "button", onclick: () => playFrom(share) }, "▶ " + Math.round(100 * share) + "%");
    requestAnimationFrame(() => { if (!document.querySelector("#drill audio")) play.replaceWith(Math.round(100 * share) + "%"); });
    return make("div", { class: "passage" }, make("b", {}, value), " ", play,
      make("p", { dir: "auto" }, make("span", { class: "faint small" }, "said "), expected),
      make("p", { dir: "auto" }, make("span", { class: "faint small" }, "heard "), got || "(nothing)"));
  });
}

const clock = (seconds) => Math.floor(seconds / 60) + ":" + String(Math.floor(seconds % 60)).padStart(2, "0");

// Who spoke when: a lane for each speaker, those who spoke first, then those of each system.
function timeline(block, key) {
  const meeting = ([name, lanes]) => {
    const end = Math.max(...lanes.flatMap(([, , bars]) => bars.map((bar) => bar[1])));
    const step = [5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600].find((size) => end / size <= 12) || 7200;
    const ticks = Array.from({ length: Math.floor(0.95 * end / step) + 1 }, (_, at) => at * step);
    const at = (time) => (100 * time / end).toFixed(3) + "%";
    const rows = [];
    let before = null;
    for (const [system, speaker, bars] of lanes) {
      if (system !== before) rows.push(make("div", { class: "lane-head faint small" }, system || "What was said"));
      before = system;
      rows.push(make("div", { class: "lane" + (system ? " s" + colour(key, system) : "") }, make("span", { class: "small", dir: "auto" }, speaker || "(no name)"),
        make("div", { class: "lane-bars" }, bars.map(([from, to, share]) => {
          const kind = system ? " lane-heard" : share === undefined ? "" : share > 0.5 ? " lane-bad" : share > 0.1 ? " lane-poor" : "";
          const bar = make("i", { class: "lane-bar" + kind, title: clock(from) + " – " + clock(to) + (share === undefined ? "" : ", " + Math.round(100 * share) + "% of the words wrong") });
          bar.style.left = at(from);
          bar.style.width = at(to - from);
          return bar;
        }))));
    }
    const axis = make("div", { class: "lane" }, make("span", {}), make("div", { class: "lane-axis faint small" }, ticks.map((time) => {
      const tick = make("span", {}, clock(time));
      tick.style.left = at(time);
      return tick;
    })));
    return make("div", { class: "recording" }, make("p", {}, make("b", { dir: "auto" }, name)), rows, axis);
  };
  const coloured = block.r.some(([, lanes]) => lanes.some(([, , bars]) => bars.some((bar) => bar.length > 2)));
  return [make("p", { class: "faint small" }, coloured ? "Segments by speaker; amber: more than a tenth of their words are wrong in the system below, red: more than half." : "Segments by speaker."),
    ...block.r.map(meeting), block.x ? make("p", { class: "faint small" }, block.x) : null];
}

function readings(block, key) {
  const card = (name) => {
    const data = sections[key].shared[name][0];
    const words = data.r.reduce((sum, row) => sum + sizeOf(row[1]), 0);
    const go = (column) => (piece) => openReading(key, name, data.y[column], piece);
    return make("div", { class: "recording" }, make("p", {}, make("b", { dir: "auto" }, data.t), make("span", { class: "faint" }, "  " + words.toLocaleString("en") + " words  "),
      make("button", { type: "button", onclick: () => go(0)(0) }, "Read along")),
      data.y.map((_, column) => mapRow(key, data, column, errorMap(data, column, go(column)))));
  };
  const further = block.r.slice(3);
  const fold = make("details", { class: "fold" }, make("summary", {}, further.length + " further recordings"));
  fold.addEventListener("toggle", () => { if (fold.open && fold.children.length < 2) fold.append(...further.map(card)); });
  return [make("p", { class: "faint small" }, "Bars: the share of words in error, from the beginning of a recording to its end. Choose a place to read there."), ...block.r.slice(0, 3).map(card),
    further.length ? fold : null,
    block.x ? make("p", { class: "faint small" }, block.x) : null];
}

function along(data, block, key) {
  const place = wanted === null ? block.h : wanted;
  wanted = null;
  const own = Math.max(0, data.y.indexOf(block.y));
  const shown = new Set(data.y.length < 4 && innerWidth > 700 ? data.y.keys() : [own]);
  const order = make("select", { "aria-label": "Order of the pieces" }, make("option", { value: "" }, "as it was said"), make("option", { value: "worst" }, "worst first"));
  const show = make("select", { "aria-label": "Which pieces" }, make("option", { value: "" }, "everything"), make("option", { value: "errors" }, "pieces with errors"));
  const search = make("input", { type: "search", placeholder: "words", "aria-label": "Search the recording" });
  const count = make("p", { class: "count", role: "status" });
  const maps = make("div"), list = make("ol", { class: "along", tabindex: "0" });
  const systems = make("div", { class: "chips" }, data.y.length < 2 ? [] : data.y.map((name, column) => make("button", {
    type: "button", dir: "auto", onclick: () => { if (!shown.delete(column)) shown.add(column); if (!shown.size) shown.add(column); update(); },
  }, name)));
  let lines = [], errors = [], now = -1;  // lines by piece, and errors as [piece, place in its line]
  // Lines are written as they come near: a long recording has thousands.
  const watch = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting) write(one.target); }, { root: list, rootMargin: "800px" });

  function reach(piece) {
    if (!lines[piece]) return;
    reveal(list, lines[piece]);
    now = errors.findIndex(([at]) => at >= piece) - 1;
  }
  // What is in view, shown on the maps while the pieces are in their own order.
  function here() {
    const whole = list.scrollHeight || 1;
    for (const map of maps.querySelectorAll(".error-map")) {
      const mark = map.querySelector(".here") || map.appendChild(draw("rect", { class: "here", y: 0, height: 22 }));
      mark.setAttribute("x", 100 * list.scrollTop / whole + "%");
      mark.setAttribute("width", order.value || show.value || search.value ? 0 : Math.max(0.4, 100 * list.clientHeight / whole) + "%");
    }
  }
  function step(by) {
    if (!errors.length) return;
    for (const one of list.querySelectorAll(".now")) one.classList.remove("now");
    now = (now + by + errors.length) % errors.length;
    const [piece, place] = errors[now];
    write(lines[piece]);
    lines[piece].querySelectorAll(".error")[place].classList.add("now");
    reveal(list, lines[piece]);
    count.textContent = "error " + (now + 1).toLocaleString("en") + " of " + errors.length.toLocaleString("en");
  }
  function write(line) {
    if (line.firstChild) return;
    const row = data.r[line.value - 1], words = row[1].split(" ");
    line.append(make("span", { class: "no" }, row[0]), make("span", { dir: "auto", lang: data.l || null }, row[1]),
      ...[...shown].sort((a, b) => a - b).map((column) => make("span", { dir: "auto", lang: data.l || null, class: "top-line s" + colour(key, data.y[column]) + (row[2 + column] ? "" : " faint") },
        make("small", { class: "faint whose" }, data.y[column]), row[2 + column] === null ? "no transcript" : heard(words, row[2 + column]))));
  }
  function update() {
    const columns = [...shown].sort((a, b) => a - b), text = search.value.toLowerCase();
    const rate = (row) => columns.reduce((sum, column) => sum + wrongIn(row[2 + column]), 0);
    let kept = data.r.map((row, at) => [row, at, rate(row)]);
    if (show.value) kept = kept.filter(([, , wrong]) => wrong > 0);
    if (text) kept = kept.filter(([row]) => [row[1], ...columns.flatMap((column) => tripled(row[2 + column]).map((one) => one[2]))].join(" ").toLowerCase().includes(text));
    if (order.value) kept.sort((a, b) => b[2] - a[2] || a[1] - b[1]);
    watch.disconnect();
    lines = [];
    errors = [];
    for (const [row, at] of kept) {
      watch.observe(lines[at] = make("li", { value: at + 1 }));
      const own = columns.reduce((sum, column) => sum + (row[2 + column] || []).length / 3, 0);
      for (let place = 0; place < own; place++) errors.push([at, place]);
    }
    list.style.setProperty("--columns", columns.length + 1);
    list.replaceChildren(...kept.map(([, at]) => lines[at]));
    now = -1;
    count.textContent = errors.length.toLocaleString("en") + " errors in " + kept.length.toLocaleString("en") + " pieces";
    maps.replaceChildren(...columns.map((column) => mapRow(key, data, column, errorMap(data, column, reach))));
    here();
    [...systems.children].forEach((chip, column) => chip.setAttribute("aria-pressed", String(shown.has(column))));
  }
  for (const select of [order, show]) select.addEventListener("change", update);
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(update, 150); });
  list.addEventListener("scroll", here, { passive: true });
  list.addEventListener("keydown", (event) => { if (event.key === "n" || event.key === "p") step(event.key === "n" ? 1 : -1); });
  update();
  requestAnimationFrame(() => { reach(place); here(); });
  return [systems, maps, make("div", { class: "controls" }, make("label", {}, "Order", order), make("label", {}, "Show", show), make("label", { class: "grow" }, "Search", search),
    make("button", { type: "button", title: "or the key p in the text", onclick: () => step(-1) }, "Previous error"), make("button", { type: "button", class: "next-error", title: "or the key n in the text", onclick: () => step(1) }, "Next error"), count), list];
}
