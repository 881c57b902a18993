// The changes of passages that were made from the reading pane, so that each can be undone.
import { one, targetOf } from "../dom.js";
import { isTyping } from "../keys.js";

/** @typedef {1 | 2} Position */
/** @typedef {import("../desk/passages.js").Passages} Passages */
/** @typedef {import("../desk/passages.js").Texts & { title: string }} Texts */
/** @typedef {import("./sources.js").Source} Source */
/**
 * A change of a passage: the parts that it had before, and its texts before and after.
 * `isJoined`: undone together with the one before it.
 * @typedef {{ position: Position, parts: Source[], before: Texts, after: Texts, isJoined?: boolean }} Step
 */

/** @type {Record<Position, "A" | "B">} */
export const LETTERS = { 1: "A", 2: "B" };

export class History {
  /** @type {Step[]} */
  #steps = [];
  /** @type {Set<Element>} */
  #edited = new Set(); // fields that the person has typed in since the last change of their passage here
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
    form.addEventListener("input", (event) => this.#noteEdit(event));
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
    this.#forgetEdits(position);
  }

  /** Has the last change undone together with the one before it. */
  join() {
    if (this.last) this.last.isJoined = true;
  }

  /** Puts the texts before the last change back, and forgets it. */
  goBack() {
    const step = this.#steps.pop();
    if (!step) return;
    const title = this.#title(step.position);
    if (title.value === step.after.title) title.value = step.before.title;
    this.#passages.put(LETTERS[step.position], step.before);
    this.#forgetEdits(step.position);
  }

  /**
   * Whether undoing, with the cursor there, means the last change here. In a text field it undoes typing.
   * @param {HTMLElement} at
   */
  mayUndo(at) {
    if (!this.last || !isTyping(at)) return Boolean(this.last);
    return this.#fields(this.last.position).includes(at) && !this.#edited.has(at);
  }

  /** @param {Event} event */
  #noteEdit(event) {
    // The browser's own undo may have led back to where the passage was changed here.
    const isBack = event instanceof InputEvent && event.inputType === "historyUndo" && this.last && !this.isEdited;
    if (isBack) this.#forgetEdits(this.last.position);
    else this.#edited.add(targetOf(event));
  }

  /** @param {Position} position */
  #forgetEdits(position) {
    for (const field of this.#fields(position)) this.#edited.delete(field);
  }

  /**
   * The two text fields of a passage.
   * @param {Position} position
   * @returns {Element[]}
   */
  #fields(position) {
    const name = `paragraph${LETTERS[position]}_information`;
    return [name, `${name}_standalone`].map((each) => one(`[name=${each}]`, this.#form));
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
