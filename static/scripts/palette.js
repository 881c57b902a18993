// The palette: Ctrl+K or / opens it over any page, typing narrows it down, arrows choose, Enter goes there. Without this
// script its link leads to a page that finds the same.
import { isDialogOpen, openDialog } from "./dialogs.js";
import { all, around, copyOf, focused, maybe, one, targetOf } from "./dom.js";
import { mayKeyAct } from "./keys.js";

// The article beside a form has its own search, which / belongs to.
const OWN_SEARCH = "[data-finds]";

/** @returns {HTMLDialogElement} */
function palette() {
  const there = maybe("#palette", document, HTMLDialogElement);
  if (there) return there;
  const made = copyOf("palette-template");
  document.body.append(made);
  htmx.process(made);
  return one("#palette", document, HTMLDialogElement);
}

/** @param {HTMLElement} opener Gets the focus back */
function open(opener) {
  const dialog = palette();
  openDialog(dialog, opener);
  const field = one("input", dialog, HTMLInputElement);
  field.focus();
  field.select();
}

/**
 * Does this once what is shown belongs to the words in the field: a fast typist is ahead of the server.
 * @param {HTMLElement} dialog
 * @param {() => void} act
 */
function onceFound(dialog, act) {
  const field = one("input", dialog, HTMLInputElement);
  if (maybe("[data-words]", dialog)?.dataset.words === field.value.trim()) return act();
  dialog.addEventListener("htmx:afterSettle", () => onceFound(dialog, act), { once: true });
  htmx.trigger(field, "find-now");
}

document.addEventListener("click", (event) => {
  const opener = around(targetOf(event), "[data-palette]");
  if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(opener);
});

document.addEventListener("keydown", (event) => {
  const isChord = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
  const isSlash = event.key === "/" && !maybe(OWN_SEARCH) && mayKeyAct(event);
  if (event.defaultPrevented || !(isChord || isSlash) || isDialogOpen() || !maybe("[data-palette]")) return;
  event.preventDefault();
  const from = focused();
  open(from === document.body ? one("[data-palette]") : from);
});

// Browsers empty a search field on Escape first.
document.addEventListener("keydown", (event) => {
  const dialog = maybe("#palette", document, HTMLDialogElement);
  if (event.key !== "Escape" || event.isComposing || !dialog?.contains(targetOf(event))) return;
  event.preventDefault();
  dialog.close();
});

// Arrows move through the field and what was found, as through one list; Enter in the field goes to the first.
document.addEventListener("keydown", (event) => {
  const dialog = around(targetOf(event), "#palette");
  const isEnter = event.key === "Enter" && targetOf(event).matches("input");
  if (!dialog || event.isComposing || !(isEnter || event.key === "ArrowDown" || event.key === "ArrowUp")) return;
  event.preventDefault();
  onceFound(dialog, () => {
    if (isEnter) maybe(".found a", dialog)?.click();
    else move(dialog, event.key === "ArrowDown" ? 1 : -1);
  });
});

/**
 * @param {HTMLElement} dialog
 * @param {number} by
 */
function move(dialog, by) {
  const stops = [one("input", dialog), ...all(".found a", dialog)];
  const at = stops.indexOf(focused());
  stops[Math.min(Math.max(at + by, 0), stops.length - 1)]?.focus();
}
