// Merges two versions of a form's content with a common base: changes of one side are merged automatically, and
// different changes of both sides clash. The same rule as `merge_contents` of the desk, and tested with the same cases.

/**
 * From a field's name to its text, or to the list of codes of a dimension.
 * @typedef {Record<string, string | string[]>} Content
 */

const PARTS = ["", "_answer1", "_answer2"];

/**
 * @param {string | string[] | undefined} one
 * @param {string | string[] | undefined} other
 */
function sameValue(one, other) {
  /** @param {string | string[] | undefined} value */
  const comparable = (value) => (Array.isArray(value) ? [...value].sort().join("\n") : value || "");
  return comparable(one) === comparable(other);
}

/**
 * The questions with their answers as texts to compare; "" for a row that holds nothing.
 * @param {Content} content
 */
function questionRows(content) {
  return Array.from({ length: 10 }, (_, index) => {
    const row = PARTS.map((part) => content[`question${index + 1}${part}`] || "");
    return row.some(Boolean) ? JSON.stringify(row) : "";
  });
}

/**
 * Whether a question of `before` is gone from its number in `after`: removed, or moved by the removal of another.
 * @param {Content} before
 * @param {Content} after
 */
function hasMovedQuestions(before, after) {
  const rows = questionRows(after);
  return questionRows(before).some((row, at) => row && rows[at] !== row && (!rows[at] || rows.includes(row)));
}

/**
 * Merges theirs into mine.
 * @param {Content | null} base The common base. Without it, every difference clashes
 * @param {Content} mine
 * @param {Content} theirs
 * @returns {{ taken: Content, clashing: string[] }} the fields to set in mine, and the names of those that the person
 *   decides
 */
export function mergeFields(base, mine, theirs) {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const differing = names.filter((name) => !sameValue(mine[name], theirs[name]));
  if (!base) return { taken: {}, clashing: differing };
  /** @param {string} name */
  const isMine = (name) => !sameValue(mine[name], base[name]);
  /** @param {string} name */
  const isTheirs = (name) => !sameValue(theirs[name], base[name]);
  // If one side moved questions, their numbers no longer say which answer belongs to which: decide them together.
  const asked = names.filter((name) => /^question\d/.test(name));
  const together = asked.some(isMine) && asked.some(isTheirs)
    && (hasMovedQuestions(base, mine) || hasMovedQuestions(base, theirs)) ? new Set(asked) : new Set();
  /** @param {string} name */
  const clashes = (name) => together.has(name) || (isMine(name) && isTheirs(name));
  return {
    taken: Object.fromEntries(differing.filter((name) => !clashes(name) && isTheirs(name)).map((name) => [name, theirs[name] ?? ""])),
    clashing: differing.filter(clashes),
  };
}
