// Texts of the article that the tagged one may contradict: listed under step 2 with the reason, underlined with dots in
// the pane. A key takes the best one as passage 2, a click any of them. Where the tag marks no text, pairs are listed in
// the same way, and one is taken as both passages. Nothing is chosen by itself.
import { postJSON } from "../api.js";
import { all, around, focused, make, maybe, one, targetOf } from "../dom.js";
import { notice } from "../notices.js";
import { paint, rangeBetween } from "../pane/ranges.js";
import { steadily } from "../steady.js";
import { say } from "../text/say.js";

/** Pairs that are listed at first; a button lists the others. */
const FIRST_PAIRS = 3;
/** Milliseconds for a page of the pane to arrive, when a text of it is taken. */
const PATIENCE = 10_000;

/**
 * A text of a page.
 * @typedef {object} Text
 * @property {number} evidence The page that has it
 * @property {string} kind The tab that shows the page
 * @property {number} start
 * @property {number} end
 * @property {string} text
 * @property {string} heading
 */
/**
 * A text as the server suggests it; of a pair, the second one.
 * @typedef {Text & { reason: string, passage_1?: Text }} Counterpart
 */

export class Counterparts {
  /** @type {Counterpart[]} */
  #all = [];
  #isAsked = false;
  #isLong = false; // all pairs are listed
  /** @type {{ number: number, taken_with: "key" | "list", isTold: boolean } | null} */
  #taken = null; // the last one taken, and whether the server counts it as taken
  #form;
  #pane;
  #picking;

