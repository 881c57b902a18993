// Reads and fills the desk's form as content: maps a field's name to its text or, for a dimension, to a list of codes.
import { all, maybe } from "../dom.js";

/** @typedef {import("../text/merge.js").Content} Content */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

export class DeskForm {
  #questions;

  /**
   * @param {HTMLFormElement} element
   * @param {import("./questions.js").Questions} questions
   */
  constructor(element, questions) {
    this.element = element;
    this.#questions = questions;
  }

  get #controls() {
    return /** @type {Control[]} */ (all("[data-label][name]", this.element));
  }

  /**
   * The current content of the form.
   * @returns {Content}
   */
  read() {
    /** @type {Content} */
    const content = {};
    for (const control of this.#controls) {
      if ("list" in control.dataset) {
        const codes = /** @type {string[]} */ (content[control.name] ?? []);
        content[control.name] = isChosen(control) ? [...codes, control.value] : codes;
      } else if (isChoice(control)) {
        content[control.name] ??= "";
        if (isChosen(control)) content[control.name] = control.value;
      } else {
        content[control.name] = control.value;
      }
    }
    return content;
  }

  /** Whether the last step is filled in, so that the form is about to be submitted. */
  get isNearlyComplete() {
    const { wikitag_label_valid: validity, valid_comment: why, question1, confidence } = this.read();
    return validity === "Invalid" ? Boolean(why) : Boolean(confidence && question1);
  }

  /**
   * The text of a field.
   * @param {string} name
   * @returns {string} "" where the form has no such field
   */
  text(name) {
    const value = this.read()[name];
    return typeof value === "string" ? value : "";
  }

  /**
   * Sets the fields named in `content` and leaves the others alone.
   * @param {Content} content
   */
  apply(content) {
    const numbers = Object.keys(content).filter((name) => content[name].length).map((name) => /^question(\d+)/.exec(name)?.[1]);
    this.#questions.atLeast(Math.max(0, ...numbers.filter(Boolean).map(Number)));
    for (const control of this.#controls) {
      const value = content[control.name];
      if (value === undefined) continue;
      if (isChoice(control)) {
        control.checked = Array.isArray(value) ? value.includes(control.value) : value === control.value;
      } else if (control.value !== value) {
        control.value = String(value);
      }
    }
    this.element.dispatchEvent(new Event("applied"));
  }

  /**
   * The label of a field on the page.
   * @param {string} name
   * @returns {string}
   */
  label(name) {
    return maybe(`[name="${CSS.escape(name)}"]`, this.element)?.dataset.label ?? name.replace(/_/g, " ");
  }

  /**
   * A field's value in words: option names instead of codes.
   * @param {string} name
   * @param {string | string[]} value
   * @returns {string}
   */
  words(name, value) {
    if (!Array.isArray(value)) return value;
    /** @param {string} code */
    const named = (code) => maybe(`[name="${CSS.escape(name)}"][value="${CSS.escape(code)}"]`, this.element)?.dataset.name;
    return value.map((code) => named(code) ?? code).join(", ");
  }
}

/**
 * @param {Control} control
 * @returns {control is HTMLInputElement}
 */
function isChoice(control) {
  return control.type === "radio" || control.type === "checkbox";
}

/** @param {Control} control */
function isChosen(control) {
  return isChoice(control) && control.checked;
}
