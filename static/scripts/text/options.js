// The options that a few typed letters may mean.

/**
 * The options that have a word beginning with each of the typed ones: in the name; where none has, in what belongs to it;
 * else in the meaning.
 * @param {string} typed
 * @param {{ name: string, aside: string, meaning: string }[]} options
 * @returns {number[]} their indexes
 */
export function matching(typed, options) {
  const wanted = wordsOf(typed);
  /** @type {(text: string) => boolean} */
  const has = (text) => {
    const words = wordsOf(text);
    return wanted.every((start) => words.some((word) => word.startsWith(start)));
  };
  /** @type {(text: (option: typeof options[number]) => string) => number[]} */
  const by = (text) => options.flatMap((option, at) => (has(text(option)) ? [at] : []));
  return [by(({ name }) => name), by(({ name, aside }) => `${name} ${aside}`), by(({ meaning }) => meaning)]
    .find((found) => found.length) ?? [];
}

/** @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().normalize("NFKC").match(/[\p{L}\p{N}]+/gu) ?? [];
}
