// Lists and long choices, the same on every page: headers that stay in sight, rows that fit a phone, how many are
// ticked, and a search where there is much to choose from. Without it all of them work, only less easily.
import { all, around, make, maybe, targetOf } from "./dom.js";
import { newHex } from "./ids.js";
import { say } from "./text/say.js";

const MANY = 10; // lists with at least this many choices get a search

// --- Headers ---------------------------------------------------------------------------------------------------------

// A header can only stay at the top of the page where nothing around the table scrolls: where all columns fit.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const table = maybe("table", target);
    if (table) target.classList.toggle("fits", table.offsetWidth <= target.clientWidth);
  }
});
for (const box of all(".scroll-x:has(> table[data-cursor])")) widths.observe(box);

// --- Groups of choices -----------------------------------------------------------------------------------------------

// Of the prompts, those for the chosen release are open. What is ticked elsewhere stays in sight: it would be sent.
document.addEventListener("change", (event) => {
  const release = targetOf(event);
  if (!(release instanceof HTMLSelectElement) || release.name !== "release" || !release.form) return;
  for (const group of all("details[data-releases]", release.form, HTMLDetailsElement)) {
    const isForIt = (group.dataset.releases ?? "").split(" ").includes(release.value);
    group.open = isForIt || maybe(":checked", group) !== null;
  }
});

// --- Narrow screens --------------------------------------------------------------------------------------------------

// There the cells of a row stand below one another, each with the name of its column: nothing scrolls sideways.
for (const table of all("table:is([data-cursor], [data-stacks])", document, HTMLTableElement)) {
  const names = table.tHead?.rows.length === 1 ? [...table.tHead.rows[0].cells].map(nameOf) : [];
  for (const row of names.length ? all("[data-row]", table, HTMLTableRowElement) : []) {
    let column = 0;
    for (const cell of row.cells) {
      if (cell.matches("td") && (cell.childElementCount || cell.textContent?.trim())) cell.dataset.column = names[column];
      column += cell.colSpan;
    }
  }
  table.classList.toggle("stacks", names.length > 0);
}

/**
 * The name of a column; "" if only screen readers get one.
 * @param {Element} header
 * @returns {string}
 */
function nameOf(header) {
  return maybe(":scope > .visually-hidden", header) ? "" : (header.textContent ?? "").trim();
}

// --- Ticks -----------------------------------------------------------------------------------------------------------

function tellTicked() {
  for (const count of all("[data-ticked]")) {
    const ticked = all("[data-row] input[type=checkbox]:checked", around(count, "form") ?? document).length;
    count.textContent = say("{count} selected", { count: ticked });
  }
}
document.addEventListener("change", tellTicked);
addEventListener("pageshow", tellTicked);
tellTicked();

// --- A search in long choices ----------------------------------------------------------------------------------------

/**
 * @param {string} what
 * @param {number} many
 * @returns {HTMLInputElement}
 */
function searchBox(what, many) {
  const box = make("input", { type: "search", className: "picker", autocomplete: "off", placeholder: say("Search {count}", { count: many }) });
  box.setAttribute("aria-label", say("Search: {what}", { what }));
  return box;
}

/**
 * Whether the text holds each word that is sought.
 * @param {string} text
 * @param {string} sought
 * @returns {boolean}
 */
function matches(text, sought) {
  return sought.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
}

/** @param {HTMLSelectElement} select */
function searchOptions(select) {
  const label = select.labels[0];
  const name = (label?.firstChild?.textContent ?? select.name).trim();
  if (label?.contains(select)) {
    // A label around both would otherwise belong to the search, and what is sought to its words.
    label.htmlFor = select.id ||= `choice-${newHex()}`;
    select.setAttribute("aria-label", name);
  }
  const options = [...select.options];
  const box = searchBox(name, options.filter((option) => option.value).length);
  box.addEventListener("input", () => {
    for (const option of options) option.hidden = Boolean(option.value) && !matches(option.text, box.value);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault(); // it would send the form
    const found = box.value ? options.find((option) => option.value && !option.hidden) : undefined;
    if (!found) return;
    select.value = found.value;
    select.focus();
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  select.before(box);
}

/** @param {HTMLFieldSetElement} group */
function searchTicks(group) {
  // Neither a choice nor to be found: the box that selects all.
  const labels = all(":scope > label:has(> input[type=checkbox]:not([data-ticks-all]))", group);
  if (labels.length < MANY) return;
  const box = searchBox(maybe("legend", group)?.textContent?.trim() ?? say("choices"), labels.length);
  box.addEventListener("input", () => {
    // Selected options stay visible: they are part of the answer.
    for (const label of labels) label.hidden = !maybe(":checked", label) && !matches(label.textContent ?? "", box.value);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const first = labels.find((label) => !label.hidden && !maybe(":checked", label));
    if (box.value && first) maybe("input", first)?.click();
  });
  labels[0].before(box);
}

for (const select of all("main select:not([multiple])", document, HTMLSelectElement)) {
  if ([...select.options].filter((option) => option.value).length >= MANY) searchOptions(select);
}
for (const group of all("main fieldset", document, HTMLFieldSetElement)) searchTicks(group);

// Chosen in another way: all can be seen again.
document.addEventListener("change", (event) => {
  const select = targetOf(event);
  const box = select instanceof HTMLSelectElement ? select.previousElementSibling : null;
  if (!(box instanceof HTMLInputElement) || !box.matches(".picker")) return;
  box.value = "";
  box.dispatchEvent(new Event("input"));
});
