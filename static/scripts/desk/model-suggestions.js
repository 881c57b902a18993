// Model suggestions at the fields of the desk. The person asks for one with a button or a key, sees it as changes
// against the field's text, and puts it in with a second press.
import { all, around, focused, make, maybe, one, onHtmx, pageData, targetOf, typeUndoably } from "../dom.js";
import { keyWithAlt } from "../keys.js";
import { showChanges } from "../text/changes.js";
import { say } from "../text/say.js";
import { whileHere } from "../visit.js";

/** @typedef {{ part: string, target: string, text: string, model: string }} Used */

export class ModelSuggestions {
  #form;
  /** @type {Used[]} */
  #texts = pageData("suggested-texts");

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    form.addEventListener("click", (event) => {
      const button = around(targetOf(event), "[data-asks-suggestion]");
      if (button) this.#ask(button);
    });
    form.addEventListener("input", () => this.#show());
    form.addEventListener("applied", () => this.#show());
    onHtmx("htmx:afterSwap", (event) => this.#swapped(targetOf(event)), document, whileHere());
    addEventListener("keydown", (event) => this.#onKey(event), { signal: whileHere() });
    this.#show();
  }

  /**
   * The field for a part of this suggestion; a question's number follows its row.
   * @param {HTMLElement} suggestion
   * @param {string} part
   */
  #field(suggestion, part) {
    const name = part === "standalone" ? `paragraph${suggestion.dataset.suggestionTarget}_information_standalone`
      : `${targetName(suggestion)}${part === "question" ? "" : `_${part}`}`;
    return /** @type {import("../dom.js").TextField} */ (one(`[name="${CSS.escape(name)}"]`, this.#form));
  }

  /** @param {HTMLElement} button */
  #ask(button) {
    const suggestion = around(button, "[data-suggestion-target]");
    if (!suggestion) return;
    htmx.ajax("POST", button.dataset.address ?? "", {
      source: button, target: one("[data-suggestion-box]", suggestion), values: { target: targetName(suggestion) },
    });
  }

  /** @param {HTMLElement} box */
  #swapped(box) {
    const suggestion = around(box, "[data-suggestion-target]");
    if (!suggestion) return;
    const used = maybe("[data-suggestion-used]", suggestion);
    if (used) this.#use(suggestion, used);
    this.#show();
  }

  /**
   * @param {HTMLElement} suggestion
   * @param {HTMLElement} used
   */
  #use(suggestion, used) {
    const target = suggestion.dataset.suggestionTarget ?? "";
    const model = used.dataset.suggestionUsed ?? "";
    for (const { dataset } of all(":scope > *", used)) {
      const [part, text] = [dataset.part ?? "", dataset.suggested ?? ""];
      this.#texts.push({ part, target, text, model });
      typeUndoably(this.#field(suggestion, part), text);
    }
    used.remove();
    this.#field(suggestion, target === "question" ? "question" : "standalone").focus();
  }

  #show() {
    for (const suggestion of all("[data-suggestion-target]", this.#form)) {
      for (const shown of all("[data-suggestion-offered] [data-part]", suggestion)) {
        const before = this.#field(suggestion, shown.dataset.part ?? "").value;
        const suggested = shown.dataset.suggested ?? "";
        if (before.trim()) showChanges(shown, before, suggested);
        else shown.textContent = suggested;
      }
      const parts = suggestion.dataset.suggestionTarget === "question" ? ["question", "answer1", "answer2"] : ["standalone"];
      for (const part of parts) this.#mark(suggestion, part);
    }
  }

  /**
   * Says, beside a field, that its text is the model's suggestion.
   * @param {HTMLElement} suggestion
   * @param {string} part
   */
  #mark(suggestion, part) {
    const field = this.#field(suggestion, part);
    const label = one(`label[for="${CSS.escape(field.id)}"]`, this.#form);
    const used = this.#texts.find((each) => each.part === part && each.text === field.value
      && (part !== "standalone" || each.target === suggestion.dataset.suggestionTarget));
    let mark = maybe(".machine-mark", label);
    if (!used) {
      mark?.remove();
      return;
    }
    if (!mark) {
      mark = make("span", { className: "chip state machine-mark" });
      label.append(" ", mark);
    }
    mark.textContent = say("Suggested by {model}", { model: used.model });
  }

  /**
   * Alt+D at a field asks for its suggestion, or moves to the one that is there.
   * @param {KeyboardEvent} event
   */
  #onKey(event) {
    if (keyWithAlt(event) !== "KeyD") return;
    event.preventDefault();
    const group = around(focused(), "[data-question]") ?? around(focused(), ".passage-1, .passage-2");
    const suggestion = group && maybe("[data-suggestion-target]", group);
    if (!suggestion) return;
    const use = maybe("[data-uses-suggestion]", suggestion);
    if (use) use.focus();
    else if (!suggestion.querySelector("[data-suggestion-asked]")) this.#ask(one("[data-asks-suggestion]", suggestion));
  }
}

/**
 * The target of a suggestion: "A", "B", or a question by its number.
 * @param {HTMLElement} suggestion
 * @returns {string}
 */
function targetName(suggestion) {
  const kind = suggestion.dataset.suggestionTarget ?? "";
  return kind === "question" ? `question${around(suggestion, "[data-question]")?.dataset.question}` : kind;
}
