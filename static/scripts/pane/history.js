// The changes of passages that were made from the reading pane, so that each can be undone.
import { one } from "../dom.js";

/** @typedef {1 | 2} Position */
/** @typedef {import("../desk/passages.js").Passages} Passages */
/** @typedef {import("../desk/passages.js").Texts & { title: string }} Texts */
/** @typedef {import("./sources.js").Source} Source */
/**
 * A change of a passage: the parts that it had before, and its texts before and after.
 * @typedef {{ position: Position, parts: Source[], before: Texts, after: Texts }} Step
 */

/** @type {Record<Position, "A" | "B">} */
export const LETTERS = { 1: "A", 2: "B" };

export class History {
  /** @type {Step[]} */
  #steps = [];
  #form;
  #passages;
  #partsOf;

  /**
   * @param {HTMLFormElement} form
   * @param {Passages} passages
   * @param {(position: Position) => Source[]} partsOf
   */
  constructor(form, passages, partsOf) {
    this.#form = form;
    this.#passages = passages;
    this.#partsOf = partsOf;
  }

  get last() {
    return this.#steps.at(-1);
  }

  /** Whether the passage that was changed last was edited since. */
  get isEdited() {
    if (!this.last) return false;
    const { found, standalone } = this.#texts(this.last.position);
    return found !== this.last.after.found || standalone !== this.last.after.standalone;
  }

  /**
   * Makes a change, and remembers what was there before.
   * @param {Position} position
   * @param {() => void} change
   */
  note(position, change) {
    const [parts, before] = [this.#partsOf(position), this.#texts(position)];
    change();
    this.#steps.push({ position, parts, before, after: this.#texts(position) });
  }

  /** Puts the texts before the last change back, and forgets it. */
  goBack() {
    const step = this.#steps.pop();
    if (!step) return;
    const title = this.#title(step.position);
    if (title.value === step.after.title) title.value = step.before.title;
    this.#passages.put(LETTERS[step.position], step.before);
  }

  /** @param {Position} position */
  #title(position) {
    return one(`[name=paragraph${LETTERS[position]}_article]`, this.#form, HTMLInputElement);
  }

  /**
   * @param {Position} position
   * @returns {Texts}
   */
  #texts(position) {
    return { ...this.#passages.texts(LETTERS[position]), title: this.#title(position).value };
  }
}
