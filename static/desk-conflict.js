// Two versions of one draft, side by side, field by field; nothing is decided without the person.
"use strict";

class Conflict {
  #element = document.getElementById("conflict");

  // `form` is a DeskForm; `onDecided` is called once each field is decided.
  constructor(form) {
    this.form = form;
  }

  get isOpen() {
    return !this.#element.hidden;
  }

  // What the person decides of `names`, with mine in the form and `theirs` as the other version. Words say where the
  // other one comes from.
  show(names, theirs, { words, other, onDecided }) {
    this.#element.replaceChildren(document.getElementById("conflict-template").content.cloneNode(true));
    if (words) this.#element.querySelector("[data-words]").textContent = words;
    const box = this.#element.querySelector(".notice");
    const open = new Set(names);
    const decide = (name, row, take) => {
      if (!open.delete(name)) return;
      if (take) this.form.apply({ [name]: theirs[name] ?? "" });
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      if (open.size === 0) {
        this.#element.hidden = true;
        onDecided();
      } else {
        next?.querySelector("button")?.focus();
      }
    };
    const rows = names.map((name) => {
      const row = this.#row(name, theirs[name] ?? "", other);
      row.querySelector("[data-keeps]").addEventListener("click", () => decide(name, row, false));
      row.querySelector("[data-takes]").addEventListener("click", () => decide(name, row, true));
      box.append(row);
      return [name, row];
    });
    for (const button of box.querySelectorAll("[data-all]")) {
      button.addEventListener("click", () => rows.forEach(([name, row]) => decide(name, row, button.dataset.all === "theirs")));
    }
    this.#element.hidden = false;
    this.#element.focus();
    this.#element.scrollIntoView({ block: "start" });
  }

  #row(name, theirs, other) {
    const row = document.getElementById("conflict-field-template").content.cloneNode(true).firstElementChild;
    row.querySelector("[data-name]").textContent = this.form.label(name);
    if (other) row.querySelector("[data-other]").textContent = other;
    // What is typed on while the two versions stand here is shown at once.
    const mine = row.querySelector("[data-mine]");
    const showMine = () => { mine.textContent = this.form.words(name, this.form.read()[name] ?? "") || "(empty)"; };
    showMine();
    this.form.element.addEventListener("input", () => row.isConnected && showMine());
    row.querySelector("[data-theirs]").textContent = this.form.words(name, theirs) || "(empty)";
    for (const button of row.querySelectorAll("[data-copies-version]")) {
      button.addEventListener("click", async () => {
        const text = row.querySelector(`[data-${button.dataset.copiesVersion}]`);
        try {
          await navigator.clipboard.writeText(text.textContent);
          button.textContent = "Copied";
        } catch {
          getSelection().selectAllChildren(text);
        }
      });
    }
    return row;
  }
}
