(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const store = {
    get(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
    set(name, value) {
      try { localStorage.setItem(name, JSON.stringify(value)); return true; } catch { return false; }
    },
  };
  let rater = "", order = [], said = {}, at = 0, stored = true, saved = true;
  const place = () => `gistmeter ${data.sample} ${rater}`;

  const seeded = (text) => {  // a random order of this rater's own, the same each time
    let state = 2166136261;
    for (const c of text) state = Math.imul(state ^ c.codePointAt(0), 16777619);
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  };

  const begin = () => {
    const random = seeded(`${data.sample}\n${rater}`);
    order = data.rows.map((_, index) => index);
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    said = store.get(place()) || {};
    at = Math.max(0, order.findIndex((index) => !said[index]));
    $("begin").hidden = true;
    $("work").hidden = false;
    show();
  };

  const show = () => {
    const index = order[at], row = data.rows[index], given = said[index];
    const done = Object.keys(said).length;
    $("count").textContent = `${at + 1} of ${order.length}, ${done} rated.`;
    $("kept").textContent = stored ? "" : "This device keeps nothing: save the file before you close the page.";
    $("progress").value = done;
    $("expected").textContent = row.expected || "–";
    const texts = data.kind === "which" ? [["1", row.got], ["2", row.second]] : [["What was said", row.got]];
    $("outputs").replaceChildren(...texts.flatMap(([name, text]) => {
      const head = document.createElement("h2"), body = document.createElement("p");
      head.className = "small faint"; head.textContent = name;
      body.className = "text"; body.dir = "auto"; body.textContent = text || "–";
      return [head, body];
    }));
    $("answers").replaceChildren(...data.answers.map(([name, value]) => {
      const button = document.createElement("button");
      button.type = "button"; button.textContent = name;
      button.setAttribute("aria-pressed", String(Boolean(given) && given.rating === value));
      button.addEventListener("click", () => rate(value));
      return button;
    }));
    if (!data.answers.length) free(given);
    $("comment").value = given ? given.comment : "";
    $("back").disabled = at === 0;
  };

  const free = (given) => {  // a scale with too many steps for buttons
    const input = document.createElement("input"), button = document.createElement("button");
    input.type = "number"; input.min = data.scale[0]; input.max = data.scale[1]; input.step = "any";
    input.setAttribute("aria-label", "Your rating"); input.value = given ? given.rating : "";
    button.type = "button"; button.textContent = "Rate";
    button.addEventListener("click", () => {
      const value = Number(input.value);
      if (input.value !== "" && value >= data.scale[0] && value <= data.scale[1]) rate(String(value));
      else input.reportValidity();
    });
    $("answers").replaceChildren(input, button);
  };

  const rate = (value) => {
    const index = order[at], old = said[index], comment = $("comment").value;
    const same = old && old.rating === value && old.comment === comment;
    said[index] = same ? old : {
      rating: value, comment, at: new Date().toISOString(),
      id: Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join(""),
    };
    stored = store.set(place(), said);
    saved = false;
    step(1);
  };

  const step = (by) => {
    at = Math.min(order.length - 1, Math.max(0, at + by));
    show();
    window.scrollTo(0, 0);
  };

  const save = () => {
    const lines = Object.entries(said).map(([index, one]) => {
      const row = data.rows[index];
      return JSON.stringify({
        item: row.item, ...(row.other ? { other: row.other } : {}), sample: data.sample, rater,
        rating: one.rating, comment: one.comment, question: data.question, id: one.id, at: one.at,
      });
    });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/x-ndjson" }));
    link.download = `rating-${rater.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 40)}.jsonl`;
    document.body.append(link);
    link.click();
    link.remove();
    saved = true;
  };

  $("who").addEventListener("submit", (event) => {
    event.preventDefault();
    rater = $("rater").value.trim();
    if (rater) begin();
  });
  $("back").addEventListener("click", () => step(-1));
  $("skip").addEventListener("click", () => step(1));
  $("save").addEventListener("click", save);
  document.addEventListener("keydown", (event) => {
    if ($("work").hidden || event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "ArrowRight") step(1);
    else {
      const answer = data.answers.find(([name, value]) => event.key === value || event.key === name[0].toLowerCase());
      if (answer) rate(answer[1]);
    }
  });
  window.addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
  $("begin").hidden = false;
})();
