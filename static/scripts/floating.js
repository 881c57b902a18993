// The comment form beside the words that it is about: it opens above the page, and goes back among the comments
// when it is left. It stays where it is in the document, so its parts keep working.
import { make, maybe, onHtmx, select, targetOf } from "./dom.js";
import { say } from "./text/say.js";

const APART = 6; // pixels between the words and the form
const SAID_FOR = 6_000; // milliseconds
/** @type {Range | null} */
let words = null;
// It grows while a person writes, and when names are offered.
const grows = new ResizeObserver(move);

const floating = () => maybe(".comment-form:popover-open");

/** Keeps the form beside its words while the page scrolls, and puts it back on a click elsewhere. */
export function startFloating() {
  for (const sign of ["scroll", "resize"]) addEventListener(sign, move, { passive: true, capture: true });
  document.addEventListener("pointerdown", (event) => {
    if (!floating()?.contains(targetOf(event))) putBack();
  });
  /** @type {Element | null} */
  let replaced = null; // the comments that the form stood among when it was sent; other parts may be swapped meanwhile
  onHtmx("htmx:beforeSwap", ({ detail }) => {
    if (detail.target.contains(floating())) replaced = detail.target;
  });
  onHtmx("htmx:afterSettle", (event) => {
    if (!replaced || replaced.isConnected || !targetOf(event).matches(".comments")) return;
    replaced = null;
    sent();
  });
}

// The comments were loaded again. A refused one is corrected where it was written; otherwise reading goes on there.
function sent() {
  const form = maybe(".read-comments .comments > .comment-form");
  if (!words?.startContainer.isConnected) return;
  if (form?.querySelector(":scope > .field-error")) return void floatBeside(form, words);
  select(words);
  document.getElementById("comment-said")?.remove();
  const line = make("p", { id: "comment-said", className: "key-said", textContent: say("Your comment is below, among the others.") });
  line.setAttribute("role", "status");
  document.body.append(line);
  setTimeout(() => line.remove(), SAID_FOR);
}

/**
 * @param {HTMLElement} form
 * @param {Range} range The words
 */
export function floatBeside(form, range) {
  words = range;
  form.popover = "manual";
  form.showPopover();
  grows.observe(form);
  move();
}

/** Puts the form back among the comments, with what was written. */
export function putBack() {
  const form = floating();
  grows.disconnect();
  if (form) form.popover = null;
  form?.removeAttribute("style");
}

// Below the words, or above them where there is no room below, and always within the window.
function move() {
  const form = floating();
  if (!form || !words) return;
  const { left, top, bottom } = words.getBoundingClientRect();
  const fits = bottom + APART + form.offsetHeight <= innerHeight;
  const wanted = fits ? bottom + APART : top - APART - form.offsetHeight;
  form.style.left = `${Math.max(APART, Math.min(left, innerWidth - form.offsetWidth - APART))}px`;
  form.style.top = `${Math.max(APART, Math.min(wanted, innerHeight - form.offsetHeight - APART))}px`;
}
