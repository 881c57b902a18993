// The desk's questions: up to ten, added and removed; what was removed can be put back with its text.
"use strict";

class Questions {
  #list = document.getElementById("questions");
  #template = document.getElementById("question-template");
  #add = document.getElementById("add-question");
  #undo = document.getElementById("question-undo");
  #removed = [];

  constructor(onChange) {
    this.onChange = onChange;
    this.#add.addEventListener("click", (event) => {
      event.preventDefault();
      this.add();
    });
    this.#list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-removes-question]");
      if (!button) return;
      event.preventDefault();
      this.remove(button.closest("[data-question]"));
    });
    this.#number();
  }

  get rows() {
    return [...this.#list.querySelectorAll("[data-question]")];
  }

  add({ focus = true } = {}) {
    if (this.rows.length >= 10) return;
    this.#list.append(this.#template.content.cloneNode(true));
    this.#number();
    if (focus) this.rows.at(-1).querySelector("textarea").focus();
    this.onChange();
  }

  remove(row) {
    const at = this.rows.indexOf(row);
    const isBlank = [...row.querySelectorAll("textarea")].every((field) => !field.value.trim());
    row.remove();
    if (this.rows.length === 0) this.add({ focus: false });
    if (!isBlank) this.#removed.push({ row, at });
    this.#number();
    this.#offer(isBlank ? "" : `Question ${at + 1} was removed.`);
    if (isBlank) this.rows[Math.min(at, this.rows.length - 1)].querySelector("textarea").focus();
    this.onChange();
  }

  putBack() {
    const { row, at } = this.#removed.pop();
    const rows = this.rows;
    const onlyBlank = rows.length === 1 && [...rows[0].querySelectorAll("textarea")].every((f) => !f.value);
    if (onlyBlank) rows[0].remove();
    else if (rows.length >= 10) {
      this.#removed.push({ row, at });
      return;
    }
    this.#list.insertBefore(row, this.rows[at] ?? null);
    this.#number();
    this.#offer(this.#removed.length ? "Another removed question is kept." : "");
    row.querySelector("textarea").focus();
    this.onChange();
  }

  // At least so many rows, for content that came from elsewhere.
  atLeast(count) {
    while (this.rows.length < Math.min(count, 10)) this.add({ focus: false });
  }

  #offer(words) {
    this.#undo.replaceChildren(words);
    if (!this.#removed.length) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet small";
    button.textContent = "Undo";
    button.addEventListener("click", () => this.putBack());
    this.#undo.append(" ", button);
    if (words.startsWith("Question")) button.focus();
  }

  // Names, ids and labels follow the order of the list.
  #number() {
    this.rows.forEach((row, index) => {
      const number = index + 1;
      row.dataset.question = number;
      row.querySelector("[data-question-name]").textContent = `Question ${number}`;
      const remove = row.querySelector("[data-removes-question]");
      remove.value = number;
      remove.querySelector(".visually-hidden").textContent = `Remove question ${number}`;
      const renamed = (value) => value.replace(/question\d+/g, `question${number}`);
      for (const element of row.querySelectorAll("[id], [for], [name^=question], [aria-describedby]")) {
        for (const attribute of ["id", "for", "name", "aria-describedby"]) {
          const value = element.getAttribute(attribute);
          if (value && /question\d/.test(value)) element.setAttribute(attribute, renamed(value));
        }
        if (element.name?.startsWith("question")) {
          const answer = /answer(\d)/.exec(element.name)?.[1];
          element.dataset.label = `Question ${number}${answer ? `, answer by passage ${answer}` : ""}`;
        }
      }
    });
    this.#add.disabled = this.rows.length >= 10;
  }
}
