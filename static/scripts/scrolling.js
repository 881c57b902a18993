// Lets keys scroll: a text longer than its box can take the focus, and one that fits is skipped. Keeps what has the
// focus above the bar at the foot of the page.
import { all, maybe, targetOf } from "./dom.js";

const SCROLLING = ".standalone-view, .by-hand, .passage-view, .conflict-versions .as-written, .pane-tag, pre";
const FOOT = ".desk-foot, .judge-form";
const LOOK_AFTER = 200; // milliseconds in which more may change

function markScrolling() {
  for (const box of all(SCROLLING)) {
    const isLonger = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
    const scrolls = isLonger && /auto|scroll/.test(getComputedStyle(box).overflow);
    if (scrolls === "scrolls" in box.dataset) continue;
    if (scrolls) {
      box.tabIndex = 0;
      box.dataset.scrolls = "";
      if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "Text that scrolls");
      if (!box.hasAttribute("role")) box.setAttribute("role", "group");
    } else {
      box.removeAttribute("tabindex");
      delete box.dataset.scrolls;
    }
  }
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
  document.documentElement.style.setProperty("--foot", `${Math.max(0, ...heights)}px`);
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
