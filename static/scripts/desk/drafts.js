// Drafts by rule for the statements, spans, question and answers: shown in grey in their blank fields, as a hint that is
// no content. One key or button puts them into their fields, and chooses the suggested types with them; Ctrl+Z takes
// all of that out again. A draft that was used is not submitted before it was in sight.
import { postJSON } from "../api.js";
import { all, around, maybe, one, targetOf } from "../dom.js";
import { toBlank } from "./types.js";
import { isOption } from "./undo.js";

/** @typedef {import("../dom.js").TextField} TextField */

/** Steps with drafts or suggested types. */
const STEPS = [3, 4, 5];
const BLANK_SUGGESTION = "[data-group]:not(:has(:checked)) [data-suggestion]:not([hidden])";

export class Drafts {
  /** @type {Record<string, string>} */
  #drafts = {}; // text by field
  /** @type {Map<string, string>} */
  #accepted = new Map(); // field to the draft that it was filled with
  /** @type {Set<Element>} */
  #unseen = new Set(); // fields and options that were filled, and were not in sight since
  /** @type {Set<string>} */
  #seen = new Set(); // names of those that came into sight, or were emptied
  /** @type {Map<string, string>} */
  #readInGrey = new Map(); // drafts that were in sight before they were used, by field
  #watch;
  #form;
  #onChange;
  #steps;
  #undo;

