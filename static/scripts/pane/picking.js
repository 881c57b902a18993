// From the reading pane into the form: selected text becomes passage 1 or 2, and a passage shows where it came from.
import { postJSON, wordsOfAnswer } from "../api.js";
import { all, around, focused, make, maybe, one, pageData, select, targetOf } from "../dom.js";
import { news, notice } from "../notices.js";
import { steadily } from "../steady.js";
import { wordChanges } from "../text/changes.js";
import { drawMarks } from "../text/marks.js";
import { stepSentences } from "../text/offsets.js";
import { withParts } from "../text/passage-parts.js";
import { say } from "../text/say.js";
import { whileHere } from "../visit.js";
import { History, LETTERS } from "./history.js";
import { lengthBefore, sentencesOf, textAround } from "./ranges.js";
import { Sources } from "./sources.js";

/** @typedef {import("./history.js").Position} Position */

/** @type {Position[]} */
const POSITIONS = [1, 2];

/**
 * The form's use of a selection.
 * @typedef {object} Desk
 * @property {HTMLFormElement} element
 * @property {import("../desk/passages.js").Passages} passages
 * @property {import("../desk/undo.js").Undo} undo
 * @property {(position: Position) => void} picked
 * @property {() => void} changed
 * @property {(name: string, words?: string) => HTMLElement} alert
 */

export class Picking {
  /** @type {Range | null} */
  #range = null;
  /** @type {Range | null} */
  #stepped = null; // the sentences that keys selected last, also once they are taken
  #isDragging = false;
  /** @type {HTMLElement | null} */
  #news = null; // offers to undo the last change
  #turn = Promise.resolve(); // one change after the other: each builds on the one before
  #bar = one("#pick");
  #desk;
  #history;
  #pane;
  #sources;

