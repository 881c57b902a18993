// Where the passages of an annotation stand in the pages of the reading pane: painted there, and gone to.
"use strict";

class Sources {
  // `all` as the server lists them; `spans` by position, to be underlined within their passages.
  constructor(pane, all, { spans = {} } = {}) {
    this.pane = pane;
    this.all = all;
    this.spans = spans;
    this.found = {}; // ranges by position, of passages that nobody selected but that stand in the article
    pane.element.addEventListener("shown", () => this.paint());
    pane.element.addEventListener("filled", () => this.paint());
  }

  of(position) {
    return this.all.filter((source) => source.position === position);
  }

  ranges(position) {
    const selected = this.of(position).map((source) => this.rangeOf(source)).filter(Boolean);
    return selected.length || !this.found[position] ? selected : [this.found[position]];
  }

  paint() {
    for (const position of [1, 2]) {
      const ranges = this.ranges(position);
      paint(`passage-${position}`, ranges);
      const span = this.spans[position]?.trim().toLowerCase();
      paint(`span-${position}`, span ? ranges.flatMap((range) => within(range, span)) : []);
    }
  }

  rangeOf(source) {
    const root = this.pane.element.querySelector(`.ev-text[data-evidence="${source.evidence}"]`);
    if (!root) return null;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const nodes = [];
    for (let at = 0; walker.nextNode(); at += walker.currentNode.length) nodes.push([at, walker.currentNode]);
    const range = document.createRange();
    range.setStart(...boundaryAt(nodes, source.start));
    range.setEnd(...boundaryAt(nodes, source.end, true));
    return range;
  }

  goTo(source) {
    this.pane.show(source.page);
    const range = this.rangeOf(source);
    if (range) this.goToRange(range);
    // A tab that was never opened is on its way: it is gone to when it is there.
    else this.pane.element.addEventListener("filled", () => this.rangeOf(source) && this.goToRange(this.rangeOf(source)), { once: true });
  }

  goToRange(range) {
    this.pane.scrollTo(this.pane.panel(), range.getBoundingClientRect());
    this.pane.panel().focus({ preventScroll: true });
  }
}

// Where `wanted` (in lower case) stands within a range.
function within(range, wanted) {
  const root = elementOf(range.commonAncestorContainer).closest(".ev-text");
  if (!root) return []; // the text was exchanged: the range is found anew
  return rangesOf(root, wanted).filter((found) =>
    range.compareBoundaryPoints(Range.START_TO_START, found) <= 0 && range.compareBoundaryPoints(Range.END_TO_END, found) >= 0);
}

function elementOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
}
