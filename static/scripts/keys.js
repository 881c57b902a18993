// Shortcuts: decides whether a key may act now, and puts the cursor into a text box that opens.
// Single keys ask `mayKeyAct`, keys with Alt `keyWithAlt`, keys with Ctrl `isDialogOpen`.
import { isDialogOpen } from "./dialogs.js";
import { all, make, one, targetOf } from "./dom.js";
import { say } from "./text/say.js";

const TEXT_BOX = "textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit], [type=button], [type=file])";
// Elements that open for writing. The steps of the desk are not included, since they are the form itself.
const OPENS = "details:not([data-step], .menu), .comments-panel, dialog.panel";

/**
 * Whether a person can type in this element. Typing is never a shortcut. A closed dialog keeps the focus for a moment,
 * but nobody types there.
 * @param {Element} element
 * @returns {boolean}
 */
export function isTyping(element) {
  if (element.closest("dialog:not([open])")) return false;
  return element.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]") !== null;
}

/**
 * The text box that was opened or written in and has not been left yet, by Escape, by closing it or by sending it.
 * @returns {HTMLElement | null}
 */
export function boxInWriting() {
  return all("details[open][data-writing], .comments-panel[data-writing], dialog.panel[open][data-writing]").filter((box) => box.checkVisibility()).at(-1) ?? null;
}

/**
 * Whether a single key may act now. If an open text box prevents it, the page says so.
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
export function mayKeyAct(event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = targetOf(event);
  if (isDialogOpen() || isTyping(target)) return false;
  if (boxInWriting()) {
    if (event.key.length === 1 && event.key !== " ") sayThatKeysRest();
    return false;
  }
  // Enter and Space act on the button or link that has the focus.
  return !(["Enter", " "].includes(event.key) && target.closest("a[href], button, summary, input"));
}

// Option types signs on a Mac: on a German keyboard L is "@", 5 is "[".
const SIGN = /^[!-/:-@[-\x60{-~]$/;

/**
 * The key that is pressed with Alt and may act now, by the letter that it bears in the person's layout. Where that is
 * not Latin, and on a Mac, where Option types something else, by its position on the keyboard.
 * @param {KeyboardEvent} event
 * @returns {string} "KeyE", "Digit1", "Enter" and the like; "" if nothing may act
 */
export function keyWithAlt(event) {
  if (event.defaultPrevented || event.isComposing || !event.altKey || event.ctrlKey || event.metaKey || event.getModifierState("AltGraph")) return "";
  if (isDialogOpen() || (navigator.platform.startsWith("Mac") && SIGN.test(event.key) && isTyping(targetOf(event)))) return "";
  return /^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : event.code;
}

// A key that does nothing would look broken, so the page says why, until the next key or click.
function sayThatKeysRest() {
  if (document.getElementById("keys-rest")) return;
  const line = make("p", { id: "keys-rest" });
  line.setAttribute("role", "status");
  const [before, after] = say("A text box is open, so single keys do nothing. {key} leaves it.").split("{key}");
  line.append(before, make("kbd", { textContent: "Esc" }), after);
  document.body.append(line);
  /** @param {Event} event */
  const remove = (event) => {
    if (event instanceof KeyboardEvent && event.key.length === 1) return;
    line.remove();
    for (const sign of ["keydown", "pointerdown"]) document.removeEventListener(sign, remove, true);
  };
  for (const sign of ["keydown", "pointerdown"]) document.addEventListener(sign, remove, true);
}

/**
 * Opens a fold for writing and puts the cursor there: at once, not after the browser's toggle event, because the first
 * letter typed must not act as a key.
 * @param {HTMLDetailsElement} fold
 */
export function openToWrite(fold) {
  fold.open = true;
  one(TEXT_BOX, fold).focus({ preventScroll: true });
}

/**
 * On leaving, a box with text stays open, and an empty one folds.
 * @param {HTMLDetailsElement} box
 */
function leaveBox(box) {
  delete box.dataset.writing;
  const fields = /** @type {import("./dom.js").TextField[]} */ (all(TEXT_BOX, box));
  if (fields.every((field) => field.value === field.defaultValue)) box.open = false;
  one("summary", box).focus({ preventScroll: true });
}

// A click on the summary does what the key does.
document.addEventListener("click", (event) => {
  const fold = targetOf(event).closest("summary")?.parentElement;
  if (!(fold instanceof HTMLDetailsElement) || !fold.matches(OPENS) || fold.open || !fold.querySelector(TEXT_BOX)) return;
  event.preventDefault();
  openToWrite(fold);
});
document.addEventListener("focusin", (event) => {
  const field = targetOf(event);
  const box = field.matches(TEXT_BOX) ? field.closest(OPENS) : null;
  if (box instanceof HTMLElement) box.dataset.writing = "";
});
// The event does not bubble.
document.addEventListener("toggle", (event) => {
  const fold = targetOf(event);
  if (!(fold instanceof HTMLDetailsElement && fold.open)) delete fold.dataset.writing;
}, true);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || isDialogOpen()) return;
  const target = targetOf(event);
  const box = target.closest("[data-writing]") ?? (isTyping(target) ? null : boxInWriting());
  if (!(box instanceof HTMLDetailsElement)) return;
  event.preventDefault();
  leaveBox(box);
});
