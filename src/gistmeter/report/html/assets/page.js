// The page's pieces that are not tables: element building, number format, theme.
const $ = (id) => document.getElementById(id);

// Text from outside only ever becomes a text node or a plain attribute.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on") && typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  for (const child of children.flat()) element.append(child);
  return element;
}

function number(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "%") return value.toFixed(1) + "%";
  return Math.abs(value) >= 100 || Number.isInteger(value) && Math.abs(value) > 1 ? String(Math.round(value)) : value.toFixed(3);
}

function themed() {
  const chosen = document.documentElement.dataset.theme;
  return chosen || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = themed() === "dark" ? "light" : "dark";
});

const sections = {};
for (const block of document.querySelectorAll('script[type="application/json"]')) {
  const data = JSON.parse(block.textContent);
  data.items.forEach((item, at) => { item.at = at; });
  sections[block.id.slice("data-".length)] = data;
}
