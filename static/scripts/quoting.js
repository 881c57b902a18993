// Comments on words: what is selected in a text that can be quoted goes into the comment form, and a comment's words are
// shown in the text again.
import { all, around, make, maybe, one, select, targetOf, type, unfold } from "./dom.js";
import { floatBeside, putBack, startFloating } from "./floating.js";
import { mayKeyAct } from "./keys.js";
import { say } from "./text/say.js";

/** @typedef {{ field: string, words: string, near: number, range: Range }} Selected */

const APART = 6; // pixels between the selection and the button
const FORM = ".read-comments .comments > .comment-form";
/** @type {Range | null} */
let quoted = null; // what was taken into the comment form last

/** Sets up the texts of this page that can be quoted. */
export function startQuoting() {
  const button = make("button", { type: "button", textContent: `${say("Comment")} ` });
  button.append(make("kbd", { textContent: "C" }));
  const bar = make("div", { className: "pick", hidden: true });
  bar.append(button);
  document.body.append(bar);
  document.addEventListener("selectionchange", () => putBeside(bar));
  document.addEventListener("scroll", () => bar.hidden || putBeside(bar), { passive: true, capture: true });
  // Not on click: pressing the button must not take the selection away.
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => comment(bar));
  // Before the key opens an empty comment on the judging page.
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "c" || !(selected() || maybe(FORM)) || !mayKeyAct(event)) return;
    event.preventDefault();
    if (selected()) comment(bar);
    else writeIn(one(FORM, document, HTMLElement));
  }, true);
  startFloating();
  document.addEventListener("keydown", (event) => {
    const text = targetOf(event);
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || !text.matches(`${FORM} > textarea`)) return;
    event.preventDefault();
    leave(text);
  });
  document.addEventListener("click", (event) => {
    const shows = around(targetOf(event), "[data-shows-quote]");
    if (shows) show(shows.dataset.showsQuote ?? "", Number(shows.dataset.start), (shows.textContent ?? "").length);
  });
}

/** @returns {Selected | null} what is selected, if it lies in one text that can be quoted */
function selected() {
  const selection = getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0).cloneRange();
  const text = quotableAt(range.startContainer) ?? quotableAt(range.endContainer);
  if (!text || !clip(range, text)) return null;
  const words = readable(range.cloneContents());
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = readable(before.cloneContents());
  return words.trim() ? { field: text.dataset.quotes ?? "", words: words.trim(), near: start.length, range } : null;
}

/**
 * @param {Node} node
 * @returns {HTMLElement | null}
 */
function quotableAt(node) {
  const text = (node instanceof Element ? node : node.parentElement)?.closest("[data-quotes]");
  return text instanceof HTMLElement ? text : null;
}

/**
 * Cuts off what lies outside the text. Three clicks select to the start of what follows, and a drag ends below a line.
 * @param {Range} range
 * @param {HTMLElement} text
 * @returns {boolean} whether only white space was cut off
 */
function clip(range, text) {
  const whole = range.toString().trim();
  if (!text.contains(range.startContainer)) range.setStart(text, 0);
  if (!text.contains(range.endContainer)) range.setEnd(text, text.childNodes.length);
  return range.toString().trim() === whole;
}

/**
 * The text without what is only shown as taken out.
 * @param {DocumentFragment} piece
 */
function readable(piece) {
  for (const gone of piece.querySelectorAll("del")) gone.remove();
  return piece.textContent ?? "";
}

/** @param {HTMLElement} bar */
function putBeside(bar) {
  const found = selected();
  bar.hidden = !found;
  if (!found) return;
  const { left, bottom } = found.range.getBoundingClientRect();
  bar.style.left = `${Math.max(APART, Math.min(left, innerWidth - bar.offsetWidth - APART))}px`;
  bar.style.top = `${Math.min(bottom + APART, innerHeight - bar.offsetHeight - APART)}px`;
}

/** @param {HTMLElement} bar */
function comment(bar) {
  const found = selected();
  const form = maybe(FORM);
  if (!found) return;
  if (!form) {
    quoteInJudgment(found.words, bar);
    return;
  }
  // Where there is one text only, there is nothing to choose.
  const about = maybe("select[name=field]", form, HTMLSelectElement);
  if (about && ![...about.options].some((option) => option.value === found.field)) return;
  if (about) about.value = found.field;
  one("[data-quote]", form, HTMLInputElement).value = found.words.replace(/\s+/g, " ");
  one("[data-quote-near]", form, HTMLInputElement).value = String(found.near);
  one(".quote-box", form, HTMLDetailsElement).open = true;
  bar.hidden = true;
  quoted = found.range;
  floatBeside(form, found.range);
  getSelection()?.removeAllRanges();
  one("textarea", form).focus({ preventScroll: true });
}

/** @param {HTMLElement} form */
function writeIn(form) {
  const text = one("textarea", form);
  text.scrollIntoView({ block: "center" });
  text.focus({ preventScroll: true });
}

/**
 * Out of the comment, which keeps its words, and back to those it is about: keys act again, and reading goes on there.
 * @param {HTMLElement} text
 */
function leave(text) {
  putBack();
  text.blur();
  if (!quoted?.startContainer.isConnected) return;
  select(quoted);
  quoted.startContainer.parentElement?.scrollIntoView({ block: "center" });
}

/**
 * On the judging page a comment belongs to the judgment, and only its adjudicator reads it: the words go into its text.
 * @param {string} words
 * @param {HTMLElement} bar
 */
function quoteInJudgment(words, bar) {
  const box = maybe(".judge-comment", document, HTMLDetailsElement);
  if (!box) return;
  box.open = true;
  const text = one("textarea", box, HTMLTextAreaElement);
  const before = text.value.trimEnd();
  type(text, `${before}${before ? "\n" : ""}“${words.replace(/\s+/g, " ")}”: `);
  bar.hidden = true;
  getSelection()?.removeAllRanges();
  text.focus();
  text.setSelectionRange(text.value.length, text.value.length);
}

/**
 * Selects these words in their text.
 * @param {string} field
 * @param {number} start In characters of the text
 * @param {number} length
 */
function show(field, start, length) {
  const text = all("[data-quotes]").find((each) => each.dataset.quotes === field);
  if (!text) return;
  unfold(text);
  // The context that models were shown is folded to a few lines.
  const context = text.closest(".judge-context");
  if (context) one("input", context, HTMLInputElement).checked = true;
  const range = document.createRange();
  const from = spotAt(text, start);
  const to = spotAt(text, start + length);
  if (!from || !to) return;
  range.setStart(...from);
  range.setEnd(...to);
  select(range);
  text.scrollIntoView({ block: "center" });
}

/**
 * @param {HTMLElement} text
 * @param {number} offset Without what is only shown as taken out
 * @returns {[Node, number] | null}
 */
function spotAt(text, offset) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let passed = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement?.closest("del")) continue;
    const length = node.textContent?.length ?? 0;
    if (passed + length >= offset) return [node, offset - passed];
    passed += length;
  }
  return null;
}
