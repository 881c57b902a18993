// Forms with questions: what is asked only after a certain answer to another question is hidden until then. Without
// script everything is shown, and the server leaves out what was not asked.
import { all } from "./dom.js";

/** @param {ParentNode} [within] */
export function showAsked(within = document) {
  for (const part of all("[data-only-if]", within)) {
    const name = CSS.escape(part.dataset.onlyIf ?? "");
    const value = CSS.escape(part.dataset.is ?? "");
    part.hidden = !within.querySelector(`input[name="${name}"][value="${value}"]:checked`);
  }
}

// A document with marked statements begins at the first one: on a phone they would lie far below what is in sight.
/** @param {ParentNode} [within] */
export function showMarks(within = document) {
  for (const box of all(".document", within)) {
    const mark = box.querySelector("mark, del");
    if (mark) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
  }
}

document.addEventListener("change", () => showAsked());
showAsked();
showMarks();
