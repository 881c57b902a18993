// Words in a stand-alone version that may not be clear without context, as found by the server.

/**
 * @typedef {object} Reference
 * @property {number} start
 * @property {number} end
 * @property {string} text
 * @property {string} replacement "" where the server has none
 */

/**
 * Only the references whose words are still where the server found them.
 * @param {string} text
 * @param {Reference[]} references
 * @returns {Reference[]}
 */
export function standing(text, references) {
  return references.filter((one) => text.slice(one.start, one.end) === one.text);
}

/**
 * The references that remain after one was replaced; those behind it move with the text.
 * @param {Reference[]} references
 * @param {Reference} replaced
 * @returns {Reference[]}
 */
export function without(references, replaced) {
  const by = replaced.replacement.length - replaced.text.length;
  return references.filter((one) => one !== replaced)
    .map((one) => (one.start > replaced.start ? { ...one, start: one.start + by, end: one.end + by } : one));
}

/**
 * Splits a piece of the text at its references.
 * @param {string} piece
 * @param {number} at Where it begins in the text
 * @param {Reference[]} references In order
 * @returns {[string, Reference | null][]}
 */
export function cut(piece, at, references) {
  /** @type {[string, Reference | null][]} */
  const parts = [];
  let done = 0;
  for (const one of references) {
    const [from, to] = [one.start - at, one.end - at];
    if (from < done || to > piece.length) continue;
    parts.push([piece.slice(done, from), null], [one.text, one]);
    done = to;
  }
  parts.push([piece.slice(done), null]);
  return parts.filter(([text]) => text);
}
