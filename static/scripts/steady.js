// Changes of a form that come late must not move the button that a person is about to press, or the field at hand. One
// made with `steadily` scrolls the form by as much as that has moved.
import { all, focused } from "./dom.js";

const IN_USE = 1_000; // milliseconds in which a pointer that moved is about to press
let movedAt = Number.NEGATIVE_INFINITY;
for (const sign of ["pointermove", "pointerdown"]) {
  globalThis.addEventListener?.(sign, () => { movedAt = performance.now(); }, { capture: true, passive: true });
}

/**
 * The element under the pointer if that is in use, else the one that has the focus.
 * @param {HTMLElement} root
 * @returns {HTMLElement | null} null if it is not within `root`
 */
function atHand(root) {
  const pointed = performance.now() - movedAt < IN_USE ? all(":hover", root).at(-1) : null;
  return pointed ?? (root.contains(focused()) ? focused() : null);
}

/**
 * Makes a change of the page in which what is at hand stays where it is on the screen.
 * @param {HTMLElement} root What the change is made in
 * @param {() => void} change
 */
export function steadily(root, change) {
  const element = atHand(root);
  const before = element?.getBoundingClientRect().top ?? 0;
  change();
  const moved = element?.checkVisibility() ? element.getBoundingClientRect().top - before : 0;
  if (moved) scrollerOf(root).scrollBy({ top: moved, behavior: "instant" });
}

/**
 * The element that scrolls `root`, or the page.
 * @param {HTMLElement} root
 * @returns {Element}
 */
function scrollerOf(root) {
  const page = document.scrollingElement ?? document.documentElement;
  for (let each = root.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return page;
}