  /**
   * @param {HTMLFormElement} form
   * @param {import("../pane/pane.js").Pane} pane
   * @param {import("../pane/picking.js").Picking} picking
   */
  constructor(form, pane, picking) {
    this.#form = form;
    this.#pane = pane;
    this.#picking = picking;
    for (const holder of all("[data-counterparts], [data-pairs]", form)) {
      holder.addEventListener("click", (event) => {
        const button = around(targetOf(event), "[data-counterpart]");
        if (button) this.#take(Number(button.dataset.counterpart), "list");
      });
      holder.addEventListener("focusin", (event) => this.#look(targetOf(event)));
      holder.addEventListener("keydown", (event) => this.#walk(event));
    }
    one("[data-more-pairs]", form).addEventListener("click", () => this.#lengthen());
    form.addEventListener("sourced", () => this.#tell());
    pane.element.addEventListener("shown", () => this.#paint());
    pane.element.addEventListener("filled", () => (this.#all.length ? this.#paint() : this.#ask()));
    this.#ask();
  }

  /** Asks for them once the article is here, unless passage 2 is. */
  async #ask() {
    if (!maybe(".ev-text", this.#pane.panel("article"))) return;
    const address = this.#form.dataset.counterpartsAddress; // a practice run has none: finding them is the exercise
    if (!address || this.#isThere("B") || this.#isAsked) return;
    this.#isAsked = true;
    // The form works without an answer, too.
    const answer = await postJSON(address, {});
    this.#isAsked = answer.outcome === "done" && answer.data.is_here;
    if (answer.outcome !== "done") return;
    this.#all = answer.data.counterparts;
    one("[data-ranked-by]", this.#holder).textContent = answer.data.ranked_by ? say(", re-ranked by {model}", { model: answer.data.ranked_by }) : "";
    one("ol", this.#holder).replaceChildren(...this.#all.map((each, number) => line(each, number)));
    steadily(this.#form, () => this.show());
    this.#paint();
  }

  get #arePairs() {
    return Boolean(this.#all[0]?.passage_1);
  }

  get #holder() {
    return one(this.#arePairs ? "[data-pairs]" : "[data-counterparts]", this.#form);
  }

  /** @param {"A" | "B"} letter */
  #isThere(letter) {
    return one(`[name=paragraph${letter}_information]`, this.#form, HTMLTextAreaElement).value.trim() !== "";
  }

  /** Shows the list as long as there is no passage 2; pairs as long as there is no passage at all. */
  show() {
    const isChosen = this.#isThere("B") || (this.#arePairs && this.#isThere("A"));
    this.#holder.hidden = this.#all.length === 0 || isChosen;
    if (!this.#arePairs) return;
    all("li", this.#holder).forEach((item, at) => { item.hidden = !this.#isLong && at >= FIRST_PAIRS; });
    const more = one("[data-more-pairs]", this.#form);
    more.hidden = this.#isLong || this.#all.length <= FIRST_PAIRS;
    more.textContent = say("Show {count} more", { count: this.#all.length - FIRST_PAIRS });
  }

  /** Lists all pairs, and goes to the first that was not there before. */
  #lengthen() {
    this.#isLong = true;
    this.show();
    this.#paint();
    this.#focus(all("[data-counterpart]", this.#holder)[FIRST_PAIRS]);
  }

  /** @param {Text} text */
  #rangeOf(text) {
    const root = maybe(`.ev-text[data-evidence="${text.evidence}"]`, this.#pane.element);
    return root && rangeBetween(root, text.start, text.end);
  }

  #paint() {
    const listed = this.#arePairs && !this.#isLong ? this.#all.slice(0, FIRST_PAIRS) : this.#all;
    this.#mark("counterpart", listed);
    this.#mark("counterpart-1", listed.flatMap(({ passage_1: first }) => first ?? []));
  }

  /**
   * @param {string} name Of the highlight
   * @param {Text[]} texts
   */
  #mark(name, texts) {
    paint(name, texts.map((text) => this.#rangeOf(text)).filter((range) => range !== null));
  }

  /** Takes the best one as passage 2, or the best pair, with one key. */
  takeBest() {
    if (this.#holder.hidden && this.#all.length) notice(say("A passage is chosen already. Clear it to take a suggested one."));
    else if (this.#all.length) this.#take(0, "key");
    else if (this.#form.dataset.counterpartsAddress) notice(say("No text of the article is likely enough to be suggested as passage 2. Select it in the article."));
  }

  /**
   * @param {number} number
   * @param {"key" | "list"} way
   */
  async #take(number, way) {
    const each = this.#all[number];
    const first = each.passage_1 && (await this.#selected(each.passage_1));
    const second = await this.#selected(each);
    if (!second || (each.passage_1 && !first)) {
      notice(say("The page with this text is being loaded. Take the text again once it is shown."));
      return;
    }
    const wasHere = this.#holder.contains(focused());
    const isTaken = await (first ? this.#picking.takePair(first, second) : this.#picking.takeText(2, second));
    if (!isTaken) return;
    if (wasHere) one("[data-goes-to]", around(this.#holder, "[data-step]") ?? this.#form).focus({ preventScroll: true }); // the list is gone
    this.#taken = { number, taken_with: way, isTold: false };
    this.#tell();
  }

  // Says which one was taken, and again once it is back. That it was taken back the server knows by itself.
  #tell() {
    if (!this.#taken) return;
    const { number, taken_with, isTold } = this.#taken;
    const { passage_1: first, ...second } = this.#all[number];
    this.#taken.isTold = this.#picking.has(2, second) && (!first || this.#picking.has(1, first));
    if (this.#taken.isTold && !isTold) postJSON(this.#form.dataset.counterpartAddress ?? "", { number, taken_with });
  }

  /**
   * A text as if it had been selected by hand; undefined if its page does not arrive.
   * @param {Text} text
   */
  async #selected(text) {
    if (!this.#rangeOf(text)) {
      this.#pane.show(text.kind);
      await this.#arrival(text);
    }
    const range = this.#rangeOf(text);
    const { evidence, start, end } = text;
    return range ? { evidence, start, end, words: range.toString() } : undefined;
  }

  /**
   * Waits until the pane has the page of a text, or for `PATIENCE`.
   * @param {Text} text
   * @returns {Promise<void>}
   */
  #arrival(text) {
    return new Promise((resolve) => {
      const done = new AbortController();
      const end = () => {
        done.abort();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, PATIENCE);
      this.#pane.element.addEventListener("filled", () => { if (this.#rangeOf(text)) end(); }, { signal: done.signal });
    });
  }

  /**
   * Scrolls the pane to the text whose line has the focus; of a pair, to the first.
   * @param {HTMLElement} element
   */
  #look(element) {
    const button = around(element, "[data-counterpart]");
    const each = button && this.#all[Number(button.dataset.counterpart)];
    const text = each && (each.passage_1 ?? each);
    const range = text && this.#rangeOf(text);
    if (!range) return;
    this.#pane.show(text.kind);
    this.#pane.scrollTo(this.#pane.panel(), range.getBoundingClientRect());
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    event.preventDefault();
    const lines = all("li:not([hidden]) [data-counterpart]", this.#holder);
    const at = lines.indexOf(targetOf(event)) + (event.key === "ArrowDown" ? 1 : -1);
    this.#focus(lines.at(at % lines.length));
  }

  /** @param {HTMLElement | undefined} next The line that the Tab key then stops at */
  #focus(next) {
    for (const each of all("[data-counterpart]", this.#holder)) each.tabIndex = each === next ? 0 : -1;
    next?.focus();
  }
}

/**
 * @param {Counterpart} each
 * @param {number} number
 */
function line(each, number) {
  const button = make("button", { type: "button", className: each.passage_1 ? "counterpart is-pair" : "counterpart" });
  button.dataset.counterpart = String(number);
  button.tabIndex = number === 0 ? 0 : -1; // one stop for the Tab key; arrows walk through the list
  if (each.passage_1) button.append(words(each.passage_1, "reading-line passage-1"));
  button.append(words(each, each.passage_1 ? "reading-line passage-2" : "reading-line"));
  const headings = [each.passage_1?.heading, each.heading].filter(Boolean);
  const why = [each.reason, [...new Set(headings)].join(` ${say("and")} `)].filter(Boolean).join(" · ");
  button.append(make("span", { className: "small muted", textContent: why }));
  const item = make("li");
  item.append(button);
  return item;
}

/**
 * @param {Text} text
 * @param {string} className
 */
function words(text, className) {
  return make("span", { className, textContent: text.text, dir: "auto" });
}
