// Forms with questions: what is asked only after a certain answer to another question is hidden until then. Without
// script everything is shown, and the server leaves out what was not asked.
import { all } from "./dom.js";

export function showAsked() {
  for (const part of all("[data-only-if]")) {
    const name = CSS.escape(part.dataset.onlyIf ?? "");
    const value = CSS.escape(part.dataset.is ?? "");
    part.hidden = !document.querySelector(`input[name="${name}"][value="${value}"]:checked`);
  }
}

// A document with marked statements begins at the first one: on a phone they would lie far below what is in sight.
export function showMarks() {
  for (const box of all(".document")) {
    const mark = box.querySelector("mark, del");
    if (mark) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
  }
}

document.addEventListener("change", showAsked);
showAsked();
showMarks();
