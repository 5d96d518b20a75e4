// The workbench's own: the theme kept, files dropped, progress followed.
$("theme").addEventListener("click", () => {
  try { localStorage.setItem("gistmeter theme", document.documentElement.dataset.theme); } catch { /* kept until the page is closed */ }
});

for (const control of document.querySelectorAll("[data-submits]")) control.addEventListener("change", () => control.form.requestSubmit());

// Ask the server; an answer that is no JSON, or none at all, is an error with words.
async function ask(address, options) {
  const answer = await fetch(address, { headers: { accept: "application/json" }, ...options });
  const found = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(found.error), { told: true });
  return found;
}

function dropZone(form) {
  const list = $("arriving"), input = $("files");
  let busy = false;
  const take = async (files) => {
    if (busy || !files.length) return;
    busy = true;
    list.replaceChildren();
    try {
      const { id } = await ask("/drops", { method: "POST" });
      let kept = 0;
      for (const file of files) {
        const line = make("li", {}, file.name + " ", make("span", { class: "faint" }, form.dataset.waiting));
        list.append(line);
        try {
          await ask("/drops/" + id + "/files?name=" + encodeURIComponent(file.name), { method: "POST", body: file });
          line.lastChild.textContent = "✓";
          kept += 1;
        } catch (error) { line.lastChild.replaceWith(make("span", { class: "reasons" }, error.message)); }
      }
      if (kept === files.length) location.assign("/drops/" + id);
      else if (kept) list.append(make("li", {}, make("a", { href: "/drops/" + id, class: "button primary" }, "→")));
    } catch (error) { list.append(make("li", { class: "reasons" }, error.message || form.dataset.failed)); }
    busy = false;
  };
  input.addEventListener("change", () => take([...input.files]));
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dragenter", "dragover"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => { event.preventDefault(); take([...event.dataTransfer.files]); });
}
if ($("drop")) dropZone($("drop"));

// Files that raters elsewhere filled in: each is checked and kept, or told what is wrong with it.
if ($("rated")) $("rated").querySelector("[type=file]").addEventListener("change", async (event) => {
  const [told, rater] = [$("rated").querySelector("[role=status]"), $("rated").querySelector("[name=rater]").value];
  told.replaceChildren();
  for (const file of event.target.files) {
    const query = new URLSearchParams({ name: file.name, rater });
    try {
      const { said } = await ask($("rated").dataset.place + "?" + query, { method: "POST", body: file });
      told.append(file.name + ": " + said + " ", make("a", { href: "" }, "→"), make("br"));
    } catch (error) { told.append(make("span", { class: "reasons" }, file.name + ": " + error.message), make("br")); }
  }
});

const spell = (seconds) => seconds >= 90 ? Math.round(seconds / 60) + " min" : Math.max(1, Math.round(seconds)) + " s";

async function follow(place) {
  try {
    const now = await ask(place.dataset.progress);
    if (now.state === "done") { location.assign(now.result); return; }
    if (now.state !== place.dataset.state) { location.reload(); return; }
    if (now.stage) $("stage").textContent = now.stage;
    if (now.share !== null) $("bar").value = now.share;
    $("count").textContent = now.total ? now.done + " / " + now.total : "";
    $("rate").textContent = now.rate ? place.dataset.rate.replace("{rate}", now.rate.toFixed(1)) : "";
    $("left").textContent = now.left !== null ? place.dataset.left.replace("{time}", spell(now.left)) : "";
  } catch (error) {  // the server is away: try again; what it says itself will not change
    if (error.told) { $("count").replaceChildren(make("span", { class: "reasons" }, error.message)); return; }
  }
  setTimeout(() => follow(place), 700);
}
if ($("job") && ["waiting", "running"].includes($("job").dataset.state)) setTimeout(() => follow($("job")), 400);

// Keys press the button or follow the link that names them, unless somebody is writing.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select, audio")) return;
  for (const control of document.querySelectorAll("[data-key]")) if (control.dataset.key.split(" ").includes(event.key)) { event.preventDefault(); control.click(); return; }
  const focus = document.querySelector('[data-focus="' + CSS.escape(event.key) + '"]');
  if (focus) { event.preventDefault(); $("comment").focus(); }
});

// What only the report's script draws of a finding: its trees.
if ($("drawn")) {
  const item = sections.page.items[0];
  for (const block of sections.page.shared[item.a]) $("drawn").append(...[blocks[block.k](block, item, "page")].flat().filter(Boolean));
}
