// Where there is no room for article and form at once, as at 200% zoom, one of them is shown, and a switch changes it.
// The style sheet decides where that is; elsewhere this changes nothing that shows.
import { all, maybe } from "../dom.js";

/** @typedef {"article" | "form"} Side */

/** @type {Record<string, number>} */
const scrolledTo = { article: 0, form: 0 };
// An article that was never shown could not be scrolled to its tag.
let onFirst = () => {};

/**
 * Shows one side, scrolled as it was left. Call it before the focus goes there.
 * @param {Side} side
 */
export function showSide(side) {
  const frame = maybe("main[data-side]");
  const before = frame?.dataset.side;
  if (!frame || !before || before === side) return;
  const isOne = maybe("[data-sides]", frame)?.checkVisibility();
  scrolledTo[before] = window.scrollY;
  frame.dataset.side = side;
  for (const button of all("[data-shows-side]", frame)) button.setAttribute("aria-pressed", String(button.dataset.showsSide === side));
  if (!isOne) return;
  window.scrollTo({ top: scrolledTo[side], behavior: "instant" });
  if (side !== "article") return;
  onFirst();
  onFirst = () => {};
}

/**
 * Connects the switch.
 * @param {() => void} toTag Called when the article is first shown
 */
export function prepareSides(toTag) {
  onFirst = toTag;
  for (const button of all("[data-shows-side]")) {
    button.addEventListener("click", () => showSide(button.dataset.showsSide === "form" ? "form" : "article"));
  }
}
