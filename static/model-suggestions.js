// Suggestions by a model at the fields of the desk: asked for with a button or a key, shown as changes against
// what stands in the field, and put in with another press only.
"use strict";

class ModelSuggestions {
  // `form` is the desk's form element.
  constructor(form) {
    this.form = form;
    this.texts = JSON.parse(document.getElementById("suggested-texts").textContent);
    form.addEventListener("click", (event) => {
      const button = event.target.closest("[data-asks-suggestion]");
      if (button) this.ask(button);
    });
    form.addEventListener("input", () => this.show());
    form.addEventListener("applied", () => this.show());
    document.addEventListener("htmx:afterSwap", (event) => this.#swapped(event.target));
    addEventListener("keydown", (event) => this.#onKey(event));
    this.show();
  }

  get #suggestions() {
    return [...this.form.querySelectorAll("[data-suggestion-target]")];
  }

  // The field for a part of this suggestion; a question's number follows its row.
  #field(suggestion, part) {
    return this.form.elements.namedItem(part === "standalone"
      ? `paragraph${suggestion.dataset.suggestionTarget}_information_standalone`
      : `${this.#target(suggestion)}${part === "question" ? "" : `_${part}`}`);
  }

  #target(suggestion) {
    const kind = suggestion.dataset.suggestionTarget;
    return kind === "question" ? `question${suggestion.closest("[data-question]").dataset.question}` : kind;
  }

  ask(button) {
    const suggestion = button.closest("[data-suggestion-target]");
    const target = suggestion.querySelector("[data-suggestion-box]");
    htmx.ajax("POST", button.dataset.address, { source: button, target, values: { target: this.#target(suggestion) } });
  }

  #swapped(box) {
    const suggestion = box.closest?.("[data-suggestion-target]");
    if (!suggestion) return;
    const used = suggestion.querySelector("[data-suggestion-used]");
    if (used) {
      for (const { dataset } of used.children) {
        this.texts.push({ part: dataset.part, target: suggestion.dataset.suggestionTarget, text: dataset.suggested, model: used.dataset.suggestionUsed });
        this.#put(this.#field(suggestion, dataset.part), dataset.suggested);
      }
      used.remove();
      this.#field(suggestion, suggestion.dataset.suggestionTarget === "question" ? "question" : "standalone").focus();
    }
    this.show();
  }

  // As if it were typed, so that the browser's own undo brings back what stood there.
  #put(field, text) {
    field.focus();
    field.select();
    if (document.execCommand("insertText", false, text)) return;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  show() {
    for (const suggestion of this.#suggestions) {
      for (const shown of suggestion.querySelectorAll("[data-suggestion-offered] [data-part]")) {
        const before = this.#field(suggestion, shown.dataset.part).value;
        if (before.trim()) showChanges(shown, before, shown.dataset.suggested);
        else shown.textContent = shown.dataset.suggested;
      }
      const parts = suggestion.dataset.suggestionTarget === "question" ? ["question", "answer1", "answer2"] : ["standalone"];
      for (const part of parts) this.#mark(suggestion, part);
    }
  }

  // Beside a field that stands as it was suggested.
  #mark(suggestion, part) {
    const field = this.#field(suggestion, part);
    const label = this.form.querySelector(`label[for="${CSS.escape(field.id)}"]`);
    const used = this.texts.find((one) => one.part === part && one.text === field.value
      && (part !== "standalone" || one.target === suggestion.dataset.suggestionTarget));
    let mark = label.querySelector(".machine-mark");
    if (!used) return mark?.remove();
    if (!mark) {
      mark = Object.assign(document.createElement("span"), { className: "chip state machine-mark" });
      label.append(" ", mark);
    }
    mark.textContent = `Suggested by ${used.model}`;
  }

  // Alt+D at a field: asks for its suggestion, or goes to the one that is there.
  #onKey(event) {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyD") return;
    if (isDialogOpen()) return;
    event.preventDefault();
    const at = document.activeElement;
    const suggestion = (at.closest("[data-question]") ?? at.closest(".passage-1, .passage-2"))?.querySelector("[data-suggestion-target]");
    const use = suggestion?.querySelector("[data-uses-suggestion]");
    if (use) use.focus();
    else if (suggestion && !suggestion.querySelector("[data-suggestion-asked]")) this.ask(suggestion.querySelector("[data-asks-suggestion]"));
  }
}

new ModelSuggestions(document.getElementById("desk-form"));
