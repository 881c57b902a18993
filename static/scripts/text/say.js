// The texts of scripts in the language of the page. English is the source and stands where it is used; on other pages a
// script of `texts/` is loaded before all others and adds the translations.

/** @typedef {Record<string, string | number>} Values */

/** @type {Record<string, string | string[]>} */
const translations = {};

/** @param {Record<string, string | string[]>} texts By their English; two forms where a number decides */
export function translate(texts) {
  Object.assign(translations, texts);
}

/**
 * @param {string} message With names in braces. The catalogs have it as it stands here, so it is always a literal
 * @param {Values} [values]
 * @returns {string}
 */
export function say(message, values = {}) {
  return filled([translations[message] ?? message].flat()[0], values);
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many For any other number
 * @param {Values} [values] `count` is one of them
 * @returns {string}
 */
export function sayCount(count, one, many, values = {}) {
  const forms = translations[one] ?? [one, many];
  return filled(forms[count === 1 ? 0 : 1], { count, ...values });
}

/**
 * @param {string} text
 * @param {Values} values
 */
function filled(text, values) {
  return text.replace(/{(\w+)}/g, (name, key) => String(values[key] ?? name));
}
