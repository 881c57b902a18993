// Ctrl+Z at the desk takes back, the last thing first, whatever a key or a click put into the form, and choices. Text that
// was typed is the browser's to undo.
import { all, targetOf, unfold } from "../dom.js";
import { isTyping } from "../keys.js";

/**
 * Something that was done to the form.
 * @typedef {object} Act
 * @property {HTMLElement[]} fields What was changed; the first is shown when it is undone
 * @property {() => boolean} isIntact Whether the fields are as it left them
 * @property {() => boolean | Promise<boolean>} undo Returns whether it was undone
 */

export class Undo {
  /** @type {Act[]} */
  #acts = [];
  /** @type {Set<HTMLElement>} */
  #typed = new Set(); // text fields that were typed in since the last act
  /** @type {Map<HTMLInputElement, boolean>} */
  #chosen; // whether each option is
  #isUndoing = false;
  #turn = Promise.resolve();
  #form;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    this.#chosen = this.#readChoices();
    form.addEventListener("input", (event) => this.#noteTyping(event));
    form.addEventListener("change", (event) => isOption(targetOf(event)) && this.#noteChoice());
    form.addEventListener("applied", () => { this.#chosen = this.#readChoices(); });
  }

  /** @param {Act} act */
  note(act) {
    this.#acts.push(act);
    this.#typed.clear();
  }

  /**
   * Has several acts, the last ones, undone as one.
   * @param {number} count
   */
  join(count) {
    if (count < 2) return;
    const acts = this.#acts.splice(-count);
    this.#acts.push({
      fields: acts.flatMap(({ fields }) => fields),
      isIntact: () => acts.every((act) => act.isIntact()),
      undo: async () => {
        while (acts.length && (await acts[acts.length - 1].undo())) acts.pop();
        return acts.length === 0;
      },
    });
  }

  /**
   * Does this, and has all of it undone as one.
   * @param {() => void} act
   */
  asOne(act) {
    const before = this.#acts.length;
    act();
    this.join(this.#acts.length - before);
  }

  /**
   * Whether undoing, with the cursor there, means the last act. In a text field it undoes what was typed there.
   * @param {HTMLElement} at
   */
  mayUndo(at) {
    const last = this.#acts.at(-1);
    if (!last || !isTyping(at)) return Boolean(last);
    return this.#form.contains(at) && !this.#typed.has(at) && (this.#typed.size === 0 || last.fields.includes(at));
  }

  /**
   * Undoes the last act, or this one, and shows where that was.
   * @param {Act} [act]
   */
  undo(act) {
    this.#turn = this.#turn.then(async () => {
      const undone = act ?? this.#acts.at(-1);
      if (undone) await this.#undo(undone);
    });
    return this.#turn;
  }

  /** @param {Act} act */
  async #undo(act) {
    this.#isUndoing = true;
    const isDone = await act.undo();
    this.#isUndoing = false;
    if (!isDone) return;
    this.#acts = this.#acts.filter((each) => each !== act);
    this.#typed.clear();
    this.#chosen = this.#readChoices();
    const [field] = act.fields;
    unfold(field, "details[data-step]");
    (field.closest("[data-choice], .field") ?? field).scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  // --- typing and choices -------------------------------------------------------------------------------------

  /** @param {Event} event */
  #noteTyping(event) {
    const field = targetOf(event);
    if (isOption(field)) return;
    this.#typed.add(field);
    // The browser's own undo may have led back to where the last act left the field.
    const last = this.#acts.at(-1);
    if (event instanceof InputEvent && event.inputType === "historyUndo" && last?.fields.includes(field) && last.isIntact()) this.#typed.delete(field);
  }

  #readChoices() {
    const options = all("input", this.#form, HTMLInputElement).filter(isOption);
    return new Map(options.map((option) => [option, option.checked]));
  }

  #noteChoice() {
    const before = this.#chosen;
    this.#chosen = this.#readChoices();
    const changed = [...this.#chosen.keys()].filter((option) => option.checked !== (before.get(option) ?? false));
    if (this.#isUndoing || !changed.length) return;
    const after = changed.map(({ checked }) => checked);
    this.note({
      fields: changed,
      isIntact: () => changed.every(({ checked }, at) => checked === after[at]),
      undo: () => {
        for (const option of changed) option.checked = before.get(option) ?? false;
        (changed.find(({ checked }) => checked) ?? changed[0]).dispatchEvent(new Event("change", { bubbles: true }));
        return true;
      },
    });
  }
}

/**
 * @param {Element} field
 * @returns {field is HTMLInputElement}
 */
export const isOption = (field) => field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);