  /**
   * @param {HTMLFormElement} form
   * @param {import("./steps.js").Steps} steps
   * @param {import("./undo.js").Undo} undo
   * @param {() => void} onChange
   */
  constructor(form, steps, undo, onChange) {
    this.#form = form;
    this.#steps = steps;
    this.#undo = undo;
    this.#onChange = onChange;
    this.#watch = new IntersectionObserver((seen) => {
      for (const each of seen) if (each.isIntersecting) this.#inSight(each.target);
    }, { threshold: 0.5 });
    form.addEventListener("change", (event) => this.#edited(targetOf(event)));
    this.watch((form.dataset.unseen ?? "").split(",").filter(Boolean)); // filled on an earlier page
  }

  /** @param {Record<string, string>} drafts Text by field, as the server made them */
  show(drafts) {
    for (const name of new Set([...Object.keys(this.#drafts), ...Object.keys(drafts)])) {
      const field = this.#field(name);
      if (!field) continue;
      field.placeholder = drafts[name] ?? "";
      this.#watch.unobserve(field); // to be told anew where it is
      this.#watch.observe(field);
    }
    this.#drafts = drafts;
    this.showButtons();
  }

  /** @param {Element} element A field or an option that is being watched */
  #inSight(element) {
    const name = nameOf(element);
    if (this.#unseen.has(element)) this.#see(element);
    else if (this.#drafts[name]) this.#readInGrey.set(name, this.#drafts[name]);
  }

  /** Offers to use what is drafted and suggested, at each step from which on there is some of it. */
  showButtons() {
    for (const button of all("[data-accepts-drafts]", this.#form)) {
      const from = Number(around(button, "[data-step]")?.dataset.step);
      const steps = STEPS.filter((number) => number >= from).map((number) => this.#steps.step(number));
      button.hidden = !steps.some((step) => this.#blank(step).length || maybe(BLANK_SUGGESTION, step));
    }
  }

  /** @param {string} name */
  #field(name) {
    return /** @type {TextField | null} */ (maybe(`[name="${CSS.escape(name)}"]`, this.#form));
  }

  /**
   * The blank fields of a step that have a draft, in the order of the page.
   * @param {HTMLElement} step
   * @returns {TextField[]}
   */
  #blank(step) {
    const fields = /** @type {TextField[]} */ (all("textarea, input", step));
    return fields.filter((field) => this.#drafts[field.name] && !field.value.trim());
  }

  /** Whether the types of step 4 are among the steps whose drafts are used now. */
  get reachesTypes() {
    return this.#steps.current <= 4;
  }

  /**
   * Fills the blank fields of steps 3 to 5, from the current step on, and shows the first of them.
   * @param {HTMLInputElement[]} types Options of step 4 that were chosen with them
   */
  accept(types) {
    const { current } = this.#steps;
    const numbers = STEPS.filter((number) => number >= current || number === 5);
    const fields = numbers.flatMap((number) => this.#blank(this.#steps.step(number)));
    for (const field of fields) {
      field.value = this.#drafts[field.name];
      this.#accepted.set(field.name, field.value);
      this.#record(field.name, "accepted");
    }
    const filled = [...fields, ...types];
    if (!filled.length) return;
    if (fields.length) {
      const untouched = () => fields.filter((field) => field.value === this.#accepted.get(field.name));
      this.#undo.note({ fields, isIntact: () => untouched().length === fields.length, undo: () => this.#takeOut(untouched()) });
    }
    this.#showFilled(filled, numbers);
    this.#onChange();
  }

  /**
   * Opens the steps in which something was filled, and puts the cursor where reading or work begins.
   * @param {(TextField | HTMLInputElement)[]} filled
   * @param {number[]} numbers
   */
  #showFilled(filled, numbers) {
    const here = numbers.filter((number) => filled.some((each) => this.#steps.step(number).contains(each)));
    for (const number of here) this.#steps.step(number).open = true;
    if (this.#steps.current !== here[0]) this.#steps.goTo(here[0], { folds: false });
    // Among types the cursor waits at what is left to decide.
    if (here[0] !== 4 || !toBlank(this.#steps.step(4))) {
      filled.find((each) => this.#steps.step(here[0]).contains(each))?.focus({ preventScroll: true });
    }
    const unread = filled.filter((each) => isOption(each) || this.#readInGrey.get(each.name) !== each.value);
    for (const each of unread) this.#await(shownOf(each));
  }

  /**
   * Waits for fields that were filled elsewhere to come into sight.
   * @param {string[]} names
   */
  watch(names) {
    for (const name of names) {
      for (const each of all(`[name="${CSS.escape(name)}"]`, this.#form)) if (!isOption(each) || each.checked) this.#await(shownOf(each));
    }
  }

  /** @param {Element} element */
  #await(element) {
    this.#unseen.add(element);
    this.#watch.observe(element);
  }

  /** @param {Element} element A field or an option that is in sight, or empty again */
  #see(element) {
    this.#unseen.delete(element);
    this.#watch.unobserve(element);
    this.#seen.add(nameOf(element));
  }

  /**
   * The names of the fields that were filled and have not been in sight, and of those that have. The server keeps the
   * first with the draft.
   */
  get looks() {
    const unseen = [...new Set([...this.#unseen].filter((each) => each.isConnected).map(nameOf))];
    return { unseen, seen: [...this.#seen].filter((name) => !unseen.includes(name)) };
  }

  /** The first field or option that was filled and has not been in sight yet, for a person who submits. */
  firstUnseen() {
    const line = one("[data-said]", this.#steps.step(4)); // of the folded step: it names the types
    const { top, bottom } = line.getBoundingClientRect();
    const isRead = !this.#steps.step(4).open && top >= 0 && bottom <= innerHeight;
    if (isRead) for (const each of this.#unseen) if (each.matches("[data-choice]")) this.#see(each);
    return all("[data-choice], textarea, input", this.#form).find((each) => this.#unseen.has(each));
  }

  /**
   * Takes drafts that were used and not edited out of their fields again.
   * @param {TextField[]} fields
   */
  #takeOut(fields) {
    for (const field of fields) {
      this.#see(shownOf(field));
      this.#record(field.name, "own");
      this.#accepted.delete(field.name);
      field.value = "";
    }
    this.#onChange();
    return true;
  }

  /** @param {HTMLElement} field */
  #edited(field) {
    if (isOption(field) && !field.checked) this.#see(shownOf(field));
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

/**
 * The name of a field, or of an option.
 * @param {Element} shown
 */
export const nameOf = (shown) => (maybe("input", shown) ?? shown).getAttribute("name") ?? "";

/**
 * The element that a person sees of a field: an option with its words.
 * @param {HTMLElement} field
 */
const shownOf = (field) => field.closest("[data-choice]") ?? field;
