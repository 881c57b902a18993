// The parts of the desk that are the same for all tags. This browser keeps them and says so in a cookie; the page then
// has a mark in place of each. Their names are hashes: what has changed on the server has another name.
import { all, one } from "../dom.js";
import * as storage from "../storage.js";

/** @typedef {Record<string, string>} Texts What is kept, by name */

const KEY = "desk-parts";
const LATER = 1000; // milliseconds until what the page brought is kept: the person is at work by then
const MOST = 40; // parts that are kept
const DAYS_KEPT = 30;
// Placeholders in kept texts for the annotation's key in addresses and for the form's token.
const PK = "/{pk}/";
const TOKEN = "{token}";
const NAMED = /^part (\w+)$/;

/**
 * Puts the kept parts into the page, and has those kept that it brought. Called before anything changes the page.
 * @returns {boolean} false if one is missing; then the whole page is being loaded
 */
export function fillIn() {
  const brought = partsIn(one("main"));
  const marks = all("template[data-part]", document, HTMLTemplateElement);
  const kept = marks.length ? readKept() : {};
  const texts = marks.map((mark) => kept[mark.dataset.part ?? ""]);
  if (texts.includes(undefined)) {
    tell([], 0);
    location.reload();
    return false;
  }
  const { pk, token } = here();
  for (const [at, mark] of marks.entries()) {
    const text = (texts[at] ?? "").replaceAll(PK, pk).replaceAll(TOKEN, token);
    mark.replaceWith(document.createRange().createContextualFragment(text));
  }
  if (Object.keys(brought).length) setTimeout(() => keep(brought), LATER);
  return true;
}

/** This page's own values in its parts. */
function here() {
  const form = one("#desk-form", document, HTMLFormElement);
  return {
    pk: `/${form.dataset.annotation}/`,
    token: one("[name=csrfmiddlewaretoken]", form, HTMLInputElement).value,
  };
}

/**
 * The parts that stand here between comments with their names.
 * @param {HTMLElement} main
 */
function partsIn(main) {
  /** @type {Texts} */
  const found = {};
  const { pk, token } = here();
  const comments = document.createTreeWalker(main, NodeFilter.SHOW_COMMENT);
  while (comments.nextNode()) {
    const start = comments.currentNode;
    const name = NAMED.exec(start.nodeValue ?? "")?.[1];
    if (name && comments.nextNode()) found[name] = htmlBetween(start, comments.currentNode).replaceAll(pk, PK).replaceAll(token, TOKEN);
  }
  return found;
}

/**
 * @param {Node} start
 * @param {Node} end
 */
function htmlBetween(start, end) {
  const range = document.createRange();
  range.setStartAfter(start);
  range.setEndBefore(end);
  const holder = document.createElement("div");
  holder.append(range.cloneContents());
  for (const line of all("p.kept", holder)) line.remove(); // keep.js has already shown a notice about a text in this page
  return holder.innerHTML;
}

/** @returns {Record<string, string | undefined>} */
const readKept = () => storage.read(KEY) ?? {};

/** @param {Texts} brought These first: they stay when there are too many. */
function keep(brought) {
  const parts = Object.entries({ ...brought, ...readKept(), ...brought }).slice(0, MOST);
  if (storage.write(KEY, Object.fromEntries(parts))) tell(parts.map(([name]) => name), DAYS_KEPT);
}

/**
 * @param {string[]} names Of the parts that are kept
 * @param {number} days
 */
function tell(names, days) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API answers later, when the page may be loading again
  document.cookie = `desk-parts=${names.join(".")}; path=/annotation/desk/; max-age=${days * 24 * 3600}; samesite=lax`;
}
