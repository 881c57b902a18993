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

  get #places() {
    return [...this.form.querySelectorAll("[data-suggestion-slot]")];
  }

  // The field for a part of the suggestion at this place; a question's number follows its row.
  #field(place, part) {
    return this.form.elements.namedItem(part === "standalone"
      ? `paragraph${place.dataset.suggestionSlot}_information_standalone`
      : `${this.#target(place)}${part === "question" ? "" : `_${part}`}`);
  }

  #target(place) {
    const kind = place.dataset.suggestionSlot;
    return kind === "question" ? `question${place.closest("[data-question]").dataset.question}` : kind;
  }

  ask(button) {
    const place = button.closest("[data-suggestion-slot]");
    const target = place.querySelector("[data-suggestion-box]");
    htmx.ajax("POST", button.dataset.address, { source: button, target, values: { target: this.#target(place) } });
  }

  #swapped(box) {
    const place = box.closest?.("[data-suggestion-slot]");
    if (!place) return;
    const used = place.querySelector("[data-suggestion-used]");
    if (used) {
      for (const { dataset } of used.children) {
        this.texts.push({ part: dataset.part, target: place.dataset.suggestionSlot, text: dataset.suggested, model: used.dataset.suggestionUsed });
        this.#put(this.#field(place, dataset.part), dataset.suggested);
      }
      used.remove();
      this.#field(place, place.dataset.suggestionSlot === "question" ? "question" : "standalone").focus();
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
    for (const place of this.#places) {
      for (const shown of place.querySelectorAll("[data-suggestion-offered] [data-part]")) {
        const before = this.#field(place, shown.dataset.part).value;
        if (before.trim()) showChanges(shown, before, shown.dataset.suggested);
        else shown.textContent = shown.dataset.suggested;
      }
      const parts = place.dataset.suggestionSlot === "question" ? ["question", "answer1", "answer2"] : ["standalone"];
      for (const part of parts) this.#mark(place, part);
    }
  }

  // Beside a field that stands as it was suggested.
  #mark(place, part) {
    const field = this.#field(place, part);
    const label = this.form.querySelector(`label[for="${CSS.escape(field.id)}"]`);
    const suggestion = this.texts.find((one) => one.part === part && one.text === field.value
      && (part !== "standalone" || one.target === place.dataset.suggestionSlot));
    let mark = label.querySelector(".machine-mark");
    if (!suggestion) return mark?.remove();
    if (!mark) {
      mark = Object.assign(document.createElement("span"), { className: "chip state machine-mark" });
      label.append(" ", mark);
    }
    mark.textContent = `Suggested by ${suggestion.model}`;
  }

  // Alt+D at a field: asks for its suggestion, or goes to the one that is there.
  #onKey(event) {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyD") return;
    if (isDialogOpen()) return;
    event.preventDefault();
    const at = document.activeElement;
    const place = (at.closest("[data-question]") ?? at.closest(".passage-1, .passage-2"))?.querySelector("[data-suggestion-slot]");
    const use = place?.querySelector("[data-uses-suggestion]");
    if (use) use.focus();
    else if (place && !place.querySelector("[data-suggestion-asked]")) this.ask(place.querySelector("[data-asks-suggestion]"));
  }
}

new ModelSuggestions(document.getElementById("desk-form"));
