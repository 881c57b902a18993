// While the person types, the server returns words that need resolving, and suggestions. Nothing is filled in without a
// key press or a click, and the suggestions that were taken are recorded.
import { postJSON } from "../api.js";
import { all, around, focused, make, maybe, one, redraw, replaceUndoably, targetOf } from "../dom.js";
import { wordChanges } from "../text/changes.js";
import { steadily } from "../steady.js";
import { drawMarks } from "../text/marks.js";
import { say } from "../text/say.js";
import { LETTERS, letterOf } from "./passages.js";
import { cut, standing, without } from "./references.js";
import { toBlank } from "./types.js";

/** @typedef {import("./passages.js").Letter} Letter */
/** @typedef {import("./references.js").Reference} Reference */

const ASK_AFTER = 350;
const PATIENCE = 10_000;

export class Assist {
  #timer = 0;
  #asked = "";
  /** @type {Record<Letter, Reference[]>} */
  #references = { A: [], B: [] };
  /** @type {Record<string, string>} */
  #suggestions = {};
  /** @type {Map<string, string>} */
  #accepted = new Map(); // field to the value that was accepted
  #drafts;
  #element;
  #form;
  #steps;
  #undo;

  /**
   * @param {import("./form.js").DeskForm} form
   * @param {import("./steps.js").Steps} steps
   * @param {import("./drafts.js").Drafts} drafts
   * @param {import("./undo.js").Undo} undo
   */
  constructor(form, steps, drafts, undo) {
    this.#form = form;
    this.#undo = undo;
    this.#drafts = drafts;
    this.#element = form.element;
    this.#steps = steps;
    this.#element.addEventListener("click", (event) => {
      const reference = around(targetOf(event), "[data-reference]");
      const view = reference && around(reference, "[data-marks]");
      if (view) this.#resolve(letterOf(view.dataset.marks), Number(reference.dataset.reference));
      const button = around(targetOf(event), "[data-accepts]");
      if (button) this.#accept(button.dataset.accepts ?? "");
      if (around(targetOf(event), "[data-accepts-drafts]")) this.acceptAll();
    });
    // A press on an underlined word leaves the cursor where it is.
    this.#element.addEventListener("mousedown", (event) => targetOf(event).matches("[data-reference]") && event.preventDefault());
    this.#element.addEventListener("change", (event) => this.#chosen(targetOf(event).getAttribute("name") ?? ""));
    this.#show();
    this.askNow();
  }

  /** Call this after a change: the server is asked once the person pauses. */
  changed() {
    this.#show();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.askNow(), ASK_AFTER);
  }

  /** Asks the server about the form's current content. */
  async askNow() {
    clearTimeout(this.#timer);
    const content = this.#form.read();
    const asked = JSON.stringify(content);
    if (asked === this.#asked) return;
    this.#asked = asked;
    // The form works without an answer, too.
    const answer = await postJSON(this.#element.dataset.assist ?? "", { content }, { patience: PATIENCE });
    if (answer.outcome !== "done" || asked !== this.#asked) return;
    steadily(this.#element, () => this.#showAnswer(answer.data));
  }

  /** @param {any} found The server's answer */
  #showAnswer({ references, suggestions, drafts = {}, questions }) {
    this.#references = references;
    this.#suggestions = suggestions;
    this.#show();
    this.#drafts.show(drafts);
    this.#element.dispatchEvent(new Event("drafted"));
    all("[data-question-kind]", this.#element).forEach((holder, index) => {
      holder.textContent = questions[index] ? say("{kind} question", { kind: questions[index] }) : "";
    });
  }

  // --- the stand-alone version --------------------------------------------------------------------------------

  /** @param {Letter} letter */
  #view(letter) {
    return one(`[data-marks=${letter}]`, this.#element);
  }

  /** @param {Letter} letter */
  #standalone(letter) {
    return one(`[name=paragraph${letter}_information_standalone]`, this.#element, HTMLTextAreaElement);
  }

  /** @param {Letter} letter */
  #live(letter) {
    return standing(this.#standalone(letter).value, this.#references[letter]);
  }

  #show() {
    for (const letter of LETTERS) this.#showView(letter);
    for (const holder of all("[data-suggestion]", this.#element)) {
      const name = holder.dataset.suggestion ?? "";
      const code = this.#suggestions[name];
      holder.hidden = !code || this.#codes(name).includes(code);
      if (!holder.hidden) redraw(one("[data-suggested]", holder), this.#form.words(name, [code]));
    }
  }

  /**
   * Draws the changes against what was found, and underlines what may need resolving.
   * @param {Letter} letter
   */
  #showView(letter) {
    const found = this.#form.text(`paragraph${letter}_information`).trim();
    const text = this.#standalone(letter).value;
    const references = this.#live(letter);
    /** @type {import("../text/changes.js").Piece[]} */
    const changes = found && text.trim() !== found ? wordChanges(found, text) : [["kept", text]];
    drawMarks(this.#view(letter), changes, (piece, at) =>
      cut(piece, at, references).map(([words, reference]) => (reference ? referenceMark(reference) : words)));
    const next = references.find((one) => one.replacement);
    const said = one(`[data-next-reference="${letter}"]`, this.#element);
    said.hidden = !next;
    if (next) redraw(one("[data-replacement]", said), `“${next.text}” → “${next.replacement}”`);
  }

  /**
   * Replaces the word that starts at `start` with its title.
   * @param {Letter} letter
   * @param {number} start
   */
  #resolve(letter, start) {
    const reference = this.#live(letter).find((one) => one.start === start && one.replacement);
    if (!reference) return;
    const field = this.#standalone(letter);
    this.#references[letter] = without(this.#references[letter], reference);
    replaceUndoably(field, reference.start, reference.end, reference.replacement);
  }

  /** Replaces, with one key, the first word that has a title: in the current passage, else in the other one. */
  resolveNext() {
    /** @type {Letter[]} */
    const letters = focused().closest(".passage-2") ? ["B", "A"] : LETTERS;
    const letter = letters.find((each) => this.#live(each).some((one) => one.replacement));
    const next = letter && this.#live(letter).find((one) => one.replacement);
    if (!letter || !next) return;
    this.#steps.step(2).open = true;
    this.#resolve(letter, next.start);
    this.#view(letter).scrollIntoView({ block: "nearest" });
  }

  // --- suggestions --------------------------------------------------------------------------------------------

  /** @param {string} name */
  #codes(name) {
    return this.#form.read()[name] ?? [];
  }

  /**
   * Chooses what is suggested for a dimension.
   * @param {string} name
   * @returns {HTMLInputElement | null} the option
   */
  #choose(name) {
    const code = this.#suggestions[name];
    const control = code && maybe(`[name="${CSS.escape(name)}"][value="${CSS.escape(code)}"]`, this.#element, HTMLInputElement);
    if (!control) return null;
    this.#accepted.set(name, code);
    if (!control.checked) control.click();
    return control;
  }

  /** @param {string} name */
  #accept(name) {
    const control = this.#choose(name);
    control?.focus();
    control?.closest("fieldset.dimension")?.scrollIntoView({ block: "nearest" });
  }

  /** The dimensions with a suggestion, in order. */
  get #open() {
    return all("[data-suggestion]:not([hidden])", this.#element).map((holder) => holder.dataset.suggestion ?? "");
  }

  /** @param {string} name */
  #isBlank(name) {
    return this.#codes(name).length === 0;
  }

  /** Uses, with one key, all drafts in grey and the types suggested for blank dimensions, from the current step on. */
  acceptAll() {
    const names = this.#drafts.reachesTypes ? this.#open.filter((name) => this.#isBlank(name)) : [];
    this.#undo.asOne(() => this.#drafts.accept(names.map((name) => this.#choose(name)).filter((control) => control !== null)));
  }

  /** Accepts, with one key, the next suggestion; those for blank dimensions come first. */
  acceptNext() {
    const open = this.#open;
    const next = open.find((name) => this.#isBlank(name)) ?? open[0];
    if (!next) return;
    this.#steps.step(4).open = true;
    this.#accept(next);
    // After the last of them the cursor waits at what is left to decide.
    if (open.length === 1) toBlank(this.#element);
  }

  /**
   * A suggestion is recorded as taken only while the field holds exactly what was accepted.
   * @param {string} name
   */
  #chosen(name) {
    const suggested = this.#suggestions[name];
    if (!suggested) return;
    const codes = this.#codes(name);
    const isTaken = this.#accepted.get(name) === suggested && codes.length === 1 && codes[0] === suggested;
    postJSON(this.#element.dataset.suggestionAddress ?? "", { field: name, suggested, outcome: isTaken ? "accepted" : "own" });
  }
}

/**
 * A word to be resolved. No button: those break lines otherwise than the text below. Alt+R does what a click does.
 * @param {Reference} reference
 */
function referenceMark(reference) {
  const mark = make("span", {
    className: reference.replacement ? "reference" : "reference is-unknown",
    textContent: reference.text,
    title: reference.replacement ? say("Replace with “{replacement}” (Alt+R)", { replacement: reference.replacement }) : say("May need its surroundings to be understood"),
  });
  mark.dataset.reference = String(reference.start);
  return mark;
}
