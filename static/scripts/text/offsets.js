// Offsets in a text, counted in UTF-16 units: where words stand, where sentences begin and end, which piece holds an offset.

const MOST = 1_000; // matches: nobody looks at more
// Raised and lowered characters; those that pages write themselves (m²) are alike in a passage and found first.
const SCRIPTS = /[\u00b2\u00b3\u00b9\u1d2c-\u1d6a\u1d9c-\u1dbf\u02b0-\u02b8\u02e1-\u02e4\u2070-\u209c\u2c7c\u2c7d]/g;

/**
 * The offsets of `wanted` in a text.
 * @param {string} text
 * @param {string} wanted In lower case
 * @returns {number[]} at most 1,000
 */
export function offsetsOf(text, wanted) {
  const lower = text.toLowerCase();
  const found = [];
  for (let at = lower.indexOf(wanted); wanted && at >= 0 && found.length < MOST; at = lower.indexOf(wanted, at + wanted.length)) {
    found.push(at);
  }
  return found;
}

/**
 * Raised and lowered text of a passage as a page has it: 10⁶ and x^(2q) as 106 and x2q.
 * @param {string} text
 * @returns {string}
 */
export function flatScripts(text) {
  const unmarked = text.replace(/[\^_]\(([^()]*)\)|[\^_](?=[^\s^_])/g, "$1");
  return unmarked.replace(SCRIPTS, (character) => character.normalize("NFKC"));
}

/**
 * The piece that holds an offset; the pieces start at `starts`. An end belongs to the piece before.
 * @param {number[]} starts In order, the first is 0
 * @param {number} at
 * @param {{ isEnd?: boolean }} [options]
 * @returns {number} its index
 */
export function locate(starts, at, { isEnd = false } = {}) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isEnd ? starts[middle] < at : starts[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The sentences selected after a step from the current ones: the one after or before them, or one more of them.
 * @param {{ first: number, last: number }} selected Indexes of sentences; -1 where none is selected
 * @param {1 | -1} by
 * @param {{ count: number, start: number, extend: boolean }} options `start`: the one to begin with
 * @returns {{ first: number, last: number }}
 */
export function stepSentences({ first, last }, by, { count, start, extend }) {
  if (first < 0) return { first: start, last: start };
  if (extend) return { first, last: Math.min(Math.max(last + by, first), count - 1) };
  const at = Math.min(Math.max((by > 0 ? last : first) + by, 0), count - 1);
  return { first: at, last: at };
}
