// The desk's passages: the stand-alone version that starts as the passage, and the contradicted span shown in it.
import { all, around, maybe, one } from "../dom.js";
import { showSpan, spanPieces } from "../text/spans.js";

/** @typedef {"A" | "B"} Letter */

/** @type {Letter[]} */
const LETTERS = ["A", "B"];

export class Passages {
  /** @type {Record<Letter, string>} */
  #before = { A: "", B: "" }; // the passage as it was when its field was entered
  #form;
  #onChange;

  /**
   * @param {HTMLFormElement} form
   * @param {() => void} onChange
   */
  constructor(form, onChange) {
    this.#form = form;
    this.#onChange = onChange;
    for (const letter of LETTERS) {
      const passage = this.#passage(letter);
      passage.addEventListener("focusin", () => { this.#before[letter] = passage.value; });
      passage.addEventListener("change", () => this.#follow(letter));
    }
    for (const button of all("[data-takes-span]", form)) {
      // Pressing the button must not lose the selection that it takes.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("click", () => this.takeSpan());
    }
    this.show();
  }

  /** @param {string} name */
  #field(name) {
    return /** @type {import("../dom.js").TextField} */ (one(`[name=${name}]`, this.#form));
  }

  /** @param {Letter} letter */
  #passage(letter) {
    return this.#field(`paragraph${letter}_information`);
  }

  /** @param {Letter} letter */
  #standalone(letter) {
    return this.#field(`paragraph${letter}_information_standalone`);
  }

  /**
   * @param {import("../dom.js").TextField} field
   * @param {string} value
   */
  #set(field, value) {
    field.value = value;
    this.#onChange();
  }

  /**
   * An untouched stand-alone version goes with its passage.
   * @param {Letter} letter
   */
  #follow(letter) {
    const passage = this.#passage(letter);
    const standalone = this.#standalone(letter);
    if (standalone.value.trim() === "" || standalone.value === this.#before[letter]) this.#set(standalone, passage.value.trim());
    this.#before[letter] = passage.value;
  }

  /**
   * A new text for the passage; its untouched stand-alone version goes with it.
   * @param {Letter} letter
   * @param {string} text
   */
  put(letter, text) {
    const passage = this.#passage(letter);
    this.#before[letter] = passage.value;
    passage.value = text;
    this.#follow(letter);
    this.#onChange();
  }

  /** The text selected in one of the shown passages becomes its contradicted span; a second piece is added. */
  takeSpan() {
    const selection = getSelection();
    const at = selection?.anchorNode?.parentElement;
    const view = at && around(at, "[data-passage-view]");
    const words = selection?.toString().trim();
    if (!selection || !words || !view?.contains(selection.focusNode)) return;
    const own = view.dataset.passageView === "A" ? "A" : "B";
    const span = this.#field(`relevantInfo_comment_${own}_Span`);
    const isThere = span.value.trim() && view.textContent?.includes(span.value.trim().split("\n")[0]);
    this.#set(span, isThere && !span.value.includes(words) ? `${span.value.trim()}\n${words}` : words);
    selection.removeAllRanges();
    // On to what is still to be written: the statement of this passage, that of the other, else the span itself.
    const statements = [own, own === "A" ? "B" : "A"].map((letter) => this.#field(`relevantInfo_comment_${letter}`));
    (statements.find((statement) => !statement.value.trim()) ?? span).focus();
  }

  /** The passages in step 3, with their spans marked as far as they are found. */
  show() {
    const same = maybe("[name=wikitag_label_samepassage]:checked", this.#form, HTMLInputElement)?.value === "Same";
    for (const letter of LETTERS) {
      const from = same ? "A" : letter;
      const standalone = this.#standalone(from).value;
      const span = this.#field(`relevantInfo_comment_${letter}_Span`).value;
      const text = standalone.trim() && (!span.trim() || spanPieces(standalone, span)) ? standalone : this.#passage(from).value;
      const view = one(`[data-passage-view=${letter}]`, this.#form);
      view.hidden = !text.trim();
      showSpan(view, text, span);
    }
  }
}
