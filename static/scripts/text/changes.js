// The changes from one text to another, word by word: their longest common subsequence, by dynamic programming.
import { make } from "../dom.js";

const WORDS = /[\p{L}\p{N}_]+\s*|[^\p{L}\p{N}_\s]\s*|\s+/gu;
const MOST_WORDS = 1_500; // above this, comparing would be noticeable while typing

/** @typedef {["kept" | "added" | "removed", string]} Piece */
/** @typedef {{ removed: string, added: string, kept: string }} Run A change, and what follows it unchanged */

/**
 * The pieces that were kept, added and removed, in order. Those kept and added together are `after`.
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]}
 */
export function wordChanges(before, after) {
  const [old, now] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  /** @type {Piece[]} */
  const pieces = [["kept", old.slice(0, start).join("")], ...middle(a, b), ["kept", old.slice(old.length - end).join("")]];
  return pieces.filter(([, text]) => text);
}

/**
 * The pieces as runs: what was taken out, what was put in for it, and what was kept after that.
 * @param {Piece[]} pieces
 * @returns {Run[]}
 */
export function runsOf(pieces) {
  /** @type {Run[]} */
  const runs = [];
  for (const [kind, text] of pieces) {
    if (!runs.length || (kind !== "kept" && runs[runs.length - 1].kept)) runs.push({ removed: "", added: "", kept: "" });
    runs[runs.length - 1][kind] += text;
  }
  return runs;
}

/**
 * Shows what was changed within an element.
 * @param {HTMLElement} element
 * @param {string} before
 * @param {string} after
 */
export function showChanges(element, before, after) {
  element.replaceChildren(...wordChanges(before, after).map(([kind, text]) => {
    if (kind === "kept") return document.createTextNode(text);
    return make(kind === "added" ? "ins" : "del", { textContent: text });
  }));
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Piece[]}
 */
function middle(a, b) {
  if (!a.length || !b.length || a.length > MOST_WORDS || b.length > MOST_WORDS) {
    return [["removed", a.join("")], ["added", b.join("")]];
  }
  const [ours, theirs] = [a, b].map((words) => words.map((word) => word.trim()));
  const common = commonRuns(ours, theirs);
  /** @type {Piece[]} */
  const pieces = [];
  /** @type {(kind: Piece[0], text: string) => void} */
  const add = (kind, text) => {
    const last = pieces.at(-1);
    if (last?.[0] === kind) last[1] += text;
    else pieces.push([kind, text]);
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && ours[i] === theirs[j]) {
      add("kept", b[j]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
      add("removed", a[i]);
      i += 1;
    } else {
      add("added", b[j]);
      j += 1;
    }
  }
  return pieces;
}

/**
 * For each pair of words, one from each list, the length of the longest common subsequence from there on.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Uint16Array[]}
 */
function commonRuns(a, b) {
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}
