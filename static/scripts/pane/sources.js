// Where the passages of an annotation are in the pages of the reading pane: highlights them and scrolls to them.
import { maybe } from "../dom.js";
import { paint, rangeBetween, rangesWithin } from "./ranges.js";
import { showSide } from "./sides.js";

/**
 * The source of a part of a passage, as listed by the server.
 * @typedef {object} Source
 * @property {number} position Of the passage: 1 or 2
 * @property {number} evidence The page that is kept
 * @property {number} start
 * @property {number} end
 * @property {string} text
 * @property {string} title
 * @property {string} page The tab that shows it
 * @property {string} kind
 * @property {number | null} revision
 */

export class Sources {
  #pane;
  #spans;

  /**
   * @param {import("./pane.js").Pane} pane
   * @param {Source[]} all
   * @param {{ spans?: Record<string, string> }} [options] `spans` by position, to be underlined within their passages
   */
  constructor(pane, all, { spans = {} } = {}) {
    this.#pane = pane;
    this.all = all;
    this.#spans = spans;
    /**
     * By position: passages that nobody selected but that the article contains.
     * @type {Record<string, Range>}
     */
    this.found = {};
    pane.element.addEventListener("shown", () => this.paint());
    pane.element.addEventListener("filled", () => this.paint());
  }

  /**
   * @param {number} position
   * @returns {Source[]}
   */
  of(position) {
    return this.all.filter((source) => source.position === position);
  }

  /** @param {number} position */
  #ranges(position) {
    const selected = this.of(position).map((source) => this.#rangeOf(source)).filter((range) => range !== null);
    return selected.length || !this.found[position] ? selected : [this.found[position]];
  }

  /** Colours the passages, and underlines their spans. */
  paint() {
    for (const position of [1, 2]) {
      const ranges = this.#ranges(position);
      paint(`passage-${position}`, ranges);
      const span = this.#spans[position]?.trim().toLowerCase();
      paint(`span-${position}`, span ? ranges.flatMap((range) => rangesWithin(range, span)) : []);
    }
  }

  /**
   * @param {Source} source
   * @returns {Range | null} null while its page is not shown
   */
  #rangeOf(source) {
    const root = maybe(`.ev-text[data-evidence="${source.evidence}"]`, this.#pane.element);
    return root && rangeBetween(root, source.start, source.end);
  }

  /** @param {Source} source */
  goTo(source) {
    showSide("article");
    this.#pane.show(source.page);
    const go = () => {
      const range = this.#rangeOf(source);
      if (range) this.goToRange(range);
      return range !== null;
    };
    // A tab that was never opened is still loading, and is scrolled to when it arrives.
    if (!go()) this.#pane.element.addEventListener("filled", go, { once: true });
  }

  /** @param {Range} range */
  goToRange(range) {
    this.#pane.scrollTo(this.#pane.panel(), range.getBoundingClientRect());
    this.#pane.panel().focus({ preventScroll: true });
  }
}
