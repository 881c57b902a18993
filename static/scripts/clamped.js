// Long texts in the cells of a table: a narrow screen shows three lines of each, and "more" shows the rest.
import { all, make } from "./dom.js";
import { say } from "./text/say.js";

const NARROW = matchMedia("(max-width: 40rem)");

/**
 * @param {HTMLElement} text
 * @returns {HTMLButtonElement}
 */
function buttonOf(text) {
  const there = text.nextElementSibling;
  if (there instanceof HTMLButtonElement && there.matches(".clamped-more")) return there;
  const button = make("button", { type: "button", className: "link small clamped-more" });
  button.addEventListener("click", () => {
    text.classList.toggle("is-clamped");
    tell(text, button);
  });
  text.after(button);
  return button;
}

/**
 * @param {HTMLElement} text
 * @param {HTMLButtonElement} button
 */
function tell(text, button) {
  const isClamped = text.classList.contains("is-clamped");
  button.textContent = isClamped ? say("more") : say("less");
  button.setAttribute("aria-expanded", String(!isClamped));
}

// A text that fits into four lines needs no button, which would take the fourth itself.
function clampAll() {
  for (const text of all(".clamped")) {
    const button = buttonOf(text);
    text.classList.toggle("is-clamped", NARROW.matches);
    const isLonger = NARROW.matches && text.scrollHeight > (text.clientHeight * 4) / 3 + 1;
    button.hidden = !isLonger;
    if (!isLonger) text.classList.remove("is-clamped");
    tell(text, button);
  }
}

clampAll();
NARROW.addEventListener("change", clampAll);
