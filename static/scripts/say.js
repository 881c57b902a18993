/** Texts of scripts in the reader's language. English pages load nothing for it: the English text is the key. */

/** @type {Record<string, string | string[]>} */
const texts = {};

/**
 * Take over the texts of a language, by their English ones; a text with two forms has both.
 * @param {Record<string, string | string[]>} more
 */
export function learn(more) {
  Object.assign(texts, more);
}

/**
 * The text in the page's language, with values in place of the names in braces.
 * @param {string} english
 * @param {Record<string, string | number>} [values]
 */
export function say(english, values = {}) {
  return filled(firstOf(texts[english]) ?? english, values);
}

/**
 * One of two texts: for one, and for any other number. `{count}` may stand in both.
 * @param {number} count
 * @param {string} one
 * @param {string} many
 * @param {Record<string, string | number>} [values]
 */
export function sayCount(count, one, many, values = {}) {
  const [first, other] = [texts[one]].flat();
  const form = count === 1 ? (first ?? one) : (other ?? many);
  return filled(form, { count, ...values });
}

/** @param {string | string[] | undefined} forms */
function firstOf(forms) {
  return Array.isArray(forms) ? forms[0] : forms;
}

/**
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
