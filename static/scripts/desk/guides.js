// The guideline of each step: open for people who are new here, else a line that opens it. Shown or hidden in all steps at
// once; this browser remembers what the person chose.
import { all, one } from "../dom.js";
import * as storage from "../storage.js";

const KEY = "desk-guideline";

const guides = () => all("[data-guide]", document, HTMLDetailsElement);

/**
 * @param {boolean} [isOpen] The opposite of now, if left out
 */
export function toggleGuides(isOpen = !guides()[0].open) {
  for (const guide of guides()) guide.open = isOpen;
  storage.write(KEY, isOpen ? "open" : "closed");
}

/** Opens or closes the guidelines as the person left them; otherwise they stay as they came with the page. */
export function prepareGuides() {
  const remembered = storage.read(KEY);
  for (const guide of guides()) {
    if (remembered && guide.open !== (remembered === "open")) guide.open = remembered === "open";
    one("summary", guide).addEventListener("click", (event) => {
      event.preventDefault();
      toggleGuides(!guide.open);
    });
  }
}
