// Words in a stand-alone version that may need their surroundings, where the server found them.

/**
 * @typedef {object} Reference
 * @property {number} start
 * @property {number} end
 * @property {string} text
 * @property {string} replacement "" where the server has none
 */

/**
 * Those whose words still stand where they were found.
 * @param {string} text
 * @param {Reference[]} references
 * @returns {Reference[]}
 */
export function standing(text, references) {
  return references.filter((one) => text.slice(one.start, one.end) === one.text);
}

/**
 * The references that are left once one was replaced, moved along with the text behind it.
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
 * A piece of the text, cut where references stand in it.
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
