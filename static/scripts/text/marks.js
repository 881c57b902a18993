// Draws, over a text field, how its text differs from what was found: words that were put in are tinted, and those that
// were taken out stand small above the gap. The drawing has the same characters as the field, so it breaks alike.
import { make, redraw } from "../dom.js";
import { runsOf } from "./changes.js";
import { say, sayCount } from "./say.js";

/** @typedef {import("./changes.js").Piece} Piece */
/** @typedef {import("./changes.js").Run} Run */

const SMALLER = 1.4; // letters of deleted text that fit over one of the text
const LEAST = 6; // letters that are shown in any case

/**
 * The text removed in each run, shortened to the space before the next one.
 * @param {Run[]} runs
 * @returns {string[]} "" where nothing was
 */
export function labelsOf(runs) {
  return runs.map(({ removed }, at) => {
    const words = removed.trim().replace(/\s+/g, " ");
    const next = runs.findIndex((run, other) => other > at && run.removed.trim());
    const between = runs.slice(at, next < 0 ? undefined : next).reduce((sum, { kept, added }) => sum + kept.length + added.length, 0);
    const room = next < 0 ? 60 : Math.max(LEAST, Math.floor(between * SMALLER) - 1);
    return words.length > room ? `${words.slice(0, room - 1).trimEnd()}…` : words;
  });
}

/**
 * The changes of more than spaces: the words before and after each.
 * @param {Piece[]} pieces
 * @returns {string[][]}
 */
export function changedWords(pieces) {
  return runsOf(pieces).map(({ removed, added }) => [removed.trim(), added.trim()]).filter(([old, now]) => old || now);
}

/**
 * The changes in a sentence, for people who do not see the drawing.
 * @param {Piece[]} pieces
 * @returns {string} for instance "1 change: “It” became “The bridge”."; "" if there is none
 */
export function changesInWords(pieces) {
  const said = changedWords(pieces).map(([old, now]) => {
    if (old && now) return say("“{old}” became “{now}”", { old, now });
    return now ? say("“{now}” was added", { now }) : say("“{old}” was removed", { old });
  });
  return said.length ? sayCount(said.length, "{count} change: {changes}.", "{count} changes: {changes}.", { changes: said.join("; ") }) : "";
}

/**
 * Draws the changes into an element that lies over the field.
 * @param {HTMLElement} element
 * @param {Piece[]} pieces
 * @param {(text: string, at: number) => (Node | string)[]} [parts] What a piece of the text consists of, and where it begins
 */
export function drawMarks(element, pieces, parts = (text) => [text]) {
  const runs = runsOf(pieces);
  const labels = labelsOf(runs);
  let at = 0;
  const drawn = runs.flatMap(({ kept, added, removed }, index) => {
    /** @type {(Node | string)[]} */
    const nodes = [];
    if (removed.trim()) nodes.push(removedMark(labels[index]));
    if (added) {
      const mark = make("ins");
      mark.append(...parts(added, at));
      nodes.push(mark);
    }
    at += added.length;
    if (kept) nodes.push(...parts(kept, at));
    at += kept.length;
    return nodes;
  });
  redraw(element, ...drawn, "\u200b"); // a last line that is blank has its height
  turnLate(element);
}

/** @param {string} label */
function removedMark(label) {
  const mark = make("span", { className: "gone" });
  mark.dataset.gone = label;
  return mark;
}

/**
 * A label near the end of its line stands before the gap instead of behind it.
 * @param {HTMLElement} element
 */
function turnLate(element) {
  const marks = [...element.querySelectorAll(".gone")].filter((mark) => mark instanceof HTMLElement);
  if (!marks.length) return; // to measure, the browser would lay the page out with each key
  const middle = element.clientWidth * 0.6;
  const late = marks.map((mark) => mark.offsetLeft > middle);
  marks.forEach((mark, at) => { mark.classList.toggle("is-late", late[at]); });
}