  /**
   * @param {Desk} desk
   * @param {import("./pane.js").Pane} pane
   */
  constructor(desk, pane) {
    this.#desk = desk;
    this.#pane = pane;
    this.#sources = new Sources(pane, pageData("sources"));
    this.#history = new History(desk.element, desk.passages, (position) => this.#sources.of(position));
    this.#bar.addEventListener("mousedown", (event) => event.preventDefault()); // the selection stays
    this.#bar.addEventListener("click", (event) => {
      const button = around(targetOf(event), "[data-picks]");
      if (button) this.take(positionOf(button.dataset.picks));
    });
    document.addEventListener("selectionchange", () => this.#selected(), { signal: whileHere() });
    // While text is dragged over, nothing may come between the pointer and the next line.
    pane.element.addEventListener("pointerdown", (event) => this.#drag(event.pointerType === "mouse"));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => this.#drag(false), { signal: whileHere() });
    pane.element.addEventListener("scroll", () => this.#putBar(), true);
    window.addEventListener("resize", () => this.#putBar(), { signal: whileHere() });
    maybe("[data-takes-paragraph]", desk.element)?.addEventListener("click", () => this.takeTagged());
    for (const button of all("[data-clears]", desk.element)) {
      button.addEventListener("click", () => this.clear(positionOf(button.dataset.clears)));
    }
    for (const button of all("[data-takes-title]", desk.element)) {
      one("[data-article-title]", button).textContent = desk.element.dataset.title ?? "";
      button.addEventListener("click", () => this.#takeTitle(button.dataset.takesTitle ?? ""));
    }
    desk.element.addEventListener("click", (event) => {
      const link = around(targetOf(event), "[data-source]");
      if (link) this.#sources.goTo(this.#sources.all[Number(link.dataset.source)]);
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
    const range = selection?.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : null;
    const text = range && textAround(range);
    this.#range = text && range.toString().trim() && this.#pane.element.contains(text) ? range : null;
    this.#putBar();
  }

  /** @param {boolean} isDragging */
  #drag(isDragging) {
    this.#isDragging = isDragging;
    this.#putBar();
  }

  #putBar() {
    const range = this.#range;
    this.#bar.hidden = !range || this.#isDragging;
    if (!range || this.#bar.hidden) return;
    const frame = this.#pane.panel().getBoundingClientRect();
    const seen = [...range.getClientRects()].filter((box) => box.width && box.bottom > frame.top && box.bottom < frame.bottom);
    const last = seen.at(-1) ?? frame;
    const top = Math.min(last.bottom + 6, frame.bottom - this.#bar.offsetHeight - 4);
    const left = Math.max(Math.min(last.right - this.#bar.offsetWidth / 2, frame.right - this.#bar.offsetWidth - 8), 8);
    this.#bar.style.setProperty("top", `${top}px`);
    this.#bar.style.setProperty("left", `${left}px`);
  }

  /** Whether there is a selection that can be taken. */
  get isThere() {
    return this.#range !== null;
  }

  /**
   * Takes the selection as passage 1 or 2, or as a further part of it.
   * @param {Position} position
   */
  async take(position) {
    const range = this.#range;
    const root = range && textAround(range);
    if (!root) return;
    const start = lengthBefore(root, range.startContainer, range.startOffset);
    const end = lengthBefore(root, range.endContainer, range.endOffset);
    // The server compares: a translated page, or one that an extension changed, shows other words than the article has.
    const words = range.toString();
    const isTaken = await this.#put(position, { evidence: Number(root.dataset.evidence), start, end, words });
    if (isTaken && this.#range === range) getSelection()?.removeAllRanges(); // not one that was made meanwhile
  }

  /**
   * Takes the tagged paragraph as passage 1, as if it had been selected by hand. Where the article is not here, or its
   * paragraph was not found, the stored text of it, which has no offsets in a page.
   */
  async takeTagged() {
    const passage = this.#passage(1);
    const standalone = this.#standalone(1);
    standalone.focus(); // at once: the next key must not go elsewhere
    const text = maybe(".ev-text", this.#pane.panel("article"));
    const stored = this.#desk.element.dataset.paragraph;
    if (text?.querySelector(".ev-tagged")) {
      await this.#put(1, { evidence: Number(text.dataset.evidence), tagged: true });
    } else if (stored && !passage.value.includes(stored)) {
      await this.#inTurn(async () => this.#note(1, () => this.#desk.passages.rewrite("A", (found) => [found.trim(), stored].filter(Boolean).join("\n"))));
      this.#changedByHand();
      notice(say("The paragraph is not marked in the article beside the form, so its stored text was taken. Compare it with the article."));
    }
    if (focused() === standalone) standalone.setSelectionRange(0, 0);
  }

  /**
   * Takes a stretch of a page that nobody selected by hand.
   * @param {Position} position
   * @param {{ evidence: number, start: number, end: number, words: string }} text
   */
  takeText(position, text) {
    return this.#put(position, text);
  }

  /**
   * Takes two stretches as passages 1 and 2, which one undoing empties again.
   * @param {{ evidence: number, start: number, end: number, words: string }} first
   * @param {{ evidence: number, start: number, end: number, words: string }} second
   * @returns {Promise<boolean>} whether that was done
   */
  async takePair(first, second) {
    if (!(await this.#put(1, first))) return false;
    const isTaken = await this.#put(2, second);
    if (isTaken) this.#desk.undo.join(2);
    else await this.#desk.undo.undo(); // half a pair is none
    return isTaken;
  }

  /**
   * Adds a selected part of a page to a passage: in the order of the page, and as one text with what adjoins there.
   * @param {Position} position
   * @param {object} selection
   * @returns {Promise<boolean>} whether that was done
   */
  #put(position, selection) {
    return this.#inTurn(async () => {
      const letter = LETTERS[position];
      const isFirst = !this.#passage(position).value.trim();
      this.#desk.element.dataset.taking = letter;
      const answer = await this.#ask(this.#desk.element.dataset.select, { ...selection, position, is_first: isFirst }, say("The selection was not taken"));
      delete this.#desk.element.dataset.taking;
      if (!answer) return false;
      steadily(this.#desk.element, () => {
        this.#note(position, () => {
          const parts = isFirst ? [] : this.#sources.of(position);
          this.#sources.all = answer.sources;
          if (isFirst) this.#title(letter).value = answer.title;
          this.#desk.passages.rewrite(letter, (text) => withParts(parts, this.#sources.of(position), text));
        });
        this.show();
        this.#desk.picked(position);
      });
      return true;
    });
  }

  /**
   * Empties a passage, and forgets where it came from.
   * @param {Position} position
   */
  clear(position) {
    return this.#inTurn(async () => {
      const answer = await this.#ask(this.#desk.element.dataset.sources, { position, parts: [] }, say("Passage {position} was not cleared", { position }));
      if (!answer) return;
      const act = this.#note(position, () => {
        this.#sources.all = answer.sources;
        this.#desk.passages.rewrite(LETTERS[position], () => "");
      });
      this.show();
      this.#pane.panel().focus({ preventScroll: true });
      this.#news = news(say("Passage {position} is empty.", { position }), { label: say("Undo"), act: () => this.#undoAndStay(act) });
    });
  }

  /**
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T>}
   */
  #inTurn(act) {
    const done = this.#turn.then(act);
    this.#turn = done.then(() => {}, () => {});
    return done;
  }

  // --- undoing ------------------------------------------------------------------------------------------------

  /**
   * Makes a change of a passage that can be undone.
   * @param {Position} position
   * @param {() => void} change
   */
  #note(position, change) {
    this.#news?.remove(); // it offers to undo the change before
    this.#history.note(position, change);
    const step = this.#history.last;
    const act = {
      fields: [this.#standalone(position), this.#passage(position)],
      isIntact: () => this.#history.last === step && !this.#history.isEdited,
      undo: () => this.#undoOne(),
    };
    this.#desk.undo.note(act);
    this.#desk.element.dispatchEvent(new Event("sourced"));
    return act;
  }

  /**
   * Undoes the last change of a passage: what was added to it, or that it was emptied.
   * @returns {Promise<boolean>} whether that was done
   */
  #undoOne() {
    return this.#inTurn(() => this.#goBack());
  }

  /** @returns {Promise<boolean>} whether that was done */
  async #goBack() {
    const step = this.#history.last;
    if (!step) return false;
    const { position, parts } = step;
    if (this.#history.isEdited) {
      notice(say("Passage {position} was edited after the change that would be undone, so nothing was undone. Undo the edits first.", { position }));
      return false;
    }
    const answer = await this.#ask(this.#desk.element.dataset.sources, { position, parts }, say("Nothing was undone"));
    if (!answer) return false;
    this.#news?.remove();
    this.#sources.all = answer.sources;
    this.#history.goBack();
    this.show();
    this.#desk.element.dispatchEvent(new Event("sourced"));
    return true;
  }

  // The button goes with its notice, so the focus moves to the article.
  /** @param {import("../desk/undo.js").Act} act */
  async #undoAndStay(act) {
    await this.#desk.undo.undo(act);
    this.#pane.panel().focus({ preventScroll: true });
  }

  /**
   * The server's answer; null if there is none, and then the page says so.
   * @param {string | undefined} address
   * @param {object} sent
   * @param {string} otherwise
   */
  async #ask(address, sent, otherwise) {
    const answer = await postJSON(address ?? "", sent);
    if (answer.outcome === "done") return answer.data;
    if (answer.outcome === "signed-out") this.#desk.alert("signed-out");
    else if (answer.outcome === "refused") notice(answer.message);
    else notice(say("{what}; your text is kept. {why}", { what: otherwise, why: wordsOfAnswer(answer) }));
    return null;
  }

  /** @param {Position} position */
  #passage(position) {
    return one(`[name=paragraph${LETTERS[position]}_information]`, this.#desk.element, HTMLTextAreaElement);
  }

  /** @param {Position} position */
  #standalone(position) {
    return one(`[name=paragraph${LETTERS[position]}_information_standalone]`, this.#desk.element, HTMLTextAreaElement);
  }

  // --- where a passage came from ------------------------------------------------------------------------------

  /** Shows the sources of the passages at their fields and in the pane. */
  show() {
    this.#sources.paint();
    for (const position of POSITIONS) {
      const own = this.#sources.of(position);
      const holder = one(`[data-sources-of="${position}"]`, this.#desk.element);
      holder.hidden = own.length === 0;
      one(`[data-clears="${position}"]`, this.#desk.element).hidden = own.length === 0;
      const links = own.map((source, at) => this.#link(source, own.slice(0, at)));
      one("[data-lines]", holder).replaceChildren(...links.flatMap((link, at) => (at ? [", ", link] : [link])));
    }
    this.#changedByHand();
    this.#tellTalkPages();
  }

  /**
   * Whether a passage has text of this stretch of a page.
   * @param {Position} position
   * @param {{ evidence: number, start: number, end: number }} text
   */
  has(position, { evidence, start, end }) {
    return this.#sources.of(position).some((source) => source.evidence === evidence && source.start < end && source.end > start);
  }

  /**
   * A link to a source, by its page or, if one before is from the same page, by its number among those.
   * @param {import("./sources.js").Source} source
   * @param {import("./sources.js").Source[]} before
   */
  #link(source, before) {
    const { revision, start, end } = source;
    const text = source.text.slice(0, 200);
    const name = nameOf(source);
    const number = before.filter((other) => nameOf(other) === name).length + 1;
    const link = make("button", {
      type: "button",
      className: "link",
      textContent: number > 1 ? say("part {number}", { number }) : name,
      title: revision
        ? say("Revision {revision}, characters {start} to {end}: “{text}”. Scroll there.", { revision, start, end, text })
        : say("characters {start} to {end}: “{text}”. Scroll there.", { start, end, text }),
    });
    link.dataset.source = String(this.#sources.all.indexOf(source));
    return link;
  }

  // --- a passage of the talk page: the article's title is offered -----------------------------------------------

  #tellTalkPages() {
    for (const position of POSITIONS) {
      const title = this.#title(LETTERS[position]).value.trim();
      const isTalk = this.#sources.of(position).some((source) => source.page === "talk" && source.title === title);
      one(`[data-talk-title="${LETTERS[position]}"]`, this.#desk.element).hidden = !isTalk;
    }
  }

  /** @param {string} letter */
  #takeTitle(letter) {
    const title = this.#title(letter);
    title.value = this.#desk.element.dataset.title ?? "";
    title.focus();
    this.#desk.changed();
    this.#tellTalkPages();
  }

  /** @param {string} letter */
  #title(letter) {
    return one(`[name=paragraph${letter}_article]`, this.#desk.element, HTMLInputElement);
  }

  #changedByHand() {
    for (const position of POSITIONS) {
      const selected = this.#sources.of(position).map((source) => source.text).join("\n");
      const passage = this.#passage(position).value.trim();
      const isByHand = selected !== "" && passage !== "" && passage !== selected;
      one(`[data-by-hand="${position}"]`, this.#desk.element).hidden = !isByHand;
      drawMarks(one(`[data-found-marks="${LETTERS[position]}"]`, this.#desk.element), isByHand ? wordChanges(selected, passage) : []);
    }
  }

  // --- selecting with keys alone: sentence by sentence --------------------------------------------------------

  /**
   * Selects the sentence after or before the one selected or taken last (the first of the tagged paragraph), or one
   * more of them.
   * @param {1 | -1} by
   * @param {{ extend?: boolean }} [options]
   */
  sentence(by, { extend = false } = {}) {
    const panel = this.#pane.panel();
    const root = maybe(".ev-text", panel);
    const sentences = root ? sentencesOf(root) : [];
    if (!root || !sentences.length) return;
    const { first, last } = stepSentences(this.#selectedOf(sentences), by, {
      count: sentences.length, start: firstTagged(root, sentences), extend: extend && this.isThere,
    });
    const chosen = document.createRange();
    chosen.setStart(sentences[first].startContainer, sentences[first].startOffset);
    chosen.setEnd(sentences[last].endContainer, sentences[last].endOffset);
    this.#stepped = chosen;
    select(chosen);
    this.#selected(); // at once: the browser's own event may come after the next key
    const [box, frame] = [chosen.getBoundingClientRect(), panel.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) this.#pane.scrollTo(panel, box);
  }

  /**
   * The selected sentences or, if none is, the last selected ones.
   * @param {Range[]} sentences
   */
  #selectedOf(sentences) {
    const range = this.#range ?? this.#stepped;
    if (!range || !textAround(range)?.contains(sentences[0].startContainer)) return { first: -1, last: -1 };
    return {
      first: sentences.findIndex((one) => one.compareBoundaryPoints(Range.START_TO_END, range) > 0),
      last: sentences.findLastIndex((one) => one.compareBoundaryPoints(Range.END_TO_START, range) < 0),
    };
  }
}

/** @param {import("./sources.js").Source} source */
function nameOf({ title, page, kind }) {
  /** @type {Record<string, string>} */
  const kinds = { text: "", table: say("(table)"), infobox: say("(infobox)") };
  return [title, page === "talk" && say("(talk page)"), kinds[kind]].filter(Boolean).join(" ");
}

/**
 * @param {string | undefined} value
 * @returns {Position}
 */
function positionOf(value) {
  return value === "2" ? 2 : 1;
}

/**
 * @param {HTMLElement} root
 * @param {Range[]} sentences
 * @returns {number} the first sentence of the tagged paragraph, or of the text
 */
function firstTagged(root, sentences) {
  const tagged = root.querySelector(".ev-tagged");
  return tagged ? Math.max(sentences.findIndex((one) => tagged.contains(one.startContainer)), 0) : 0;
}
