// A contradicted span within the text of its passage. A span may be several pieces, one per line.
import { make, redraw } from "../dom.js";

/**
 * The text in pieces, each with whether it belongs to the span. The server's comparison is more lenient.
 * @param {string} text
 * @param {string} span
 * @returns {[string, boolean][] | null} null if the span, or a part of it, is not found
 */
export function spanPieces(text, span) {
  const whole = span.trim();
  const lines = whole.split(/\n+/).map((line) => line.trim()).filter(Boolean);
  const wanted = lines.length > 1 && !text.includes(whole) ? lines : [whole];
  if (!whole || !wanted.every((piece) => text.includes(piece))) return null;
  /** @type {[string, boolean][]} */
  const pieces = [];
  let at = 0;
  for (const [start, piece] of wanted.map((piece) => /** @type {const} */ ([text.indexOf(piece), piece])).sort((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    pieces.push([text.slice(at, start), false], [piece, true]);
    at = start + piece.length;
  }
  pieces.push([text.slice(at), false]);
  return pieces.filter(([piece]) => piece);
}

/**
 * Shows a text with its span marked, as far as it is found.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {string} span
 */
export function showSpan(element, text, span) {
  const pieces = spanPieces(text, span) ?? [[text, false]];
  redraw(element, ...pieces.map(([piece, isSpan]) => (isSpan ? make("mark", { className: "span", textContent: piece }) : piece)));
}
