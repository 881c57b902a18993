// The desk's questions: up to ten, added and removed; what was removed can be put back with its text.
import { all, around, make, one, targetOf } from "../dom.js";
import { say } from "../text/say.js";

const MOST = 10;

export class Questions {
  #list = one("#questions");
  #template = one("#question-template", document, HTMLTemplateElement);
  #add = one("#add-question", document, HTMLButtonElement);
  #undo = one("#question-undo");
  /** @type {{ row: HTMLElement, at: number }[]} */
  #removed = [];
  #onChange;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    this.#add.addEventListener("click", (event) => {
      event.preventDefault();
      this.add();
    });
    this.#list.addEventListener("click", (event) => {
      const button = around(targetOf(event), "[data-removes-question]");
      const row = button && around(button, "[data-question]");
      if (!row) return;
      event.preventDefault();
      this.#remove(row);
    });
    this.#number();
  }

  get #rows() {
    return all("[data-question]", this.#list);
  }

  /** @param {{ focus?: boolean }} [options] */
  add({ focus = true } = {}) {
    if (this.#rows.length >= MOST) return;
    this.#list.append(this.#template.content.cloneNode(true));
    this.#number();
    if (focus) one("textarea", this.#rows.at(-1)).focus();
    this.#onChange();
  }

  /** @param {HTMLElement} row */
  #remove(row) {
    const at = this.#rows.indexOf(row);
    const wasBlank = isBlank(row);
    row.remove();
    if (this.#rows.length === 0) this.add({ focus: false });
    if (!wasBlank) this.#removed.push({ row, at });
    this.#number();
    this.#offer(wasBlank ? "" : say("Question {number} was removed.", { number: at + 1 }), { focus: !wasBlank });
    if (wasBlank) one("textarea", this.#rows[Math.min(at, this.#rows.length - 1)]).focus();
    this.#onChange();
  }

  #putBack() {
    const last = this.#removed.at(-1);
    const rows = this.#rows;
    if (!last) return;
    if (rows.length === 1 && isBlank(rows[0])) rows[0].remove();
    else if (rows.length >= MOST) return;
    this.#removed.pop();
    this.#list.insertBefore(last.row, this.#rows[last.at] ?? null);
    this.#number();
    this.#offer(this.#removed.length ? say("Another removed question is kept.") : "");
    one("textarea", last.row).focus();
    this.#onChange();
  }

  /**
   * Adds rows until there are at least `count`, for content that came from elsewhere.
   * @param {number} count
   */
  atLeast(count) {
    while (this.#rows.length < Math.min(count, MOST)) this.add({ focus: false });
  }

  /**
   * @param {string} words
   * @param {{ focus?: boolean }} [options]
   */
  #offer(words, { focus = false } = {}) {
    this.#undo.replaceChildren(words);
    if (!this.#removed.length) return;
    const button = make("button", { type: "button", className: "quiet small", textContent: say("Undo") });
    button.addEventListener("click", () => this.#putBack());
    this.#undo.append(" ", button);
    if (focus) button.focus();
  }

  // Names, ids and labels follow the row's number.
  #number() {
    this.#rows.forEach((row, index) => {
      const number = String(index + 1);
      row.dataset.question = number;
      one("[data-question-name]", row).textContent = say("Question {number}", { number });
      const remove = one("[data-removes-question]", row, HTMLButtonElement);
      remove.value = number;
      one(".visually-hidden", remove).textContent = say("Remove question {number}", { number });
      for (const element of all("[id], [for], [name^=question], [aria-describedby]", row)) renumber(element, number);
    });
    this.#add.disabled = this.#rows.length >= MOST;
  }
}

/** @param {HTMLElement} row */
function isBlank(row) {
  return all("textarea", row, HTMLTextAreaElement).every((field) => !field.value.trim());
}

/**
 * @param {HTMLElement} element
 * @param {string} number
 */
function renumber(element, number) {
  for (const attribute of ["id", "for", "name", "aria-describedby"]) {
    const value = element.getAttribute(attribute);
    if (value && /question\d/.test(value)) element.setAttribute(attribute, value.replace(/question\d+/g, `question${number}`));
  }
  const name = element.getAttribute("name") ?? "";
  if (!name.startsWith("question")) return;
  const answer = /answer(\d)/.exec(name)?.[1];
  element.dataset.label = answer ? say("Question {number}, answer by passage {answer}", { number, answer }) : say("Question {number}", { number });
}
