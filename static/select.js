// From the reading pane into the form: selected text becomes passage 1 or 2, and a passage shows where it came from.
"use strict";

const POSITIONS = { 1: "A", 2: "B" };

class Picking {
  #range = null;
  #isDragging = false;

  // `desk` is the Desk; `pane` the Pane.
  constructor(desk, pane) {
    this.desk = desk;
    this.pane = pane;
    this.sources = new Sources(pane, JSON.parse(document.getElementById("sources").textContent));
    this.bar = document.getElementById("pick");
    this.bar.addEventListener("mousedown", (event) => event.preventDefault()); // the selection stays
    this.bar.addEventListener("click", (event) => {
      const button = event.target.closest("[data-picks]");
      if (button) this.take(Number(button.dataset.picks));
    });
    document.addEventListener("selectionchange", () => this.#selected());
    // While text is dragged over, nothing may come between the pointer and the next line.
    pane.element.addEventListener("pointerdown", (event) => this.#drag(event.pointerType === "mouse"));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => this.#drag(false));
    pane.element.addEventListener("scroll", () => this.#putBar(), true);
    desk.element.querySelector("[data-takes-paragraph]")?.addEventListener("click", () => this.takeTagged());
    for (const button of desk.element.querySelectorAll("[data-clears]")) {
      button.addEventListener("click", () => this.clear(Number(button.dataset.clears)));
    }
    for (const button of desk.element.querySelectorAll("[data-takes-title]")) {
      button.addEventListener("click", () => this.#takeTitle(button.dataset.takesTitle));
    }
    desk.element.addEventListener("click", (event) => {
      const link = event.target.closest("[data-source]");
      if (link) this.sources.goTo(this.sources.all[Number(link.dataset.source)]);
    });
    for (const change of ["input", "applied"]) {
      desk.element.addEventListener(change, () => {
        this.#changedByHand();
        this.#tellTalkPages();
      });
    }
    this.show();
  }

  // --- selecting ----------------------------------------------------------------------------------------------

  // The selection, where it lies within a text of the pane and is more than marks.
  #selected() {
    const selection = getSelection();
    const range = selection.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : null;
    const text = range && elementOf(range.commonAncestorContainer).closest(".ev-text");
    this.#range = text && range.toString().trim() && this.pane.element.contains(text) ? range : null;
    this.#putBar();
  }

  #drag(isDragging) {
    this.#isDragging = isDragging;
    this.#putBar();
  }

  #putBar() {
    const range = this.#range;
    this.bar.hidden = !range || this.#isDragging;
    if (this.bar.hidden) return;
    const boxes = [...range.getClientRects()];
    const frame = this.pane.panel().getBoundingClientRect();
    const last = boxes.findLast((box) => box.width && box.bottom > frame.top && box.bottom < frame.bottom) ?? frame;
    const top = Math.min(last.bottom + 6, frame.bottom - this.bar.offsetHeight - 4);
    const left = Math.max(Math.min(last.right - this.bar.offsetWidth / 2, frame.right - this.bar.offsetWidth - 8), 8);
    this.bar.style.setProperty("top", `${top}px`);
    this.bar.style.setProperty("left", `${left}px`);
  }

  get isThere() {
    return this.#range !== null;
  }

  // The selection as passage 1 or 2; behind what the passage holds already.
  async take(position) {
    const range = this.#range;
    if (!range) return;
    const root = elementOf(range.commonAncestorContainer).closest(".ev-text");
    const start = lengthBefore(root, range.startContainer, range.startOffset);
    const end = lengthBefore(root, range.endContainer, range.endOffset);
    if (await this.#put(position, { evidence: Number(root.dataset.evidence), start, end })) getSelection().removeAllRanges();
  }

  // The tagged paragraph as passage 1, as if it had been selected by hand. Where the article is not here, or its
  // paragraph was not found, the stored text of it, which has no offsets in a page.
  async takeTagged() {
    const passage = this.#passage(1);
    const standalone = this.desk.element.elements.namedItem("paragraphA_information_standalone");
    standalone.focus(); // at once: the next key must not go elsewhere
    const text = this.pane.panel("article").querySelector(".ev-text");
    const stored = this.desk.element.dataset.paragraph;
    if (text?.querySelector(".ev-tagged")) {
      await this.#put(1, { evidence: Number(text.dataset.evidence), tagged: true });
    } else if (stored && !passage.value.includes(stored)) {
      this.desk.passages.put("A", [passage.value.trim(), stored].filter(Boolean).join("\n"));
      this.#changedByHand();
      notice("The paragraph is not marked in the article beside the form, so its stored text was taken. Compare it with the article.");
    }
    if (document.activeElement === standalone) standalone.setSelectionRange(0, 0);
  }

  // Adds a selected part of a page to a passage; whether that was done.
  async #put(position, selection) {
    const passage = this.#passage(position);
    const answer = await this.#ask(this.desk.element.dataset.select, { ...selection, position, is_first: !passage.value.trim() });
    if (!answer) return false;
    this.sources.all = answer.sources;
    const isFirst = !passage.value.trim();
    const text = isFirst ? answer.text : `${passage.value.trim()}\n${answer.text}`;
    if (isFirst) this.#title(POSITIONS[position]).value = answer.title;
    this.desk.passages.put(POSITIONS[position], text);
    this.show();
    this.desk.picked(position);
    return true;
  }

  async clear(position) {
    const answer = await this.#ask(this.desk.element.dataset.clear, { position });
    if (!answer) return;
    this.sources.all = answer.sources;
    this.desk.passages.put(POSITIONS[position], "");
    this.show();
    this.pane.panel().focus({ preventScroll: true });
  }

  // What the server answers; null where it could not, which the page then says.
  async #ask(address, sent) {
    try {
      const response = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() ?? "" },
        body: JSON.stringify(sent),
        signal: AbortSignal.timeout(15_000),
      });
      const answer = await response.json();
      if (response.ok) return answer;
      if (response.status === 401) this.desk.alert("signed-out");
      else notice(answer.message);
    } catch {
      notice("The server did not answer, so the selection was not taken. What you typed is kept; try again.");
    }
    return null;
  }

  #passage(position) {
    return this.desk.element.elements.namedItem(`paragraph${POSITIONS[position]}_information`);
  }

  // --- where a passage came from ------------------------------------------------------------------------------

  show() {
    this.sources.paint();
    for (const position of [1, 2]) {
      const own = this.sources.of(position);
      const line = this.desk.element.querySelector(`[data-sources-of="${position}"]`);
      line.hidden = own.length === 0;
      const links = own.map((source) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "link";
        button.dataset.source = this.sources.all.indexOf(source);
        button.textContent = `${source.title}${source.page === "talk" ? " (talk page)" : ""}${source.kind === "text" ? "" : ` (${source.kind})`}`;
        button.title = `${source.revision ? `Revision ${source.revision}, ` : ""}characters ${source.start} to ${source.end}: “${source.text.slice(0, 200)}”. Scroll there.`;
        return button;
      });
      line.querySelector("[data-lines]").replaceChildren(...links.flatMap((link, at) => (at ? [", ", link] : [link])));
    }
    this.#changedByHand();
    this.#tellTalkPages();
  }

  // --- a passage of the talk page: the article's title is offered -----------------------------------------------

  #tellTalkPages() {
    for (const position of [1, 2]) {
      const title = this.#title(POSITIONS[position]).value.trim();
      const isTalk = this.sources.of(position).some((source) => source.page === "talk" && source.title === title);
      this.desk.element.querySelector(`[data-talk-title="${POSITIONS[position]}"]`).hidden = !isTalk;
    }
  }

  #takeTitle(letter) {
    const title = this.#title(letter);
    title.value = this.desk.element.dataset.title;
    title.focus();
    this.desk.changed();
    this.#tellTalkPages();
  }

  #title(letter) {
    return this.desk.element.elements.namedItem(`paragraph${letter}_article`);
  }

  #changedByHand() {
    for (const position of [1, 2]) {
      const selected = this.sources.of(position).map((source) => source.text).join("\n");
      const passage = this.#passage(position).value.trim();
      const line = this.desk.element.querySelector(`[data-by-hand="${position}"]`);
      line.hidden = !selected || passage === selected;
      if (!line.hidden) showChanges(line.querySelector("[data-changes]"), selected, passage);
    }
  }

  // --- selecting with keys alone: sentence by sentence --------------------------------------------------------

  // The sentence after or before the one selected (the first of the tagged paragraph), or one more of them.
  sentence(by, { extend = false } = {}) {
    const root = this.pane.panel().querySelector(".ev-text");
    if (!root) return;
    const sentences = sentencesOf(root);
    if (!sentences.length) return;
    const range = this.#range;
    let [from, to] = [-1, -1];
    if (range) {
      from = sentences.findIndex((one) => one.compareBoundaryPoints(Range.START_TO_END, range) > 0);
      to = sentences.findLastIndex((one) => one.compareBoundaryPoints(Range.END_TO_START, range) < 0);
    }
    if (from < 0) {
      const tagged = root.querySelector(".ev-tagged");
      from = tagged ? Math.max(sentences.findIndex((one) => tagged.contains(one.startContainer)), 0) : 0;
      to = from;
    } else if (extend) {
      to = Math.min(Math.max(to + by, from), sentences.length - 1);
    } else {
      from = to = Math.min(Math.max((by > 0 ? to : from) + by, 0), sentences.length - 1);
    }
    const chosen = document.createRange();
    chosen.setStart(sentences[from].startContainer, sentences[from].startOffset);
    chosen.setEnd(sentences[to].endContainer, sentences[to].endOffset);
    getSelection().removeAllRanges();
    getSelection().addRange(chosen);
    this.#selected(); // at once: the browser's own event may come after the next key
    const panel = this.pane.panel();
    const [box, frame] = [chosen.getBoundingClientRect(), panel.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) this.pane.scrollTo(panel, box);
  }
}

