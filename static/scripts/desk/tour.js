// A tour of the page: a few words beside one part after another. It holds nobody up: everything else stays usable, and
// Escape ends it.
import { maybe, one } from "../dom.js";
import { say } from "../text/say.js";

const APART = 12; // pixels between the words and the part that they are about

export class Tour {
  #stops;
  #template;
  #at = 0;
  /** @type {HTMLElement | null} */
  #card = null;
  /** @type {HTMLElement | null} */
  #part = null; // what the words are about at the moment
  /** @type {HTMLElement | null} */
  #from = null; // where the focus goes afterwards
  #follow = () => this.#putBeside();
  #over = new AbortController();

  /**
   * @param {HTMLElement[]} stops Each with its part's selector in `data-at`, a heading and its words
   * @param {HTMLTemplateElement} template
   */
  constructor(stops, template) {
    this.#stops = stops;
    this.#template = template;
  }

  /** @param {HTMLElement} [from] What began the tour */
  start(from) {
    this.end();
    this.#from = from ?? null;
    this.#card = /** @type {HTMLElement} */ (this.#template.content.firstElementChild?.cloneNode(true));
    document.body.append(this.#card);
    one("[data-tour-next]", this.#card).addEventListener("click", () => this.#go(1));
    one("[data-tour-back]", this.#card).addEventListener("click", () => this.#go(-1));
    one("[data-tour-ends]", this.#card).addEventListener("click", () => this.end());
    this.#card.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.end();
    });
    this.#over = new AbortController();
    const { signal } = this.#over;
    addEventListener("resize", this.#follow, { signal });
    addEventListener("scroll", this.#follow, { capture: true, passive: true, signal });
    this.#at = 0;
    this.#show();
  }

  end() {
    if (!this.#card) return;
    this.#part?.classList.remove("on-tour");
    this.#card.remove();
    this.#card = null;
    this.#over.abort();
    this.#from?.focus();
  }

  // The last stop's button: puts the focus where the work begins, and opens it if that is another page.
  #begin() {
    const start = this.#stops.at(-1)?.parentElement?.dataset.begins;
    this.end();
    const first = maybe("#step-1 [data-label], [data-begins-here]");
    if (start && start !== location.pathname) location.assign(start);
    else (first ?? maybe("#main"))?.focus();
  }

  /** @param {number} by */
  #go(by) {
    this.#at += by;
    if (this.#at >= this.#stops.length) this.#begin();
    else this.#show();
  }

  #show() {
    const stop = this.#stops[this.#at];
    if (!this.#card || !stop) return;
    const last = this.#at === this.#stops.length - 1;
    one("[data-tour-count]", this.#card).textContent = say("Tour, {at} of {count}", { at: this.#at + 1, count: this.#stops.length });
    one("#tour-title", this.#card).textContent = one("strong", stop).textContent;
    one("#tour-words", this.#card).textContent = one("span", stop).textContent;
    one("[data-tour-next]", this.#card).textContent = last ? say("Begin") : say("Next");
    one("[data-tour-back]", this.#card).hidden = this.#at === 0;
    this.#part?.classList.remove("on-tour");
    this.#part = maybe(stop.dataset.at ?? "");
    this.#part?.classList.add("on-tour");
    this.#part?.scrollIntoView({ block: "nearest" });
    this.#putBeside();
    this.#card.focus({ preventScroll: true });
  }

  // Beside the part where there is room, else over its lower edge; always within the window.
  #putBeside() {
    if (!this.#card) return;
    const { width, height } = this.#card.getBoundingClientRect();
    const part = this.#part?.getBoundingClientRect();
    const right = innerWidth - width - APART;
    const bottom = innerHeight - height - APART;
    if (!part?.width) {
      move(this.#card, right, bottom);
    } else if (part.right + APART + width <= innerWidth) {
      move(this.#card, part.right + APART, clamp(part.top, bottom));
    } else if (part.left - APART - width >= 0) {
      move(this.#card, part.left - APART - width, clamp(part.top, bottom));
    } else if (part.bottom + APART + height <= innerHeight) {
      move(this.#card, clamp(part.left, right), part.bottom + APART);
    } else if (part.top - APART - height >= 0) {
      move(this.#card, clamp(part.left, right), part.top - APART - height);
    } else {
      move(this.#card, clamp(part.left, right), bottom);
    }
  }
}

/**
 * @param {number} value
 * @param {number} most
 */
const clamp = (value, most) => Math.max(APART, Math.min(value, most));

/**
 * @param {HTMLElement} card
 * @param {number} left
 * @param {number} top
 */
function move(card, left, top) {
  card.style.left = `${Math.round(left)}px`;
  card.style.top = `${Math.round(top)}px`;
}
