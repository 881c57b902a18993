// Lines of a folded text.

/**
 * The number of lines of a fold, so that it ends inside no mark. A mark that begins on a line that is shown is shown to its
 * end, with a further line for the ellipsis where the text goes on.
 * @param {[number, number][]} marks The line on which each begins, counted from 0, and the number of lines down to its end
 * @param {{ least: number, all: number }} options `all`: the lines of the whole text
 * @returns {number}
 */
export function linesToShow(marks, { least, all }) {
  let lines = least;
  for (const [begins, ends] of [...marks].sort(([one], [other]) => one - other)) {
    if (begins < lines && ends >= lines) lines = ends + 1;
  }
  return Math.min(lines, Math.max(all, least));
}
