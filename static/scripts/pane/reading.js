// The desk as a reviewer reads it: the pane, the annotation's passages highlighted in it, and the keys.
import { startComments } from "../comments.js";
import { prepareGuides, toggleGuides } from "../desk/guides.js";
import { isDialogOpen } from "../dialogs.js";
import { all, around, focused, maybe, one, pageData, targetOf } from "../dom.js";
import { keyWithAlt, mayKeyAct, openToWrite } from "../keys.js";
import { startQuoting } from "../quoting.js";
import { Pane } from "./pane.js";
import { rangesOf } from "./ranges.js";
import { Sources } from "./sources.js";

class Reading {
  #at = 0; // the passage that the key goes to next
  #element;
  #pane;
  #sources;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
    this.#pane = new Pane(one("#pane"));
    const spans = Object.fromEntries(all("[data-passage]", element).map(({ dataset }) => [dataset.passage ?? "", dataset.span ?? ""]));
    this.#sources = new Sources(this.#pane, pageData("sources"), { spans });
    this.#pane.element.addEventListener("filled", () => this.#find());
    element.addEventListener("click", (event) => this.#onClick(event));
    addEventListener("keydown", (event) => this.#onKey(event));
    this.#find();
  }

  // Passages that nobody selected can be shown too, if the article has them word for word.
  #find() {
    const root = maybe("[role=tabpanel][data-kind=article] .ev-text", this.#pane.element);
    for (const button of all("[data-finds-passage]", this.#element)) {
      const passage = passageOf(button);
      const text = (one("[data-passage-text]", passage).dataset.passageText ?? "").trim().toLowerCase();
      const [range] = root && text.length > 3 ? rangesOf(root, text) : [];
      if (range) this.#sources.found[passage.dataset.passage ?? ""] = range;
      button.hidden = !range;
    }
    this.#sources.paint();
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const target = targetOf(event);
    const link = around(target, "[data-source]");
    const finder = around(target, "[data-finds-passage]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      this.#sources.goTo(this.#sources.all[Number(link.dataset.source)]);
    } else if (target.closest("[data-to-tagged]")) {
      this.#pane.show("article");
      this.#pane.toTag();
    } else if (finder) {
      this.#pane.show("article");
      this.#sources.goToRange(this.#sources.found[passageOf(finder).dataset.passage ?? ""]);
    }
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || isDialogOpen()) return;
    const isDone = event.altKey ? this.#alt(event) : mayKeyAct(event) && this.#plain(event);
    if (isDone) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #alt(event) {
    const key = keyWithAlt(event);
    const digit = /^(?:Digit|Numpad)([1-6])$/.exec(key)?.[1];
    if (digit) this.#toStep(digit);
    else if (key === "KeyA") this.#pane.panel().focus({ preventScroll: true });
    else if (key === "KeyG") toggleGuides();
    else return false;
    return true;
  }

  /** @param {KeyboardEvent} event */
  #plain(event) {
    const key = event.key.toLowerCase();
    if (key === "/") this.#pane.toFind();
    else if (key === "t") one("[data-to-tag]").click();
    else if (key === "p") this.#toPassage();
    else if (key === "s") this.#suggest();
    else return false;
    return true;
  }

  /** @param {string} number */
  #toStep(number) {
    const step = maybe(`#step-${number}`, document, HTMLDetailsElement);
    if (!step) return;
    step.open = true;
    one("summary", step).focus({ preventScroll: true });
    step.scrollIntoView({ block: "start" });
  }

  // The form for suggesting an edit of the current field, or of the next one.
  #suggest() {
    const forms = all(".suggest", this.#element, HTMLDetailsElement).filter((form) => form.checkVisibility());
    const at = focused();
    const here = around(at, ".suggest", HTMLDetailsElement);
    const next = here ? forms[forms.indexOf(here) + 1]
      : forms.find((form) => at.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING);
    const chosen = next ?? forms[0];
    if (!chosen) return;
    openToWrite(chosen);
    chosen.scrollIntoView({ block: "center" });
  }

  // Goes through all passages that can be shown.
  #toPassage() {
    const links = all("[data-source], [data-to-tagged], [data-finds-passage]:not([hidden])", this.#element);
    if (!links.length) return;
    links[this.#at % links.length].click();
    this.#at += 1;
  }
}

/**
 * @param {HTMLElement} element
 * @returns {HTMLElement} the passage that it belongs to
 */
function passageOf(element) {
  const passage = around(element, "[data-passage]");
  if (!passage) throw new Error("This is outside the passages");
  return passage;
}

document.documentElement.classList.add("scripted");
prepareGuides();
new Reading(one("#read"));
startComments();
startQuoting();
