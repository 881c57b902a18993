// The options of step 4: typing filters the semantic types, and a digit chooses one of those in sight.
import { all, around, maybe, one, targetOf } from "../dom.js";
import { matching } from "../text/options.js";
import { say, sayCount } from "../text/say.js";

const MOST_DIGITS = 9;

/**
 * The options of a group that are in sight, in order.
 * @param {Element} group
 */
const choicesOf = (group) => all("[data-choice]", group).filter((choice) => !choice.hidden);

/**
 * Connects the groups of this form.
 * @param {HTMLFormElement} form
 */
export function startTypes(form) {
  for (const group of all(".dimension", form)) {
    number(group);
    explain(group);
  }
  for (const filter of all("[data-filters]", form, HTMLInputElement)) {
    filter.addEventListener("input", () => show(filter));
    filter.addEventListener("keydown", (event) => onKey(event, filter));
  }
}

/** @param {HTMLInputElement} filter */
const groupOf = (filter) => around(filter, ".dimension") ?? filter;

/** @param {Element} group */
function number(group) {
  for (const choice of all("[data-choice]", group)) delete choice.dataset.digit;
  choicesOf(group).slice(0, MOST_DIGITS).forEach((choice, at) => { choice.dataset.digit = String(at + 1); });
}

/**
 * Shows the options that what is typed may mean.
 * @param {HTMLInputElement} filter
 */
function show(filter) {
  const group = groupOf(filter);
  const choices = all("[data-choice]", group);
  const found = new Set(matching(filter.value, choices.map((choice) =>
    ({ name: `${choice.dataset.choice} ${one("input", choice).dataset.name}`, aside: choice.textContent ?? "", meaning: choice.title }))));
  choices.forEach((choice, at) => { choice.hidden = !found.has(at); });
  for (const level of all(".choice-group", group)) level.hidden = choicesOf(level).length === 0;
  number(group);
  one("[data-filtered]", group).textContent = filter.value.trim() ? (found.size ? sayCount(found.size, "{count} type", "{count} types") : say("No such type")) : "";
  const first = choicesOf(group)[0];
  one("[data-meaning]", group).textContent = !first ? say("No such type.") : filter.value.trim() ? first.title : "";
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} filter
 */
function onKey(event, filter) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const group = groupOf(filter);
  if (event.key === "Enter") chooseAt(group, filter.value.trim() ? 1 : 0);
  else if (/^[1-9]$/.test(event.key)) chooseAt(group, Number(event.key));
  else if (event.key === "ArrowDown") maybe("input", choicesOf(group)[0] ?? filter)?.focus();
  else if (event.key === "Escape" && filter.value) clear(filter);
  else return;
  event.preventDefault();
}

/** @param {HTMLInputElement} filter */
function clear(filter) {
  filter.value = "";
  show(filter);
}

/**
 * Ticks or unticks the option with this number, and shows all of them again.
 * @param {Element} group
 * @param {number} digit
 * @returns {boolean} whether there is one
 */
export function chooseAt(group, digit) {
  const control = choicesOf(group)[digit - 1]?.querySelector("input");
  if (!control) return false;
  control.click();
  const filter = maybe("[data-filters]", group, HTMLInputElement);
  if (filter?.value) clear(filter);
  control.focus();
  return true;
}

/**
 * Puts the cursor into the first group in which nothing is chosen yet.
 * @param {Element} form
 * @returns {boolean} whether there is one
 */
export function toBlank(form) {
  const blank = all(".dimension", form).find((group) => !group.querySelector(":checked"));
  if (blank) maybe("[data-choice] input", blank)?.focus();
  return Boolean(blank);
}

/**
 * Goes on typing in the group's filter.
 * @param {Element} group
 * @param {string} letter
 */
export function beginFilter(group, letter) {
  const filter = maybe("[data-filters]", group, HTMLInputElement);
  if (!filter) return;
  filter.focus();
  filter.value += letter;
  filter.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * Shows the definition of the type under the pointer or the cursor.
 * @param {HTMLElement} group
 */
function explain(group) {
  const meaning = maybe("[data-meaning]", group);
  if (!meaning) return;
  for (const sign of ["mouseover", "focusin"]) {
    group.addEventListener(sign, (event) => {
      const title = targetOf(event).closest("label")?.title;
      if (title) meaning.textContent = title;
    });
  }
}
