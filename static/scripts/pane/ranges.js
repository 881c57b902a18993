// Ranges of the text of a page: found by words, counted in UTF-16 units, and coloured without touching the text.
import { select } from "../dom.js";
import { flatScripts, locate, offsetsOf } from "../text/offsets.js";

/** @typedef {[number, Text][]} TextNodes Where each node's text starts, and the node */

const ASIDE = ".ev-aside"; // marks and tags within the text, whose content is not searched

/**
 * The nearest element at a node.
 * @param {Node} node
 * @returns {Element}
 */
function elementOf(node) {
  return node instanceof Element ? node : node.parentElement ?? document.documentElement;
}

/**
 * The text of a page that a range lies in.
 * @param {Range} range
 * @returns {HTMLElement | null}
 */
export function textAround(range) {
  return elementOf(range.commonAncestorContainer).closest(".ev-text");
}

/**
 * @param {Node} root
 * @param {{ withAsides?: boolean }} [options]
 * @returns {{ nodes: TextNodes, text: string }}
 */
function textOf(root, { withAsides = false } = {}) {
  /** @type {TextNodes} */
  const nodes = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!withAsides && node.parentElement?.closest(ASIDE)) continue;
    nodes.push([text.length, node]);
    text += node.data;
  }
  return { nodes, text };
}

/**
 * @param {TextNodes} nodes
 * @param {number} start
 * @param {number} end
 * @returns {Range}
 */
function rangeIn(nodes, start, end) {
  const starts = nodes.map(([at]) => at);
  const range = document.createRange();
  const [first, last] = [nodes[locate(starts, start)], nodes[locate(starts, end, { isEnd: true })]];
  range.setStart(first[1], Math.min(start - first[0], first[1].length));
  range.setEnd(last[1], Math.min(end - last[0], last[1].length));
  return range;
}

/**
 * The ranges that contain `wanted`, across elements; the content of marks and tags is not searched. Raised and
 * lowered text is found as a passage writes it, too: the page's 10<sup>6</sup> by 10⁶, x<sup>2q</sup> by x^2q.
 * @param {Node} root
 * @param {string} wanted In lower case
 * @returns {Range[]}
 */
export function rangesOf(root, wanted) {
  const { nodes, text } = textOf(root);
  const flat = flatScripts(wanted);
  let found = offsetsOf(text, wanted);
  let length = wanted.length;
  if (!found.length && flat !== wanted) {
    found = offsetsOf(text, flat);
    length = flat.length;
  }
  return found.map((at) => rangeIn(nodes, at, at + length));
}

/**
 * The range between two offsets of a text, counting marks and tags.
 * @param {Node} root
 * @param {number} start
 * @param {number} end
 * @returns {Range}
 */
export function rangeBetween(root, start, end) {
  return rangeIn(textOf(root, { withAsides: true }).nodes, start, end);
}

/**
 * The position of `wanted` within a range.
 * @param {Range} range
 * @param {string} wanted In lower case
 * @returns {Range[]}
 */
export function rangesWithin(range, wanted) {
  const root = textAround(range);
  if (!root) return []; // the text was replaced: find the range again
  return rangesOf(root, wanted).filter((found) =>
    range.compareBoundaryPoints(Range.START_TO_START, found) <= 0 && range.compareBoundaryPoints(Range.END_TO_END, found) >= 0);
}

/**
 * The number of UTF-16 units of text in `root` before a boundary, counting marks and tags.
 * @param {Node} root
 * @param {Node} container
 * @param {number} offset
 * @returns {number}
 */
export function lengthBefore(root, container, offset) {
  const range = document.createRange();
  range.selectNodeContents(root);
  range.setEnd(container, offset);
  return range.toString().length;
}

/**
 * A range for each sentence of a text, as the server split it.
 * @param {HTMLElement} root
 * @returns {Range[]}
 */
export function sentencesOf(root) {
  const { nodes } = textOf(root, { withAsides: true });
  const spans = (root.dataset.sentences ?? "").split(" ").filter(Boolean).map((span) => span.split("-").map(Number));
  return nodes.length ? spans.map(([start, end]) => rangeIn(nodes, start, end)) : [];
}

/**
 * Colours ranges without touching the text. A browser that cannot do so shows the last one as a selection.
 * @param {string} name Of the highlight in the style sheet
 * @param {Range[]} ranges
 */
export function paint(name, ranges) {
  if (!globalThis.CSS?.highlights) {
    if (name === "found-now" && ranges.length) select(ranges[0]);
    return;
  }
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}
