// Stars and notes on items: kept in this browser, taken along as a file.
const memory = {};  // where a browser keeps nothing

function marksOf(key) {
  if (memory[key] === undefined) {
    try { memory[key] = JSON.parse(localStorage.getItem("gistmeter " + sections[key].id)) || {}; } catch { memory[key] = {}; }
  }
  return memory[key];
}

const markOf = (key, item) => marksOf(key)[[item.i, item.s, item.g, ...(item.n ? [item.n] : [])].join("\n")];

function setMark(key, item, mark) {
  const marks = marksOf(key), name = [item.i, item.s, item.g, ...(item.n ? [item.n] : [])].join("\n");
  if (mark.star || mark.note) marks[name] = mark; else delete marks[name];
  try { localStorage.setItem("gistmeter " + sections[key].id, JSON.stringify(marks)); } catch { /* kept until the page is closed */ }
  document.dispatchEvent(new CustomEvent("marked", { detail: key }));
}

function exportMarks(key) {
  const rows = Object.entries(marksOf(key)).map(([name, mark]) => {
    const [id, system, group] = name.split("\n");
    return { id, system, group, star: Boolean(mark.star), note: mark.note || "" };
  });
  const url = URL.createObjectURL(new Blob([JSON.stringify(rows, null, 1)], { type: "application/json" }));
  make("a", { href: url, download: "marks.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function markControls(key, item) {
  const now = () => markOf(key, item) || {};
  const star = make("button", { type: "button", class: "star", "aria-pressed": String(Boolean(now().star)), title: "Star this item" }, now().star ? "★" : "☆");
  star.addEventListener("click", () => {
    setMark(key, item, { ...now(), star: !now().star });
    star.textContent = now().star ? "★" : "☆";
    star.setAttribute("aria-pressed", String(Boolean(now().star)));
  });
  const note = make("input", { type: "text", maxlength: "2000", placeholder: "A note, kept in this browser", "aria-label": "Note", value: now().note || "" });
  note.addEventListener("input", () => setMark(key, item, { ...now(), note: note.value }));
  return [star, note];
}
