// The desk's form as content: a field's name to its text, or to the list of codes of a dimension.
"use strict";

class DeskForm {
  constructor(element, questions) {
    this.element = element;
    this.questions = questions;
  }

  get controls() {
    return [...this.element.querySelectorAll("[data-label][name]")];
  }

  control(name) {
    return this.element.querySelector(`[name="${CSS.escape(name)}"]`);
  }

  read() {
    const content = {};
    for (const control of this.controls) {
      const isChoice = control.type === "radio" || control.type === "checkbox";
      if ("list" in control.dataset) {
        content[control.name] ??= [];
        if (control.checked) content[control.name].push(control.value);
      } else if (isChoice) {
        content[control.name] ??= "";
        if (control.checked) content[control.name] = control.value;
      } else {
        content[control.name] = control.value;
      }
    }
    return content;
  }

  // Sets the fields that `content` names, and leaves the others.
  apply(content) {
    const numbers = Object.keys(content).filter((name) => content[name].length).map((name) => /^question(\d+)/.exec(name)?.[1]);
    this.questions.atLeast(Math.max(0, ...numbers.filter(Boolean).map(Number)));
    for (const control of this.controls) {
      if (!(control.name in content)) continue;
      const value = content[control.name];
      if (control.type === "radio" || control.type === "checkbox") {
        control.checked = Array.isArray(value) ? value.includes(control.value) : value === control.value;
      } else if (control.value !== value) {
        control.value = value;
      }
    }
    this.element.dispatchEvent(new Event("applied"));
  }

  label(name) {
    return this.control(name)?.dataset.label ?? name.replace(/_/g, " ");
  }

  // A field's value as words: the names of options for their codes.
  words(name, value) {
    if (!Array.isArray(value)) return value;
    const named = (code) => this.element.querySelector(`[name="${CSS.escape(name)}"][value="${CSS.escape(code)}"]`)?.dataset.name;
    return value.map((code) => named(code) ?? code).join(", ");
  }
}
