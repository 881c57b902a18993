// Texts of the article that the tagged one may contradict: listed under step 2 with the reason, underlined with dots in
// the pane. A key takes the best one as passage 2, a click any of them. Nothing is chosen by itself.
import { postJSON } from "../api.js";
import { all, around, make, maybe, one, targetOf } from "../dom.js";
import { notice } from "../notices.js";
import { paint, rangeBetween } from "../pane/ranges.js";

/**
 * A text as the server suggests it.
 * @typedef {object} Counterpart
 * @property {number} evidence The page that has it
 * @property {string} kind The tab that shows the page
 * @property {number} start
 * @property {number} end
 * @property {string} text
 * @property {string} heading
 * @property {string} reason
 */

export class Counterparts {
  /** @type {Counterpart[]} */
  #all = [];
  #isAsked = false;
  #form;
  #holder;
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
    this.#holder = one("[data-counterparts]", form);
    this.#holder.addEventListener("click", (event) => {
      const button = around(targetOf(event), "[data-counterpart]");
      if (button) this.#take(Number(button.dataset.counterpart), "list");
    });
    this.#holder.addEventListener("focusin", (event) => this.#look(targetOf(event)));
    this.#holder.addEventListener("keydown", (event) => this.#walk(event));
    pane.element.addEventListener("shown", () => this.#paint());
    pane.element.addEventListener("filled", () => (this.#all.length ? this.#paint() : this.#ask()));
    this.#ask();
  }

  /** Asks for them once the article is here, unless passage 2 is. */
  async #ask() {
    if (!maybe(".ev-text", this.#pane.panel("article"))) return;
    const address = this.#form.dataset.counterpartsAddress; // a practice run has none: finding them is the exercise
    if (!address || this.#isChosen || this.#isAsked) return;
    this.#isAsked = true;
    // The form works without an answer, too.
    const answer = await postJSON(address, {});
    this.#isAsked = answer.outcome === "done" && answer.data.is_here;
    if (answer.outcome !== "done") return;
    this.#all = answer.data.counterparts;
    one("ol", this.#holder).replaceChildren(...this.#all.map((each, number) => line(each, number)));
    this.show();
    this.#paint();
  }

  get #isChosen() {
    return one("[name=paragraphB_information]", this.#form, HTMLTextAreaElement).value.trim() !== "";
  }

  /** Shows the list as long as there is no passage 2. */
  show() {
    this.#holder.hidden = this.#all.length === 0 || this.#isChosen;
  }

  /** @param {Counterpart} each */
  #rangeOf(each) {
    const root = maybe(`.ev-text[data-evidence="${each.evidence}"]`, this.#pane.element);
    return root && rangeBetween(root, each.start, each.end);
  }

  #paint() {
    paint("counterpart", this.#all.map((each) => this.#rangeOf(each)).filter((range) => range !== null));
  }

  /** Takes the best one as passage 2, with one key. */
  takeBest() {
    if (this.#all.length) this.#take(0, "key");
    else if (this.#form.dataset.counterpartsAddress) notice("No text of the article is likely enough to be suggested as passage 2. Select it in the article.");
  }

  /**
   * @param {number} number
   * @param {"key" | "list"} way
   */
  async #take(number, way) {
    const each = this.#all[number];
    const range = this.#rangeOf(each);
    if (!range) {
      this.#pane.show(each.kind);
      notice("The page with this text is being loaded. Take the text again once it is shown.");
      return;
    }
    const { evidence, start, end } = each;
    const isTaken = await this.#picking.takeText(2, { evidence, start, end, words: range.toString() });
    if (isTaken) postJSON(this.#form.dataset.counterpartAddress ?? "", { number, taken_with: way });
  }

  /**
   * Scrolls the pane to the text whose line has the focus.
   * @param {HTMLElement} element
   */
  #look(element) {
    const button = around(element, "[data-counterpart]");
    const each = button && this.#all[Number(button.dataset.counterpart)];
    const range = each && this.#rangeOf(each);
    if (!range) return;
    this.#pane.show(each.kind);
    this.#pane.scrollTo(this.#pane.panel(), range.getBoundingClientRect());
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    event.preventDefault();
    const lines = all("[data-counterpart]", this.#holder);
    const at = lines.indexOf(targetOf(event)) + (event.key === "ArrowDown" ? 1 : -1);
    const next = lines.at(at % lines.length);
    for (const each of lines) each.tabIndex = each === next ? 0 : -1;
    next?.focus();
  }
}

/**
 * @param {Counterpart} each
 * @param {number} number
 */
function line({ text, heading, reason }, number) {
  const button = make("button", { type: "button", className: "counterpart" });
  button.dataset.counterpart = String(number);
  button.tabIndex = number === 0 ? 0 : -1; // one stop for the Tab key; arrows walk through the list
  const why = make("span", { className: "small muted", textContent: [reason, heading].filter(Boolean).join(", ") });
  button.append(make("span", { className: "reading-line", textContent: text, dir: "auto" }), why);
  const item = make("li");
  item.append(button);
  return item;
}
