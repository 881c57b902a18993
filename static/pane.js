// The reading pane: tabs, find in page, sections, text size, and the divider between it and the form. What a person
// chose of these is remembered in this browser. Nothing here changes the text that is read: offsets in it are counted.
"use strict";

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* then it is not remembered */ }
}

const SIZES = [0.875, 0.9375, 1.0625, 1.1875, 1.375, 1.625];

class Pane {
  #matches = [];
  #at = -1;

  constructor(element) {
    this.element = element;
    this.tabs = [...element.querySelectorAll("[role=tab]")];
    this.find = element.querySelector("[data-finds]");
    this.found = element.querySelector("[data-found]");
    this.sections = element.querySelector("[data-sections]");
    for (const tab of this.tabs) {
      tab.addEventListener("click", (event) => {
        event.preventDefault();
        this.show(tab.dataset.kind);
      });
    }
    element.querySelector("[role=tablist]").addEventListener("keydown", (event) => this.#alongTabs(event));
    this.find.addEventListener("input", () => this.#search());
    this.find.addEventListener("keydown", (event) => this.#findKey(event));
    this.sections.addEventListener("change", () => this.#toSection());
    for (const button of element.querySelectorAll("[data-resizes]")) {
      button.addEventListener("click", () => this.#resize(Number(button.dataset.resizes)));
    }
    element.querySelector("[data-to-tag]").addEventListener("click", () => {
      this.show("article");
      this.toTag();
    });
    element.querySelector("[data-folds]").addEventListener("click", (event) => this.#fold(event.currentTarget));
    // A fragment that came later: the article that had to be made first, the history once it is asked for.
    element.addEventListener("htmx:afterSettle", (event) => {
      const panel = event.target.closest("[role=tabpanel]");
      if (panel) this.#filled(panel);
    });
    const size = Number(remembered("pane-size"));
    if (SIZES.includes(size)) this.#size(size);
    this.#listSections();
    this.toTag();
    new Divider(document.getElementById("divider"));
  }

  get kind() {
    return this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.kind;
  }

  panel(kind = this.kind) {
    return this.element.querySelector(`[role=tabpanel][data-kind="${CSS.escape(kind)}"]`);
  }

  // --- tabs ---------------------------------------------------------------------------------------------------

  show(kind, { focus = false } = {}) {
    for (const tab of this.tabs) {
      const isShown = tab.dataset.kind === kind;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      this.panel(tab.dataset.kind).hidden = !isShown;
      if (isShown && focus) tab.focus();
    }
    const panel = this.panel(kind);
    const waiting = panel.querySelector("[data-loads]:not([data-asked])");
    if (waiting) {
      waiting.dataset.asked = "";
      htmx.trigger(waiting, "shown");
    }
    this.#listSections();
    if (this.find.value) this.#search({ stay: true });
    this.element.dispatchEvent(new Event("shown"));
  }

  #alongTabs(event) {
    const at = this.tabs.findIndex((tab) => tab.dataset.kind === this.kind);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.tabs.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.show(this.tabs.at(to % this.tabs.length).dataset.kind, { focus: true });
  }

  #filled(panel) {
    if (panel.dataset.kind === this.kind) this.#listSections();
    if (panel.dataset.kind === "article") this.toTag();
    if (panel.dataset.kind === "talk") panel.scrollTop = 0;
    this.element.dispatchEvent(new CustomEvent("filled", { detail: panel }));
  }

  // The tagged paragraph a third from the top; nothing else on the page moves.
  toTag() {
    const panel = this.panel("article");
    const tagged = panel.querySelector(".ev-tagged");
    if (tagged) this.scrollTo(panel, tagged.getBoundingClientRect());
  }

  scrollTo(panel, box) {
    const frame = panel.getBoundingClientRect();
    panel.scrollTop += box.top - frame.top - Math.min(frame.height / 3, 220);
  }

  // --- sections -----------------------------------------------------------------------------------------------

  #listSections() {
    const panel = this.panel();
    const headings = [...panel.querySelectorAll(".ev-text :is(h2, h3, h4)[id]")];
    const lines = headings.map((heading) => {
      const option = document.createElement("option");
      option.value = heading.id;
      option.textContent = "\u2003".repeat(Number(heading.tagName[1]) - 2) + heading.textContent.trim();
      return option;
    });
    this.sections.replaceChildren(this.sections.options[0], ...lines);
    this.sections.selectedIndex = 0;
    this.sections.disabled = lines.length === 0;
  }

  #toSection() {
    const heading = document.getElementById(this.sections.value);
    this.sections.selectedIndex = 0;
    if (!heading) return;
    const panel = this.panel();
    panel.scrollTop += heading.getBoundingClientRect().top - panel.getBoundingClientRect().top - 8;
    panel.focus({ preventScroll: true });
  }

  // --- find in page -------------------------------------------------------------------------------------------

  #search({ stay = false } = {}) {
    const wanted = this.find.value.trim().toLowerCase();
    const root = this.panel().querySelector(".ev-text");
    this.#matches = root && wanted.length > 1 ? rangesOf(root, wanted) : [];
    this.#at = -1;
    paint("found", this.#matches);
    paint("found-now", []);
    if (this.#matches.length && !stay) this.#step(1);
    else this.found.textContent = wanted.length > 1 ? `${this.#matches.length} found` : "";
  }

  #step(by) {
    const count = this.#matches.length;
    if (!count) return;
    this.#at = this.#at < 0 ? 0 : (this.#at + by + count) % count;
    const range = this.#matches[this.#at];
    paint("found-now", [range]);
    this.scrollTo(this.panel(), range.getBoundingClientRect());
    this.found.textContent = `${this.#at + 1} of ${count}`;
  }

  #findKey(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.#step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && this.find.value) {
      event.preventDefault();
      this.find.value = "";
      this.#search();
      this.panel().focus({ preventScroll: true });
    }
  }

