// Shows two versions of a draft side by side, field by field. The person decides between them.
import { all, copyOf, maybe, one } from "../dom.js";
import { say } from "../text/say.js";

/** @typedef {import("../text/merge.js").Content} Content */

export class Conflict {
  #box = one("#conflict");
  #form;

  /** @param {import("./form.js").DeskForm} form */
  constructor(form) {
    this.#form = form;
  }

  /** Whether a decision is still open. */
  get isOpen() {
    return !this.#box.hidden;
  }

  /**
   * Asks the person to decide. The form holds their own version; `theirs` is the other one.
   * @param {string[]} names Of the fields
   * @param {Content} theirs
   * @param {{ words?: string, other?: string, onDecided: () => void }} options A sentence on where the other version
   *   comes from, its name, and what to do once every field is decided
   */
  show(names, theirs, { words, other, onDecided }) {
    this.#box.replaceChildren(one("#conflict-template", document, HTMLTemplateElement).content.cloneNode(true));
    if (words) one("[data-words]", this.#box).textContent = words;
    const list = one(".notice", this.#box);
    const open = new Set(names);
    /** @type {(name: string, row: HTMLElement, takes: boolean) => void} */
    const decide = (name, row, takes) => {
      if (!open.delete(name)) return;
      if (takes) this.#form.apply({ [name]: theirs[name] ?? "" });
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      if (open.size === 0) {
        this.#box.hidden = true;
        onDecided();
      } else if (next) {
        maybe("button", next)?.focus();
      }
    };
    const rows = names.map((name) => {
      const row = this.#row(name, theirs[name] ?? "", other);
      one("[data-keeps]", row).addEventListener("click", () => decide(name, row, false));
      one("[data-takes]", row).addEventListener("click", () => decide(name, row, true));
      list.append(row);
      return { name, row };
    });
    for (const button of all("[data-all]", list)) {
      button.addEventListener("click", () => {
        for (const { name, row } of rows) decide(name, row, button.dataset.all === "theirs");
      });
    }
    this.#box.hidden = false;
    this.#box.focus();
    this.#box.scrollIntoView({ block: "start" });
  }

  /**
   * @param {string} name
   * @param {string | string[]} theirs
   * @param {string | undefined} other
   */
  #row(name, theirs, other) {
    const row = copyOf("conflict-field-template");
    one("[data-name]", row).textContent = this.#form.label(name);
    if (other) one("[data-other]", row).textContent = other;
    // The person may go on typing meanwhile; that shows here at once.
    const mine = one("[data-mine]", row);
    const showMine = () => { mine.textContent = this.#form.words(name, this.#form.read()[name] ?? "") || say("(empty)"); };
    showMine();
    this.#form.element.addEventListener("input", () => row.isConnected && showMine());
    one("[data-theirs]", row).textContent = this.#form.words(name, theirs) || say("(empty)");
    for (const button of all("[data-copies-version]", row)) {
      button.addEventListener("click", async () => {
        const text = one(`[data-${button.dataset.copiesVersion}]`, row);
        try {
          await navigator.clipboard.writeText(text.textContent ?? "");
          button.textContent = say("Copied");
        } catch {
          getSelection()?.selectAllChildren(text);
        }
      });
    }
    return row;
  }
}
