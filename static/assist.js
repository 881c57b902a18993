// What the server makes of the form as it is typed: words that need resolving, and suggestions. Nothing is filled in
// without a key or a click; which suggestions were taken is recorded.
"use strict";

const ASK_AFTER = 350;

class Assist {
  #timer = 0;
  #asked = "";
  #references = { A: [], B: [] };
  #suggestions = {};
  #accepted = new Map(); // field to the value that was accepted

  constructor(desk) {
    this.desk = desk;
    this.form = desk.element;
    this.views = Object.fromEntries(["A", "B"].map((letter) => [letter, this.form.querySelector(`[data-standalone-view=${letter}]`)]));
    this.form.addEventListener("click", (event) => {
      const reference = event.target.closest("[data-reference]");
      if (reference) this.resolve(reference.closest("[data-standalone-view]").dataset.standaloneView, Number(reference.dataset.reference));
      const button = event.target.closest("[data-accepts]");
      if (button) this.accept(button.dataset.accepts);
    });
    this.form.addEventListener("change", (event) => this.#chosen(event.target.name));
    this.#show();
    this.askNow();
  }

  changed() {
    this.#show();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.askNow(), ASK_AFTER);
  }

  async askNow() {
    clearTimeout(this.#timer);
    const content = this.desk.form.read();
    const sent = JSON.stringify({ content });
    if (sent === this.#asked) return;
    this.#asked = sent;
    const answer = await this.#send(this.form.dataset.assist, sent);
    if (!answer || sent !== this.#asked) return;
    this.#references = answer.references;
    this.#suggestions = answer.suggestions;
    this.#show();
    this.#showKinds(answer.questions);
  }

  async #send(address, body) {
    try {
      const response = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() ?? "" },
        body,
        signal: AbortSignal.timeout(10_000),
      });
      return response.ok ? await response.json() : null;
    } catch {
      return null; // without help the form works as before
    }
  }

  #standalone(letter) {
    return this.form.elements.namedItem(`paragraph${letter}_information_standalone`);
  }

  // --- the stand-alone version --------------------------------------------------------------------------------

  // References whose words still stand where they were found.
  #live(letter) {
    const text = this.#standalone(letter).value;
    return this.#references[letter].filter((one) => text.slice(one.start, one.end) === one.text);
  }

  #show() {
    for (const letter of ["A", "B"]) this.#showView(letter);
    for (const line of this.form.querySelectorAll("[data-suggestion]")) {
      const code = this.#suggestions[line.dataset.suggestion];
      const isOpen = Boolean(code) && !this.#value(line.dataset.suggestion).includes(code);
      line.hidden = !isOpen;
      if (isOpen) line.querySelector("[data-suggested]").textContent = this.desk.form.words(line.dataset.suggestion, [code]);
    }
  }

  // The changes against the passage, and what may need resolving underlined.
  #showView(letter) {
    const view = this.views[letter];
    const passage = this.form.elements.namedItem(`paragraph${letter}_information`).value.trim();
    const text = this.#standalone(letter).value;
    const references = this.#live(letter);
    const isChanged = passage && text.trim() && text.trim() !== passage;
    view.hidden = !text.trim() || (!isChanged && !references.length);
    if (view.hidden) return;
    const shown = document.createElement("p");
    shown.className = "as-written";
    shown.dir = "auto";
    let at = 0; // in the stand-alone version
    const changes = isChanged ? wordChanges(passage, text) : [["kept", text]];
    for (const [kind, piece] of changes) {
      if (kind === "removed") {
        shown.append(Object.assign(document.createElement("del"), { textContent: piece }));
        continue;
      }
      const holder = kind === "added" ? document.createElement("ins") : shown;
      this.#withReferences(holder, piece, at, references);
      if (holder !== shown) shown.append(holder);
      at += piece.length;
    }
    const count = changes.filter(([kind], index) => kind !== "kept" && (!index || changes[index - 1][0] === "kept")).length;
    const said = document.createElement("p");
    said.className = "small muted";
    said.textContent = isChanged ? `${counted(count, "change")} against the passage.` : "Underlined words may need their surroundings.";
    if (references.some((one) => one.replacement)) said.append(" ", Object.assign(document.createElement("kbd"), { textContent: "Alt R" }), " puts the title for the next one.");
    view.replaceChildren(shown, said);
  }

  #withReferences(holder, piece, at, references) {
    let done = 0;
    for (const one of references) {
      const [from, to] = [one.start - at, one.end - at];
      if (from < done || to > piece.length) continue;
      holder.append(piece.slice(done, from));
      const button = document.createElement("button");
      button.type = "button";
      button.className = "reference";
      button.textContent = one.text;
      button.dataset.reference = one.start;
      button.tabIndex = -1; // Alt+R does the same from within the field
      button.disabled = !one.replacement;
      button.title = one.replacement ? `Replace by “${one.replacement}” (Alt+R)` : "May need its surroundings to be understood";
      holder.append(button);
      done = to;
    }
    holder.append(piece.slice(done));
  }

  resolve(letter, start) {
    const reference = this.#live(letter).find((one) => one.start === start && one.replacement);
    if (!reference) return false;
    const field = this.#standalone(letter);
    // The end of the range first, so that offsets before it stay right.
    field.setRangeText(reference.replacement, reference.start, reference.end, "end");
    this.#references[letter] = this.#references[letter].filter((one) => one !== reference).map((one) => {
      const by = one.start > reference.start ? reference.replacement.length - reference.text.length : 0;
      return { ...one, start: one.start + by, end: one.end + by };
    });
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  }

  // One key: the first word that a title can be put for, in the passage at hand, then in the other.
  resolveNext() {
    const at = document.activeElement.closest(".passage-2") ? ["B", "A"] : ["A", "B"];
    for (const letter of at) {
      const next = this.#live(letter).find((one) => one.replacement);
      if (next && this.resolve(letter, next.start)) {
        this.desk.steps.step(2).open = true;
        this.views[letter].scrollIntoView({ block: "nearest" });
        return;
      }
    }
  }

  // --- suggestions --------------------------------------------------------------------------------------------

  #value(name) {
    return this.desk.form.read()[name] ?? [];
  }

  accept(name) {
    const code = this.#suggestions[name];
    const control = code && this.form.querySelector(`[name="${CSS.escape(name)}"][value="${CSS.escape(code)}"]`);
    if (!control) return;
    this.#accepted.set(name, code);
    if (!control.checked) control.click();
    control.focus();
    control.closest("fieldset.dimension")?.scrollIntoView({ block: "nearest" });
  }

  acceptNext() {
    const open = [...this.form.querySelectorAll("[data-suggestion]:not([hidden])")];
    const step = this.desk.steps.step(4);
    if (!step.open && open.length) step.open = true;
    const next = open.find((line) => this.#value(line.dataset.suggestion).length === 0) ?? open[0];
    if (next) this.accept(next.dataset.suggestion);
  }

  // Recorded as taken only while the field holds what was accepted, and nothing else.
  #chosen(name) {
    const code = this.#suggestions[name];
    if (!code) return;
    const value = this.#value(name);
    const isTaken = this.#accepted.get(name) === code && value.length === 1 && value[0] === code;
    this.#send(this.form.dataset.suggestionAddress, JSON.stringify({ field: name, suggested: code, outcome: isTaken ? "accepted" : "own" }));
  }

  #showKinds(kinds) {
    const lines = [...this.form.querySelectorAll("[data-question-kind]")];
    lines.forEach((line, index) => { line.textContent = kinds[index] ? `${kinds[index]} question` : ""; });
  }
}
