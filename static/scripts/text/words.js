// Small helpers for wording.

/**
 * @param {string} text
 * @returns {number} how many words it has
 */
export function wordCount(text) {
  return text.trim().split(/\s+/).filter(Boolean).length;
}

/**
 * @param {number} count
 * @param {string} word In the singular
 * @returns {string} for instance "1 change", "2 changes"
 */
export function counted(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/**
 * @param {string} text
 * @returns {string} its first 60 characters at most, on one line
 */
export function shortened(text) {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
