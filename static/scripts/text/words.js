// Small helpers for wording.

/**
 * @param {string} text
 * @returns {number} how many words it has
 */
export function wordCount(text) {
  return text.trim().split(/\s+/).filter(Boolean).length;
}

/**
 * @param {string} text
 * @returns {string} its first 60 characters at most, on one line
 */
export function shortened(text) {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
