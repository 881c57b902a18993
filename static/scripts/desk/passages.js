// The desk's passages. Each is one text on the page: it starts as what was found and is edited until it stands alone;
// what was found stays behind it and can be brought back. Step 3 takes the contradicted span from it.
import { all, around, focused, maybe, one, redraw, typeUndoably, unfold } from "../dom.js";
import { notice } from "../notices.js";
import { wordChanges } from "../text/changes.js";
import { changedWords, changesInWords } from "../text/marks.js";
import { say, sayCount } from "../text/say.js";
import { showSpan, spanPieces } from "../text/spans.js";

/** @typedef {"A" | "B"} Letter */

/** @typedef {{ found: string, standalone: string }} Texts The two texts of a passage */

/** @type {Letter[]} */
export const LETTERS = ["A", "B"];
const SAID_AFTER = 1_000; // milliseconds without a key

export class Passages {
  /** @type {Record<Letter, string>} */
  #before = { A: "", B: "" }; // what was found, as it was when its field was entered
  /** @type {Record<Letter, boolean>} */
  #isTypedAnew = { A: false, B: false }; // nothing was found yet: what is typed is what was found
  /** @type {Record<Letter, string>} */
  #own = { A: "", B: "" }; // the person's version while the original is shown
  #timer = 0;
  #form;
  #onChange;
  #undo;

