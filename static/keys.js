// Single keys: says whether a key may act now, and puts the cursor into a text box that opens.
// Every page asks `mayKeyAct`; what is pressed together with Alt or Ctrl asks `isDialogOpen`.
"use strict";

const TEXT_BOX = "textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit], [type=button], [type=file])";
// What opens to be written in. The steps of the desk are no such thing: they are the form itself.
const OPENS = "details:not([data-step], .menu), .comments-panel";

function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}

// Typing is never a shortcut. A closed dialog keeps the focus for a moment, but nobody types there.
function isTyping(target) {
  if (!target.closest || target.closest("dialog:not([open])")) return false;
  return target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]") !== null;
}

// The text box that was opened or written in and not yet left: with Escape, by closing it or by sending it.
function boxInWriting() {
  const boxes = document.querySelectorAll("details[open][data-writing], .comments-panel[data-writing]");
  return [...boxes].findLast((box) => box.checkVisibility()) ?? null;
}

function mayKeyAct(event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (isDialogOpen() || isTyping(event.target)) return false;
  if (boxInWriting()) {
    if (event.key.length === 1 && event.key !== " ") sayThatKeysRest();
    return false;
  }
  // Enter and Space belong to the button or link that has the focus.
  return !(["Enter", " "].includes(event.key) && event.target.closest?.("a[href], button, summary, input"));
}

// A key that does nothing would look broken: it says why, until the next key or click.
function sayThatKeysRest() {
  if (document.getElementById("keys-rest")) return;
  const line = document.createElement("p");
  line.id = "keys-rest";
  line.setAttribute("role", "status");
  line.append("A text box is open, so single keys do nothing. ", Object.assign(document.createElement("kbd"), { textContent: "Esc" }), " leaves it.");
  document.body.append(line);
  const remove = (event) => {
    if (event.key?.length === 1) return;
    line.remove();
    for (const sign of ["keydown", "pointerdown"]) document.removeEventListener(sign, remove, true);
  };
  for (const sign of ["keydown", "pointerdown"]) document.addEventListener(sign, remove, true);
}

// Opens a fold to write in and puts the cursor there. At once, not after the browser's own toggle event: the first
// letter typed must not be taken for a key.
function openToWrite(fold) {
  fold.open = true;
  fold.querySelector(TEXT_BOX).focus({ preventScroll: true });
}

// Leaving keeps what was typed in sight; a box in which nothing was typed folds.
function leaveBox(box) {
  delete box.dataset.writing;
  const fields = [...box.querySelectorAll(TEXT_BOX)];
  if (fields.every((field) => field.value === field.defaultValue)) box.open = false;
  box.querySelector("summary").focus({ preventScroll: true });
}

// A click on the summary does what the key does.
document.addEventListener("click", (event) => {
  const fold = event.target.closest("summary")?.parentElement;
  if (!fold?.matches(OPENS) || fold.open || !fold.querySelector(TEXT_BOX)) return;
  event.preventDefault();
  openToWrite(fold);
});
document.addEventListener("focusin", (event) => {
  if (!event.target.matches(TEXT_BOX)) return;
  const box = event.target.closest(OPENS);
  if (box) box.dataset.writing = "";
});
// The event does not bubble.
document.addEventListener("toggle", (event) => {
  if (!event.target.open) delete event.target.dataset.writing;
}, true);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || isDialogOpen()) return;
  const box = event.target.closest?.("[data-writing]") ?? (isTyping(event.target) ? null : boxInWriting());
  if (!box?.matches("details")) return;
  event.preventDefault();
  leaveBox(box);
});
