// The text of a passage that consists of several selections.
import { wordChanges } from "./changes.js";

/**
 * A stretch of a page of the reading pane, as the server lists it.
 * @typedef {{ evidence: number, start: number, end: number, text: string }} Part
 */
/** @typedef {import("./changes.js").Piece} Piece */

/**
 * A passage's text with its new parts. What was edited in the parts that it had stays as it is.
 * @param {Part[]} before
 * @param {Part[]} after In which each of those before is a part, or lies in one
 * @param {string} text The passage with its parts before
 * @returns {string}
 */
export function withParts(before, after, text) {
  const slices = slicesOf(before, text);
  const parts = after.map((part) => withSlices(part, before, slices));
  if (!before.length) parts.unshift({ said: text.trim(), blank: "\n" });
  const shown = parts.filter(({ said }) => said);
  return shown.map(({ said, blank }, at) => (at < shown.length - 1 ? said + blank : said)).join("");
}

/**
 * A part with what was edited in the parts within it, and the blank that follows it.
 * @param {Part} part
 * @param {Part[]} before
 * @param {string[]} slices
 */
function withSlices(part, before, slices) {
  let said = part.text;
  let blank = "\n";
  let from = 0;
  for (const [index, old] of before.entries()) {
    if (old.evidence !== part.evidence || old.start < part.start || old.end > part.end) continue;
    const at = said.indexOf(old.text, from);
    if (at < 0) continue;
    const edited = slices[index].trim();
    said = (said.slice(0, at) + edited + said.slice(at + old.text.length)).trim();
    from = at + edited.length;
    blank = /\s+$/.exec(slices[index])?.[0] ?? "\n";
  }
  return { said, blank };
}

/**
 * The fate of each part in an edited text, with the blanks behind it.
 * @param {Part[]} parts
 * @param {string} edited
 * @returns {string[]}
 */
function slicesOf(parts, edited) {
  const changes = wordChanges(parts.map((part) => part.text).join("\n"), edited);
  const ends = parts.map((_, at) => endIn(changes, lettersOf(parts.slice(0, at + 1).map((part) => part.text).join(""))));
  return parts.map((_, at) => edited.slice(at ? ends[at - 1] : 0, at < parts.length - 1 ? ends[at] : undefined));
}

/**
 * The offset in the edited text of the part that has this many letters before it in the original.
 * @param {Piece[]} changes
 * @param {number} letters Not blanks: those of a kept piece are as they are in the edited text
 */
function endIn(changes, letters) {
  let [passed, at] = [0, 0];
  for (const [kind, piece] of changes) {
    if (kind === "added") {
      if (passed >= letters) return at + piece.lastIndexOf("\n") + 1;
      at += piece.length;
      continue;
    }
    const own = lettersOf(piece);
    if (passed + own > letters) return kind === "kept" ? at + lengthOf(piece, letters - passed) : at;
    passed += own;
    if (kind === "kept") at += piece.length;
  }
  return at;
}

/** @param {string} text */
const lettersOf = (text) => text.replace(/\s+/g, "").length;

/**
 * The length of the beginning of a text with this many letters, with the blanks behind it.
 * @param {string} text
 * @param {number} letters
 */
function lengthOf(text, letters) {
  let at = 0;
  for (let left = letters; at < text.length && (left > 0 || /\s/.test(text[at])); at += 1) {
    if (!/\s/.test(text[at])) left -= 1;
  }
  return at;
}