  /**
   * @param {HTMLFormElement} form
   * @param {import("./undo.js").Undo} undo
   * @param {() => void} onChange
   */
  constructor(form, undo, onChange) {
    this.#form = form;
    this.#undo = undo;
    this.#onChange = onChange;
    for (const letter of LETTERS) {
      const passage = this.#passage(letter);
      passage.addEventListener("focusin", () => { this.#before[letter] = passage.value; });
      passage.addEventListener("input", () => this.#follow(letter));
      const standalone = this.#standalone(letter);
      standalone.addEventListener("focusin", () => { this.#isTypedAnew[letter] = !passage.value.trim(); });
      standalone.addEventListener("input", () => this.#typed(letter));
    }
    for (const button of all("[data-original]", form)) button.addEventListener("click", () => this.toOriginal(letterOf(button.dataset.original)));
    for (const button of all("[data-shows-found]", form)) {
      button.addEventListener("click", () => this.showFound(letterOf(button.dataset.showsFound), button.getAttribute("aria-expanded") !== "true"));
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
    if (["", this.#before[letter].trim()].includes(standalone.value.trim())) this.#set(standalone, passage.value.trim());
    this.#before[letter] = passage.value;
  }

  /**
   * Text typed into an empty passage counts as found until the field is left.
   * @param {Letter} letter
   */
  #typed(letter) {
    const { value } = this.#standalone(letter);
    const isSelected = !one(`[data-sources-of="${letter === "A" ? 1 : 2}"]`, this.#form).hidden;
    if (!value.trim() && !isSelected) this.#isTypedAnew[letter] = true;
    if (this.#isTypedAnew[letter]) this.#passage(letter).value = value;
  }

  /**
   * Changes both texts of a passage in one way; a stand-alone version that nobody has edited follows what was found.
   * @param {Letter} letter
   * @param {(text: string) => string} change
   */
  rewrite(letter, change) {
    const { found, standalone } = this.texts(letter);
    const text = change(found);
    const isEdited = !["", found.trim()].includes(standalone.trim());
    this.put(letter, { found: text, standalone: isEdited ? change(standalone) : text.trim() });
    if (!text) this.#own[letter] = standalone;
  }

  /**
   * @param {Letter} letter
   * @returns {Texts}
   */
  texts(letter) {
    return { found: this.#passage(letter).value, standalone: this.#standalone(letter).value };
  }

  /**
   * @param {Letter} letter
   * @param {Texts} texts
   */
  put(letter, { found, standalone }) {
    this.#passage(letter).value = found;
    this.#standalone(letter).value = standalone;
    this.#before[letter] = found;
    this.#isTypedAnew[letter] = false;
    this.#onChange();
  }

  // --- back to the original -----------------------------------------------------------------------------------

  /**
   * Puts what was found back instead of the stand-alone version, or that version again. The browser's undo knows it.
   * @param {Letter} [letter] By default that of the passage at hand
   */
  toOriginal(letter = focused().closest(".passage-2") ? "B" : "A") {
    const standalone = this.#standalone(letter);
    const found = this.#passage(letter).value.trim();
    const isOriginal = standalone.value.trim() === found;
    const text = isOriginal ? this.#own[letter] : found;
    if (!text) return;
    if (!isOriginal) this.#own[letter] = standalone.value;
    unfold(standalone, "details[data-step]");
    typeUndoably(standalone, text);
    standalone.setSelectionRange(0, 0);
    this.#say(letter, isOriginal ? say("Your version.") : say("The text as found. Press the same key for your version."));
  }

  /**
   * Shows what was found in a field of its own, to be corrected.
   * @param {Letter} letter
   * @param {boolean} [isShown]
   */
  showFound(letter, isShown = true) {
    one(`[data-as-found="${letter}"]`, this.#form).classList.toggle("is-shown", isShown);
    one(`[data-shows-found="${letter}"]`, this.#form).setAttribute("aria-expanded", String(isShown));
    if (isShown) this.#passage(letter).focus({ preventScroll: true });
  }

  /**
   * @param {Letter} letter
   * @param {string} words
   */
  #say(letter, words) {
    one(`[data-text-said="${letter}"]`, this.#form).textContent = words;
  }

  /**
   * Says how many changes there are and, once the person pauses, which.
   * @param {Letter} letter
   */
  #showChanges(letter) {
    const found = this.#passage(letter).value.trim();
    const text = this.#standalone(letter).value;
    const isChanged = found !== "" && text.trim() !== "" && text.trim() !== found;
    const pieces = isChanged ? wordChanges(found, text.trim()) : [];
    const words = isChanged ? changesInWords(pieces) || say("Only spaces were changed.") : "";
    const count = changedWords(pieces).length || 1;
    redraw(one(`[data-changes-of="${letter}"]`, this.#form), isChanged ? sayCount(count, "{count} change", "{count} changes") : "");
    redraw(one(`[data-changes-in-words="${letter}"]`, this.#form), words);
    const button = one(`[data-original="${letter}"]`, this.#form);
    button.hidden = !isChanged && !(this.#own[letter] && found && text.trim() === found);
    redraw(one("[data-original-words]", button), isChanged ? say("Original") : say("My version"));
    one(`[data-shows-found="${letter}"]`, this.#form).hidden = !found;
    one(`[data-hint-of="${letter}"]`, this.#form).hidden = Boolean(found || text.trim());
  }

  // --- the contradicted span ----------------------------------------------------------------------------------

  /** Makes the text selected in a passage its contradicted span, or adds it as a second piece. */
  takeSpan() {
    const chosen = this.#chosen();
    if (!chosen) return;
    const { letter, words, text } = chosen;
    const span = this.#field(`relevantInfo_comment_${letter}_Span`);
    const isThere = span.value.trim() && text.includes(span.value.trim().split("\n")[0]);
    const before = span.value;
    const after = isThere && !before.includes(words) ? `${before.trim()}\n${words}` : words;
    this.#set(span, after);
    getSelection()?.removeAllRanges();
    unfold(span, "details[data-step]");
    // Move on to what is still empty: this passage's statement, the other's, else the span itself.
    const statements = [letter, letter === "A" ? "B" : "A"].map((each) => this.#field(`relevantInfo_comment_${each}`));
    const next = statements.find((statement) => !statement.value.trim()) ?? span;
    next.focus();
    const isIntact = () => span.value === after;
    this.#undo.note({ fields: [span, next], isIntact, undo: () => {
      if (isIntact()) this.#set(span, before);
      return true;
    } });
  }

  /**
   * The words that are selected in a passage: in the text that step 3 shows, or in the one that is edited in step 2.
   * @returns {{ letter: Letter, words: string, text: string } | null}
   */
  #chosen() {
    const field = focused();
    const letter = LETTERS.find((each) => this.#standalone(each) === field);
    if (letter && field instanceof HTMLTextAreaElement) {
      const words = field.value.slice(field.selectionStart, field.selectionEnd).trim();
      return words ? { letter, words, text: field.value } : null;
    }
    const selection = getSelection();
    const anchor = selection?.anchorNode;
    const at = anchor instanceof Element ? anchor : anchor?.parentElement;
    const view = at && around(at, "[data-passage-view]");
    const words = selection?.toString().trim();
    if (!words || !view) return null; // three clicks select to the start of what follows: the words decide
    const of = letterOf(view.dataset.passageView);
    const text = this.#shown(of);
    if (oneLine(text).includes(oneLine(words))) return { letter: of, words, text };
    notice(say("The words that you selected are not in the passage. Select words of one passage only. If you did, your browser may be translating this page, or an extension may be changing it: turn that off and reload the page. Nothing was changed."));
    return null;
  }

  /**
   * The text in which step 3 shows the span of a passage.
   * @param {Letter} letter
   */
  #shown(letter) {
    const same = maybe("[name=wikitag_label_samepassage]:checked", this.#form, HTMLInputElement)?.value === "Same";
    const from = same ? "A" : letter;
    const standalone = this.#standalone(from).value;
    const span = this.#field(`relevantInfo_comment_${letter}_Span`).value;
    return standalone.trim() && (!span.trim() || spanPieces(standalone, span)) ? standalone : this.#passage(from).value;
  }

  /** Shows what has changed in the passages, and the passages in step 3 with the spans that were found marked. */
  show() {
    for (const letter of LETTERS) {
      const text = this.#shown(letter);
      const field = this.#field(`relevantInfo_comment_${letter}_Span`);
      const span = field.value || field.placeholder; // a span that is only drafted is marked, too
      const view = one(`[data-passage-view=${letter}]`, this.#form);
      view.hidden = !text.trim();
      showSpan(view, text, span);
      this.#showChanges(letter);
    }
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#tell(), SAID_AFTER);
  }

  // For people who do not see the drawing: how many changes there are, said once the person pauses in the field.
  #tell() {
    const letter = LETTERS.find((each) => this.#standalone(each) === focused());
    const changes = letter && one(`[data-changes-of="${letter}"]`, this.#form).textContent;
    if (letter && changes) this.#say(letter, say("{changes} from the text as found.", { changes }));
  }
}

/** @param {string} text */
const oneLine = (text) => text.replace(/\s+/g, " ");

/**
 * @param {string | undefined} letter
 * @returns {Letter}
 */
export function letterOf(letter) {
  return letter === "B" ? "B" : "A";
}
