// The divider between pane and form: dragged, or moved with the arrow keys. This browser remembers where it is.
import * as storage from "../storage.js";

const KEY = "pane-share";
const MIDDLE = 46; // percent of the width for the pane
const [LEAST, MOST] = [25, 70];

export class Divider {
  #share = MIDDLE;
  #element;
  #frame;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
    this.#frame = element.parentElement ?? document.body;
    const kept = Number(storage.read(KEY));
    if (kept) this.#move(kept);
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
      element.focus();
    });
    element.addEventListener("pointermove", (event) => {
      if (!element.hasPointerCapture(event.pointerId)) return;
      const box = this.#frame.getBoundingClientRect();
      this.#move(((event.clientX - box.left) / box.width) * 100);
    });
    element.addEventListener("lostpointercapture", () => this.#keep());
    element.addEventListener("dblclick", () => {
      this.#move(MIDDLE);
      this.#keep();
    });
    element.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: this.#share - 2, ArrowRight: this.#share + 2, Home: LEAST, End: MOST }[event.key];
      if (to === undefined || event.altKey) return;
      event.preventDefault();
      this.#move(to);
      this.#keep();
    });
  }

  /** @param {number} share */
  #move(share) {
    this.#share = Math.min(Math.max(share, LEAST), MOST);
    this.#frame.style.setProperty("--pane-share", String(this.#share));
    this.#element.setAttribute("aria-valuenow", String(Math.round(this.#share)));
  }

  #keep() {
    storage.write(KEY, Number(this.#share.toFixed(1)));
  }
}
