// The guideline beside each step: shown or hidden everywhere at once, and remembered in this browser.
import { all, one } from "../dom.js";
import * as storage from "../storage.js";

const KEY = "desk-guideline";
const ROOM = 700; // pixels of the form's width from which a guideline takes no room from what is written

const guides = () => all("[data-guide]", document, HTMLDetailsElement);

/**
 * @param {boolean} [isOpen] The opposite of now, if left out
 */
export function toggleGuides(isOpen = !guides()[0].open) {
  for (const guide of guides()) guide.open = isOpen;
  storage.write(KEY, isOpen ? "open" : "closed");
}

// Asked only if nothing is remembered: measuring a width makes the browser lay out the whole page.
const hasRoomHere = () => one(".desk-work").clientWidth > ROOM;

/**
 * Opens or closes the guidelines as the person left them.
 * @param {() => boolean} [hasRoom] Whether they are open if nothing is remembered
 */
export function prepareGuides(hasRoom = hasRoomHere) {
  const remembered = storage.read(KEY);
  const isOpen = remembered ? remembered === "open" : hasRoom();
  for (const guide of guides()) {
    if (guide.open !== isOpen) guide.open = isOpen;
    one("summary", guide).addEventListener("click", (event) => {
      event.preventDefault();
      toggleGuides(!guide.open);
    });
  }
}
