// The desk's passages: the stand-alone version, which starts as a copy of the passage, and the contradicted span in it.
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
      // Pressing the button must not clear the selection that it uses.
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
   * As long as nobody has edited it, the stand-alone version follows its passage.
   * @param {Letter} letter
   */
  #follow(letter) {
    const passage = this.#passage(letter);
    const standalone = this.#standalone(letter);
    if (standalone.value.trim() === "" || standalone.value === this.#before[letter]) this.#set(standalone, passage.value.trim());
    this.#before[letter] = passage.value;
  }

  /**
   * Sets the passage's text. The stand-alone version follows if nobody has edited it.
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

  /** Makes the text selected in a shown passage its contradicted span, or adds it as a second piece. */
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
    // Move on to what is still empty: this passage's statement, the other's, else the span itself.
    const statements = [own, own === "A" ? "B" : "A"].map((letter) => this.#field(`relevantInfo_comment_${letter}`));
    (statements.find((statement) => !statement.value.trim()) ?? span).focus();
  }

  /** Shows the passages in step 3, with the spans that were found marked. */
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
