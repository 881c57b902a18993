// Pasting from a page keeps superscripts and subscripts: 10⁶ stays 10⁶, where browsers would paste 106. The rule is that
// of annotation/wikitext/scripts.py.
import { all, replaceUndoably } from "../dom.js";
import { whileHere } from "../visit.js";

/** @type {Record<string, { sign: string, forms: string, ordinal: RegExp }>} */
const SCRIPT_FORMS = {
  SUP: { sign: "^", forms: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻", ordinal: /^(?:st|nd|rd|th)$/i },
  SUB: { sign: "_", forms: "₀₁₂₃₄₅₆₇₈₉₊₋₋", ordinal: /^$/ },
};
const WRITTEN = "0123456789+-−";
const OWN_LINE = "p, div, li, tr, dd, dt, h1, h2, h3, h4, h5, h6, blockquote, caption, pre";

/** Listens to what is pasted into the form. */
export function keepScriptsOfPasted() {
  document.addEventListener("paste", pasted, { signal: whileHere() });
}

/** @param {ClipboardEvent} event */
function pasted(event) {
  const field = event.target;
  if (!(field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "text"))) return;
  if (field.form?.id !== "desk-form") return;
  const page = new DOMParser().parseFromString(event.clipboardData?.getData("text/html") ?? "", "text/html");
  if (!page.querySelector("sup, sub")) return;
  event.preventDefault();
  const text = linesOf(page).join(field instanceof HTMLInputElement ? " " : "\n");
  replaceUndoably(field, field.selectionStart ?? 0, field.selectionEnd ?? 0, text);
}

/**
 * The text of a parsed page, line by line. The page is only read, never inserted into ours.
 * @param {Document} page
 * @returns {string[]}
 */
function linesOf(page) {
  for (const element of all("style, script, title", page)) element.remove();
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) walker.currentNode.nodeValue = (walker.currentNode.nodeValue ?? "").replace(/\s+/g, " ");
  for (const element of all("br", page)) {
    const isBetweenScripts = [element.previousSibling, element.nextSibling].every((beside) => SCRIPT_FORMS[beside?.nodeName ?? ""]);
    element.replaceWith(isBetweenScripts ? "" : "\n");
  }
  for (const element of all("sup, sub", page).reverse()) element.replaceWith(scriptForm(element));
  for (const element of all("td, th", page)) element.append(" ");
  for (const element of all(OWN_LINE, page)) {
    element.prepend("\n");
    element.append("\n");
  }
  return (page.body.textContent ?? "").split("\n").map((line) => line.replace(/ +/g, " ").trim()).filter(Boolean);
}

/**
 * The plain form of a raised or lowered text.
 * @param {Element} element
 */
function scriptForm(element) {
  const { sign, forms, ordinal } = SCRIPT_FORMS[element.nodeName];
  const text = (element.textContent ?? "").trim();
  const before = element.previousSibling?.textContent?.at(-1) ?? "";
  if (!text || /^\[.*\]$/.test(text) || (/\d/.test(before) && ordinal.test(text))) return text; // [1] is a citation mark
  if ([...text].every((letter) => WRITTEN.includes(letter))) return [...text].map((letter) => forms[WRITTEN.indexOf(letter)]).join("");
  return sign + (/^[\p{L}\p{N}]+$/u.test(text) ? text : `(${text})`);
}
