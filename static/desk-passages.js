// The desk's passages: the stand-alone version that starts as the passage, and the contradicted span shown where it stands.
"use strict";

const LETTERS = ["A", "B"];

class Passages {
  #before = {}; // the passage as it was when its field was entered

  constructor(form, onChange) {
    this.form = form;
    this.onChange = onChange;
    for (const letter of LETTERS) {
      const passage = this.#field(`paragraph${letter}_information`);
      passage.addEventListener("focusin", () => { this.#before[letter] = passage.value; });
      passage.addEventListener("change", () => this.#follow(letter));
    }
    for (const button of form.querySelectorAll("[data-takes-span]")) {
      // Pressing the button must not lose the selection that it takes.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("click", () => this.takeSpan());
    }
    this.show();
  }

  #field(name) {
    return this.form.elements.namedItem(name);
  }

  #set(field, value) {
    field.value = value;
    this.onChange();
  }

  // An untouched stand-alone version goes with its passage.
  #follow(letter) {
    const passage = this.#field(`paragraph${letter}_information`);
    const standalone = this.#field(`paragraph${letter}_information_standalone`);
    if (standalone.value.trim() === "" || standalone.value === this.#before[letter]) {
      this.#set(standalone, passage.value.trim());
    }
    this.#before[letter] = passage.value;
  }

  // A new text for the passage; its untouched stand-alone version goes with it.
  put(letter, text) {
    const passage = this.#field(`paragraph${letter}_information`);
    this.#before[letter] = passage.value;
    passage.value = text;
    this.#follow(letter);
    this.onChange();
  }

  // The text selected in one of the shown passages becomes its contradicted span; a second piece is added.
  takeSpan() {
    const selection = getSelection();
    const words = selection.toString().trim();
    const view = selection.anchorNode?.parentElement?.closest("[data-passage-view]");
    if (!words || !view || !view.contains(selection.focusNode)) return;
    const span = this.#field(`relevantInfo_comment_${view.dataset.passageView}_Span`);
    const isThere = span.value.trim() && view.textContent.includes(span.value.trim().split("\n")[0]);
    this.#set(span, isThere && !span.value.includes(words) ? `${span.value.trim()}\n${words}` : words);
    selection.removeAllRanges();
    // On to what is still to be written: the statement of this passage, that of the other, else the span itself.
    const [own, other] = view.dataset.passageView === "A" ? ["A", "B"] : ["B", "A"];
    const statements = [own, other].map((letter) => this.#field(`relevantInfo_comment_${letter}`));
    (statements.find((statement) => !statement.value.trim()) ?? span).focus();
  }

  // The passages in step 3, with their spans marked as far as they are found.
  show() {
    const isSame = this.form.querySelector("[name=wikitag_label_samepassage]:checked")?.value === "Same";
    for (const letter of LETTERS) {
      const from = isSame ? "A" : letter;
      const standalone = this.#field(`paragraph${from}_information_standalone`).value;
      const passage = this.#field(`paragraph${from}_information`).value;
      const span = this.#field(`relevantInfo_comment_${letter}_Span`).value;
      const text = standalone.trim() && (!span.trim() || marked(standalone, span)) ? standalone : passage;
      const view = this.form.querySelector(`[data-passage-view=${letter}]`);
      view.hidden = !text.trim();
      view.replaceChildren(...(marked(text, span) ?? [text]));
    }
  }
}

// `text` in pieces with the span marked, or null where the span is not found. The server's comparison is more lenient.
function marked(text, span) {
  const wanted = span.trim().split(/\n+/).map((piece) => piece.trim()).filter(Boolean);
  const whole = span.trim();
  const pieces = wanted.length > 1 && !text.includes(whole) ? wanted : [whole];
  if (!whole || !pieces.every((piece) => text.includes(piece))) return null;
  const nodes = [];
  let at = 0;
  for (const start of pieces.map((piece) => [text.indexOf(piece), piece]).sort((a, b) => a[0] - b[0])) {
    if (start[0] < at) continue;
    const mark = document.createElement("mark");
    mark.className = "span";
    mark.textContent = start[1];
    nodes.push(text.slice(at, start[0]), mark);
    at = start[0] + start[1].length;
  }
  return [...nodes, text.slice(at)];
}
