// The reading pane: tabs, find in page, sections, text size, and the divider between it and the form. This
// browser remembers what a person chose. Nothing here changes the text, because offsets are counted in it.
import { all, around, make, maybe, one, onHtmx, targetOf } from "../dom.js";
import * as storage from "../storage.js";
import { say } from "../text/say.js";
import { Divider } from "./divider.js";
import { paint, rangesOf } from "./ranges.js";
import { prepareSides, showSide } from "./sides.js";

const SIZE_KEY = "pane-size";
const SIZES = [0.875, 0.9375, 1.0625, 1.1875, 1.375, 1.625];
const ORDINARY = 1.0625;

export class Pane {
  /** @type {Range[]} */
  #matches = [];
  #at = -1;
  #tabs;
  #found;
  #sections;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.find = one("[data-finds]", element, HTMLInputElement);
    this.#tabs = all("[role=tab]", element);
    this.#found = one("[data-found]", element);
    this.#sections = one("[data-sections]", element, HTMLSelectElement);
    for (const tab of this.#tabs) {
      tab.addEventListener("click", (event) => {
        event.preventDefault();
        this.show(kindOf(tab));
      });
    }
    one("[role=tablist]", element).addEventListener("keydown", (event) => this.#alongTabs(event));
    this.find.addEventListener("input", () => this.#search());
    this.find.addEventListener("keydown", (event) => this.#findKey(event));
    this.#sections.addEventListener("change", () => this.#toSection());
    for (const button of all("[data-resizes]", element)) {
      button.addEventListener("click", () => this.#resize(Number(button.dataset.resizes)));
    }
    for (const button of all("[data-to-tag]", element)) {
      button.addEventListener("click", () => {
        this.show("article");
        this.toTag();
      });
    }
    const more = one("[data-extras]", element);
    more.addEventListener("click", () => this.#showExtras(more.getAttribute("aria-expanded") !== "true"));
    const fold = one("[data-folds]", element);
    fold.addEventListener("click", () => this.#fold(fold));
    // A fragment that arrived later: an article that had to be fetched first, or the history once a person opens it.
    onHtmx("htmx:afterSettle", (event) => {
      const panel = around(targetOf(event), "[role=tabpanel]");
      if (panel) this.#filled(panel);
    }, element);
    const size = Number(storage.read(SIZE_KEY));
    if (SIZES.includes(size)) this.#size(size);
    this.#listSections();
    this.toTag();
    new Divider(one("#divider"));
    prepareSides(() => this.toTag());
  }

  /** The shown tab: "article", "history" ... */
  get kind() {
    return kindOf(one("[role=tab][aria-selected=true]", this.element));
  }

  /**
   * The panel of a tab.
   * @param {string} [kind] By default the one that is shown
   * @returns {HTMLElement}
   */
  panel(kind = this.kind) {
    return one(`[role=tabpanel][data-kind="${CSS.escape(kind)}"]`, this.element);
  }

  /** Puts the cursor into the field that finds. */
  toFind() {
    showSide("article");
    this.#showExtras(true);
  }

  /** @param {boolean} isShown */
  #showExtras(isShown) {
    one("[data-extras]", this.element).setAttribute("aria-expanded", String(isShown));
    if (isShown) this.find.focus();
  }

  // --- tabs ---------------------------------------------------------------------------------------------------

  /**
   * Shows a tab's panel, and requests it from the server the first time.
   * @param {string} kind
   * @param {{ focus?: boolean }} [options]
   */
  show(kind, { focus = false } = {}) {
    for (const tab of this.#tabs) {
      const isShown = kindOf(tab) === kind;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      this.panel(kindOf(tab)).hidden = !isShown;
      if (isShown && focus) tab.focus();
    }
    const waiting = maybe("[data-loads]:not([data-asked])", this.panel(kind));
    if (waiting) {
      waiting.dataset.asked = "";
      htmx.trigger(waiting, "shown");
    }
    this.#listSections();
    if (this.find.value) this.#search({ stay: true });
    this.element.dispatchEvent(new Event("shown"));
  }

  /** @param {KeyboardEvent} event */
  #alongTabs(event) {
    const at = this.#tabs.findIndex((tab) => kindOf(tab) === this.kind);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.#tabs.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const tab = this.#tabs.at(to % this.#tabs.length);
    if (tab) this.show(kindOf(tab), { focus: true });
  }

  /** @param {HTMLElement} panel */
  #filled(panel) {
    const kind = kindOf(panel);
    if (kind === this.kind) this.#listSections();
    if (kind === "article") this.toTag();
    if (kind === "talk") panel.scrollTop = 0;
    this.element.dispatchEvent(new Event("filled"));
  }

  /** Scrolls the tagged paragraph to a third from the top; nothing else on the page moves. */
  toTag() {
    const panel = this.panel("article");
    const tagged = panel.querySelector(".ev-tagged");
    if (tagged) this.scrollTo(panel, tagged.getBoundingClientRect());
  }

  /**
   * @param {HTMLElement} panel
   * @param {DOMRect} box What to scroll into view
   */
  scrollTo(panel, box) {
    const frame = panel.getBoundingClientRect();
    panel.scrollTop += box.top - frame.top - Math.min(frame.height / 3, 220);
  }

  // --- sections -----------------------------------------------------------------------------------------------

  #listSections() {
    const headings = all(".ev-text :is(h2, h3, h4)[id]", this.panel());
    const lines = headings.map((heading) => make("option", {
      value: heading.id,
      textContent: "\u2003".repeat(Number(heading.tagName[1]) - 2) + (heading.textContent ?? "").trim(),
    }));
    this.#sections.replaceChildren(this.#sections.options[0], ...lines);
    this.#sections.selectedIndex = 0;
    this.#sections.disabled = lines.length === 0;
  }

  #toSection() {
    const heading = document.getElementById(this.#sections.value);
    this.#sections.selectedIndex = 0;
    if (!heading) return;
    const panel = this.panel();
    panel.scrollTop += heading.getBoundingClientRect().top - panel.getBoundingClientRect().top - 8;
    panel.focus({ preventScroll: true });
  }

  // --- find in page -------------------------------------------------------------------------------------------

  #search({ stay = false } = {}) {
    const wanted = this.find.value.trim().toLowerCase();
    const root = this.panel().querySelector(".ev-text");
    this.#matches = root && wanted.length > 1 ? rangesOf(root, wanted) : [];
    this.#at = -1;
    paint("found", this.#matches);
    paint("found-now", []);
    if (this.#matches.length && !stay) this.#step(1);
    else this.#found.textContent = wanted.length > 1 ? say("{count} found", { count: this.#matches.length }) : "";
  }

  /** @param {1 | -1} by */
  #step(by) {
    const count = this.#matches.length;
    if (!count) return;
    this.#at = this.#at < 0 ? 0 : (this.#at + by + count) % count;
    const range = this.#matches[this.#at];
    paint("found-now", [range]);
    this.scrollTo(this.panel(), range.getBoundingClientRect());
    this.#found.textContent = say("{at} of {count}", { at: this.#at + 1, count });
  }

  /** @param {KeyboardEvent} event */
  #findKey(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.#step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && this.find.value) {
      event.preventDefault();
      this.find.value = "";
      this.#search();
      this.panel().focus({ preventScroll: true });
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.#showExtras(false);
      this.panel().focus({ preventScroll: true });
    }
  }

  // --- text size, folding -------------------------------------------------------------------------------------

  /** @param {number} by */
  #resize(by) {
    const now = Number(this.element.dataset.size ?? ORDINARY);
    const size = SIZES[Math.min(Math.max(SIZES.indexOf(now) + by, 0), SIZES.length - 1)];
    this.#size(size);
    storage.write(SIZE_KEY, size);
  }

  /** @param {number} size */
  #size(size) {
    this.element.dataset.size = String(size);
    this.element.style.setProperty("--pane-size", `${size}rem`);
  }

  /**
   * On a narrow screen the pane is above the form and can be folded.
   * @param {HTMLElement} button
   */
  #fold(button) {
    const isFolded = this.element.classList.toggle("folded");
    button.setAttribute("aria-expanded", String(!isFolded));
    button.textContent = isFolded ? "▾" : "▴";
    button.title = isFolded ? say("Show the article") : say("Hide the article");
    button.setAttribute("aria-label", button.title);
    if (!isFolded) this.toTag();
  }
}

/**
 * @param {HTMLElement} element A tab or a panel
 * @returns {string}
 */
function kindOf(element) {
  return element.dataset.kind ?? "";
}