  // --- text size, folding -------------------------------------------------------------------------------------

  #resize(by) {
    const now = Number(this.element.dataset.size ?? 1.0625);
    const at = Math.min(Math.max(SIZES.indexOf(now) + by, 0), SIZES.length - 1);
    this.#size(SIZES[at]);
    remember("pane-size", SIZES[at]);
  }

  #size(size) {
    this.element.dataset.size = size;
    this.element.style.setProperty("--pane-size", `${size}rem`);
  }

  // On a narrow screen the pane stands above the form and can be put away.
  #fold(button) {
    const isFolded = this.element.classList.toggle("folded");
    button.setAttribute("aria-expanded", String(!isFolded));
    button.textContent = isFolded ? "Show the article" : "Hide the article";
    if (!isFolded) this.toTag();
  }
}

// The ranges in which `wanted` stands, over the borders of elements; marks and tags are not looked into. Raised and
// lowered text is found as a passage writes it, too: the page's 10<sup>6</sup> by 10⁶, x<sup>2q</sup> by x^2q.
function rangesOf(root, wanted) {
  const asWritten = rangesInText(root, wanted);
  if (asWritten.length) return asWritten;
  const flat = wanted.replace(/[\^_]\(([^()]*)\)|[\^_](?=[^\s^_])/g, "$1").replace(SCRIPTS, (character) => character.normalize("NFKC"));
  return flat === wanted ? [] : rangesInText(root, flat);
}

// Raised and lowered characters; those that pages write themselves (m²) are alike in a passage and found first.
const SCRIPTS = /[\u00b2\u00b3\u00b9\u1d2c-\u1d6a\u1d9c-\u1dbf\u02b0-\u02b8\u02e1-\u02e4\u2070-\u209c\u2c7c\u2c7d]/g;

function rangesInText(root, wanted) {
  const nodes = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest(".ev-aside")) continue;
    nodes.push([text.length, node]);
    text += node.data;
  }
  const lower = text.toLowerCase();
  if (lower.length !== text.length) text = lower; // a rare letter that grows: offsets would be wrong by it
  const ranges = [];
  for (let at = lower.indexOf(wanted); at >= 0 && ranges.length < 1000; at = lower.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    range.setStart(...boundaryAt(nodes, at));
    range.setEnd(...boundaryAt(nodes, at + wanted.length, true));
    ranges.push(range);
  }
  return ranges;
}

// The text node and offset in it for an offset counted over `nodes` ([start, node], in order). An end belongs to the node before.
function boundaryAt(nodes, at, isEnd = false) {
  let [low, high] = [0, nodes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isEnd ? nodes[middle][0] < at : nodes[middle][0] <= at) low = middle;
    else high = middle - 1;
  }
  const [start, node] = nodes[low];
  return [node, Math.min(at - start, node.length)];
}

// Colours ranges without touching the text. A browser that cannot shows the last one as a selection.
function paint(name, ranges) {
  if (!globalThis.CSS?.highlights) {
    if (name === "found-now" && ranges.length) {
      getSelection().removeAllRanges();
      getSelection().addRange(ranges[0]);
    }
    return;
  }
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

// Between pane and form: dragged, or moved with the arrow keys.
class Divider {
  #share;

  constructor(element) {
    this.element = element;
    this.frame = element.parentElement;
    this.#move(Number(remembered("pane-share")) || 46);
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
      element.focus();
    });
    element.addEventListener("pointermove", (event) => {
      if (!element.hasPointerCapture(event.pointerId)) return;
      const box = this.frame.getBoundingClientRect();
      this.#move(((event.clientX - box.left) / box.width) * 100);
    });
    element.addEventListener("lostpointercapture", () => this.#keep());
    element.addEventListener("dblclick", () => {
      this.#move(46);
      this.#keep();
    });
    element.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: this.#share - 2, ArrowRight: this.#share + 2, Home: 25, End: 70 }[event.key];
      if (to === undefined || event.altKey) return;
      event.preventDefault();
      this.#move(to);
      this.#keep();
    });
  }

  #move(share) {
    this.#share = Math.min(Math.max(share, 25), 70);
    this.frame.style.setProperty("--pane-share", this.#share);
    this.element.setAttribute("aria-valuenow", String(Math.round(this.#share)));
  }

  #keep() {
    remember("pane-share", this.#share.toFixed(1));
  }
}
