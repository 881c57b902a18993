// Long texts in the cells of a table: on a narrow screen three lines of each are shown, and "more" shows the rest.
"use strict";

const NARROW = matchMedia("(max-width: 40rem)");

function buttonFor(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link small clamped-more";
  button.addEventListener("click", () => {
    text.classList.toggle("is-clamped");
    tell(text, button);
  });
  text.after(button);
  return button;
}

function tell(text, button) {
  const isClamped = text.classList.contains("is-clamped");
  button.textContent = isClamped ? "more" : "less";
  button.setAttribute("aria-expanded", String(!isClamped));
}

// What fits into three lines needs no button.
function clampAll() {
  for (const text of document.querySelectorAll(".clamped")) {
    const button = text.nextElementSibling?.matches(".clamped-more") ? text.nextElementSibling : buttonFor(text);
    text.classList.toggle("is-clamped", NARROW.matches);
    const isLonger = NARROW.matches && text.scrollHeight > text.clientHeight + 1;
    button.hidden = !isLonger;
    if (!isLonger) text.classList.remove("is-clamped");
    tell(text, button);
  }
}

clampAll();
NARROW.addEventListener("change", clampAll);