// How much text of `root` stands before a boundary in it, in UTF-16 units, marks and all.
function lengthBefore(root, container, offset) {
  const range = document.createRange();
  range.selectNodeContents(root);
  range.setEnd(container, offset);
  return range.toString().length;
}

const OF_ITS_OWN = "p, li, dt, dd, h2, h3, h4, h5, h6, blockquote, figcaption, caption, pre, tr";

// A range for each sentence of a text; a heading, a table row or a line of a list is one.
function sentencesOf(root) {
  const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter(root.lang || "en", { granularity: "sentence" });
  const ranges = [];
  for (const block of root.querySelectorAll(OF_ITS_OWN)) {
    if (block.closest(".ev-aside") || block.parentElement.closest("tr") || block.querySelector(OF_ITS_OWN)?.closest("tr") === null) continue;
    const nodes = [];
    let text = "";
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (walker.currentNode.parentElement.closest(".ev-aside")) continue;
      nodes.push([text.length, walker.currentNode]);
      text += walker.currentNode.data;
    }
    if (!text.trim()) continue;
    const parts = segmenter && !block.matches("tr") ? [...segmenter.segment(text)] : [{ segment: text, index: 0 }];
    for (const part of parts) {
      const begin = part.index + part.segment.length - part.segment.trimStart().length;
      const end = part.index + part.segment.trimEnd().length;
      if (end <= begin) continue;
      const range = document.createRange();
      range.setStart(...boundaryAt(nodes, begin));
      range.setEnd(...boundaryAt(nodes, end, true));
      ranges.push(range);
    }
  }
  return ranges;
}
