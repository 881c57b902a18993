// Lets keys scroll: a text longer than its box can take the focus, and one that fits is skipped. Keeps what has the
// focus above the bar at the foot of the page.
import { all, maybe, targetOf } from "./dom.js";
import { say } from "./text/say.js";

const SCROLLING = "pre";
const FOOT = ".desk-foot, .judge-form, .merge-foot, .bulk";
const LOOK_AFTER = 200; // milliseconds in which more may change

function markScrolling() {
  // Ask everything first, then change: after each change the browser would lay out the page to answer again. To answer
  // for a box in a fold it would lay that out, too; once the fold opens, this function runs again.
  const shown = all(SCROLLING).filter((box) => box.checkVisibility());
  const changed = shown.filter((box) => scrolls(box) !== "scrolls" in box.dataset);
  for (const box of changed) {
    if ("scrolls" in box.dataset) {
      box.removeAttribute("tabindex");
      delete box.dataset.scrolls;
    } else {
      box.tabIndex = 0;
      box.dataset.scrolls = "";
      if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", say("Text that scrolls"));
      if (!box.hasAttribute("role")) box.setAttribute("role", "group");
    }
  }
}

/**
 * Whether the text is longer than its box, and the box scrolls.
 * @param {HTMLElement} box
 * @returns {boolean}
 */
function scrolls(box) {
  const isLonger = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
  return isLonger && /auto|scroll/.test(getComputedStyle(box).overflow);
}

let lookTimer = 0;
function lookSoon() {
  if (lookTimer) return;
  lookTimer = window.setTimeout(() => {
    lookTimer = 0;
    markScrolling();
  }, LOOK_AFTER);
}

markScrolling();
new MutationObserver(lookSoon).observe(document.body, { childList: true, subtree: true, characterData: true });
addEventListener("resize", lookSoon);
document.addEventListener("toggle", lookSoon, true);

// The bar that stays at the foot while the page scrolls. Scrolling to an element stops above it.
const footSize = new ResizeObserver(() => {
  const heights = all(FOOT).filter(isSticky).map((bar) => bar.offsetHeight);
  // No custom property: where the root has another one, Chromium restyles every element of the page.
  document.documentElement.style.scrollPaddingBottom = `calc(${Math.max(0, ...heights)}px + var(--space-2))`;
});
/** @param {Element} bar */
function isSticky(bar) {
  return getComputedStyle(bar).position === "sticky";
}
function watchFoot() {
  for (const bar of all(FOOT)) footSize.observe(bar);
}
watchFoot();
// In a text of several lines browsers scroll only to the cursor.
document.addEventListener("focusin", (event) => requestAnimationFrame(() => {
  const target = targetOf(event);
  const bar = maybe(FOOT);
  if (!bar || bar.contains(target) || !isSticky(bar) || document.activeElement !== target) return;
  const { top, bottom } = target.getBoundingClientRect();
  const foot = bar.getBoundingClientRect().top;
  if (top < foot && bottom > foot && bottom - top < foot) target.scrollIntoView({ block: "nearest", behavior: "instant" });
}));
const judged = document.getElementById("judge");
if (judged) new MutationObserver(watchFoot).observe(judged, { childList: true, subtree: true });
