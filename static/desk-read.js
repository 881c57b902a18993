// A desk with an annotation to be read: the pane beside it, its passages painted there and gone to, and the keys.
"use strict";

class Reading {
  #at = 0; // the passage that the key goes to next

  constructor(element) {
    this.element = element;
    this.pane = new Pane(document.getElementById("pane"));
    this.passages = [...element.querySelectorAll("[data-passage]")];
    const spans = Object.fromEntries(this.passages.map((passage) => [passage.dataset.passage, passage.dataset.span]));
    this.sources = new Sources(this.pane, JSON.parse(document.getElementById("sources").textContent), { spans });
    this.pane.element.addEventListener("filled", () => this.find());
    element.addEventListener("click", (event) => this.onClick(event));
    addEventListener("keydown", (event) => this.onKey(event));
    this.find();
  }

  // Passages that nobody selected: where the article has them word for word, they can be gone to all the same.
  find() {
    const root = this.pane.panel("article")?.querySelector(".ev-text");
    for (const button of this.element.querySelectorAll("[data-finds-passage]")) {
      const passage = button.closest("[data-passage]");
      const text = passage.querySelector("[data-passage-text]").textContent.trim().toLowerCase();
      const [range] = root && text.length > 3 ? rangesOf(root, text) : [];
      if (range) this.sources.found[passage.dataset.passage] = range;
      button.hidden = !range;
    }
    this.sources.paint();
  }

  onClick(event) {
    const link = event.target.closest("[data-source]");
    const finder = event.target.closest("[data-finds-passage]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      this.sources.goTo(this.sources.all[Number(link.dataset.source)]);
    } else if (event.target.closest("[data-to-tagged]")) {
      this.pane.show("article");
      this.pane.toTag();
    } else if (finder) {
      this.pane.show("article");
      this.sources.goToRange(this.sources.found[finder.closest("[data-passage]").dataset.passage]);
    }
  }

  onKey(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || isDialogOpen()) return;
    const done = event.altKey ? this.#alt(event) : mayKeyAct(event) && this.#plain(event);
    if (done) event.preventDefault();
  }

  #alt(event) {
    const digit = /^(?:Digit|Numpad)([1-6])$/.exec(event.code)?.[1];
    if (digit) this.#toStep(digit);
    else if (event.code === "KeyA") this.pane.panel().focus({ preventScroll: true });
    else if (event.code === "KeyG") toggleGuides();
    else return false;
    return true;
  }

  #plain(event) {
    if (event.key === "/") this.pane.find.focus();
    else if (event.key === "t") document.querySelector("[data-to-tag]").click();
    else if (event.key === "p") this.#toPassage();
    else if (event.key === "s") this.#suggest();
    else return false;
    return true;
  }

  #toStep(number) {
    const step = document.getElementById(`step-${number}`);
    if (!step) return;
    step.open = true;
    step.querySelector("summary").focus({ preventScroll: true });
    step.scrollIntoView({ block: "start" });
  }

  // The form for an edit of the field at hand, or of the one after it.
  #suggest() {
    const all = [...this.element.querySelectorAll(".suggest")].filter((one) => one.checkVisibility());
    const at = document.activeElement;
    const here = at.closest(".suggest");
    const next = here ? all[all.indexOf(here) + 1]
      : all.find((one) => at.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    const chosen = next ?? all[0];
    if (!chosen) return;
    openToWrite(chosen);
    chosen.scrollIntoView({ block: "center" });
  }

  // One passage after the other, over all that can be gone to in the article.
  #toPassage() {
    const links = [...this.element.querySelectorAll("[data-source], [data-to-tagged], [data-finds-passage]:not([hidden])")];
    if (links.length) links[this.#at++ % links.length].click();
  }
}

document.documentElement.classList.add("scripted");
prepareGuides(false);
window.reading = new Reading(document.getElementById("read"));
