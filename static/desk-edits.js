// Edits that a reviewer suggests, at their fields: taken through the ordinary saving of the draft, or declined.
"use strict";

class Edits {
  constructor(desk) {
    this.desk = desk;
    desk.element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-takes-edit], [data-declines-edit]");
      if (!button) return;
      event.preventDefault();
      const box = button.closest("[data-edit]");
      if (button.matches("[data-takes-edit]")) this.take(box);
      else this.decline(box);
    });
    desk.element.addEventListener("input", (event) => this.#show(event.target.closest(".field")));
    desk.element.addEventListener("applied", () => this.#show(desk.element));
    addEventListener("keydown", (event) => this.#onKey(event));
  }

  get open() {
    return [...this.desk.element.querySelectorAll("[data-edit]")];
  }

  #field(box) {
    return box.closest(".field").querySelector("textarea, input");
  }

  // What taking would change of what stands there now.
  #show(within) {
    for (const box of within?.querySelectorAll("[data-edit]") ?? []) {
      showChanges(box.querySelector("[data-edit-changes]"), this.#field(box).value, box.dataset.text);
    }
  }

  async take(box) {
    const field = this.#field(box);
    if (field.value.trim() !== box.dataset.text) {
      field.focus();
      field.select();
      // As if it were typed, so that the browser's own undo brings back what stood there.
      const typed = box.dataset.text
        ? document.execCommand("insertText", false, box.dataset.text)
        : document.execCommand("delete");
      if (!typed) {
        field.value = box.dataset.text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    if (await this.desk.draft.save()) await this.#decide(box, "taken");
    else notice("It is not saved yet, so the suggestion stays open. Take it again once the draft is saved.");
  }

  decline(box) {
    return this.#decide(box, "declined");
  }

  async #decide(box, state) {
    let words = "The server did not answer. The suggestion stays open; try again.";
    try {
      const response = await fetch(box.dataset.address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() ?? "" },
        body: JSON.stringify({ state }),
        signal: AbortSignal.timeout(15_000),
      });
      if (response.ok) {
        this.#decided(box, state);
        return;
      }
      if (response.status === 401) {
        this.desk.alert("signed-out");
        return;
      }
      words = (await response.json()).message;
    } catch { /* the words say so */ }
    notice(words);
  }

  // The next one has the focus, so that its keys go on; after the last one, the field.
  #decided(box, state) {
    const all = this.open;
    const next = all[all.indexOf(box) + 1] ?? all.find((other) => other !== box);
    const field = this.#field(box);
    const said = document.createElement("p");
    said.className = "small muted";
    said.setAttribute("role", "status");
    said.textContent = `Suggested edit ${state}.`;
    box.replaceWith(said);
    if (next) this.goTo(next);
    else field.focus({ preventScroll: true });
  }

  goTo(box) {
    box.closest("[data-step]").open = true;
    box.focus({ preventScroll: true });
    box.scrollIntoView({ block: "center" });
  }

  // The first press goes to a suggestion, so that nothing is taken unread.
  #onKey(event) {
    if (!event.altKey || event.ctrlKey || event.metaKey || isDialogOpen()) return;
    const act = { KeyT: (box) => this.take(box), KeyX: (box) => this.decline(box) }[event.code];
    const all = this.open;
    if (!act || !all.length) return;
    event.preventDefault();
    const at = document.activeElement.closest("[data-edit]");
    if (at) act(at);
    else this.goTo(document.activeElement.closest(".field")?.querySelector("[data-edit]") ?? all[0]);
  }
}

window.edits = new Edits(window.desk);
