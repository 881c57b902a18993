// Drafts by rule for the statements, spans, question and answers: shown in grey in their blank fields, as a hint that is
// no content. One key or button puts those of a step into its fields; Ctrl+Z takes them out again.
import { postJSON } from "../api.js";
import { all, around, maybe, targetOf } from "../dom.js";

/** @typedef {import("../dom.js").TextField} TextField */

const STEPS = [3, 5];

export class Drafts {
  /** @type {Record<string, string>} */
  #drafts = {}; // text by field
  /** @type {Map<string, string>} */
  #accepted = new Map(); // field to the draft that it was filled with
  /** @type {TextField[]} */
  #last = []; // the fields that were filled last, as long as nothing was changed since
  #form;
  #onChange;
  #steps;

  /**
   * @param {HTMLFormElement} form
   * @param {import("./steps.js").Steps} steps
   * @param {() => void} onChange
   */
  constructor(form, steps, onChange) {
    this.#form = form;
    this.#steps = steps;
    this.#onChange = onChange;
    form.addEventListener("click", (event) => {
      if (around(targetOf(event), "[data-accepts-drafts]")) this.accept();
    });
    form.addEventListener("change", (event) => this.#edited(targetOf(event)));
    for (const change of ["input", "change", "applied"]) form.addEventListener(change, () => { this.#last = []; });
  }

  /** @param {Record<string, string>} drafts Text by field, as the server made them */
  show(drafts) {
    for (const name of new Set([...Object.keys(this.#drafts), ...Object.keys(drafts)])) {
      const field = this.#field(name);
      if (field) field.placeholder = drafts[name] ?? "";
    }
    this.#drafts = drafts;
    this.showButtons();
  }

  /** Offers to use the drafts of a step while it has a blank field with one. */
  showButtons() {
    for (const button of all("[data-accepts-drafts]", this.#form)) {
      const step = around(button, "[data-step]");
      button.hidden = !step || !this.#blank(step).length;
    }
  }

  /** @param {string} name */
  #field(name) {
    return /** @type {TextField | null} */ (maybe(`[name="${CSS.escape(name)}"]`, this.#form));
  }

  /**
   * The blank fields of a step that have a draft.
   * @param {HTMLElement} step
   * @returns {TextField[]}
   */
  #blank(step) {
    const fields = Object.keys(this.#drafts).map((name) => this.#field(name)).filter((field) => field !== null);
    return fields.filter((field) => step.contains(field) && !field.value.trim());
  }

  /** Fills the blank fields of step 3, or from step 4 on those of step 5, with their drafts, and shows that step. */
  accept() {
    const number = STEPS[this.#steps.current > 3 ? 1 : 0];
    const step = this.#steps.step(number);
    const fields = this.#blank(step);
    if (!fields.length) return;
    if (this.#steps.current !== number) this.#steps.goTo(number, { folds: false });
    for (const field of fields) {
      field.value = this.#drafts[field.name];
      this.#accepted.set(field.name, field.value);
      this.#record(field.name, "accepted");
    }
    this.#onChange();
    fields[0].focus({ preventScroll: true });
    this.#last = fields;
  }

  /** Whether the drafts used last can be taken out: nothing was changed since. */
  get mayUndo() {
    return this.#last.length > 0;
  }

  /** Takes the drafts used last out of their fields again. */
  undo() {
    for (const field of this.#last) {
      field.value = "";
      this.#accepted.delete(field.name);
      this.#record(field.name, "own");
    }
    this.#last = [];
    this.#onChange();
  }

  /** Forgets what could be undone: something else was done since. */
  forget() {
    this.#last = [];
  }

  /** @param {HTMLElement} field */
  #edited(field) {
    const name = field.getAttribute("name") ?? "";
    const draft = this.#accepted.get(name);
    if (draft === undefined || this.#field(name)?.value === draft) return;
    this.#record(name, "own");
    this.#accepted.delete(name);
  }

  /**
   * @param {string} field
   * @param {"accepted" | "own"} outcome
   */
  #record(field, outcome) {
    postJSON(this.#form.dataset.suggestionAddress ?? "", { field, suggested: this.#drafts[field], outcome });
  }
}
