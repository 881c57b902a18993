// Finding elements. An element that a script needs and cannot find is a clear error, not a null that fails elsewhere.

/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextField */

/**
 * The first element within `root` that matches.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @param {new () => T} [type] What kind of element it has to be
 * @returns {T}
 * @throws {Error} if there is none
 */
export function one(selector, root = document, type) {
  const found = maybe(selector, root, type);
  if (!found) throw new Error(`There is no ${selector} on this page`);
  return found;
}

/**
 * Like `one`, but null if there is none.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @param {new () => T} [type]
 * @returns {T | null}
 */
export function maybe(selector, root = document, type) {
  return typed(root.querySelector(selector), type);
}

/**
 * All elements within `root` that match.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @param {new () => T} [type]
 * @returns {T[]}
 */
export function all(selector, root = document, type) {
  return [...root.querySelectorAll(selector)].map((found) => typed(found, type)).filter((found) => found !== null);
}

/**
 * The element itself or its nearest ancestor that matches.
 * @template {Element} [T=HTMLElement]
 * @param {Element} from
 * @param {string} selector
 * @param {new () => T} [type]
 * @returns {T | null}
 */
export function around(from, selector, type) {
  return typed(from.closest(selector), type);
}

/**
 * @template {Element} T
 * @param {Element | null} found
 * @param {(new () => T) | undefined} type
 * @returns {T | null}
 */
function typed(found, type) {
  return found instanceof (type ?? HTMLElement) ? /** @type {T} */ (found) : null;
}

/**
 * The element that has the focus, or else the body.
 * @returns {HTMLElement}
 */
export function focused() {
  return document.activeElement instanceof HTMLElement ? document.activeElement : document.body;
}

/**
 * The element that an event happened to.
 * @param {Event} event
 * @returns {HTMLElement}
 */
export function targetOf(event) {
  return event.target instanceof HTMLElement ? event.target
    : event.target instanceof Node ? event.target.parentElement ?? document.documentElement
    : document.documentElement;
}

/**
 * Opens the fold that an element is in, if it is in one.
 * @param {Element} element
 * @param {string} [fold] Which kind of fold
 */
export function unfold(element, fold = "details") {
  const found = around(element, fold, HTMLDetailsElement);
  if (found) found.open = true;
}

/**
 * Makes a range the selection of the page.
 * @param {Range} range
 */
export function select(range) {
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/**
 * The form that a control belongs to, within it or by its `form` attribute.
 * @param {Element} element
 * @returns {HTMLFormElement | null}
 */
export function formOf(element) {
  return "form" in element && element.form instanceof HTMLFormElement ? element.form : null;
}

/**
 * A new element with these properties.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {Partial<HTMLElementTagNameMap[N]>} [properties]
 * @returns {HTMLElementTagNameMap[N]}
 */
export function make(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

/**
 * Shows this in an element, if it does not yet: what is shown already stays, with what is selected in it, and in a text
 * field the browser goes on undoing a whole stretch of typing at once.
 * @param {Element} element
 * @param {...(Node | string)} content
 */
export function redraw(element, ...content) {
  const drawn = content.filter((each) => each !== "").map((each) => (typeof each === "string" ? document.createTextNode(each) : each));
  const isShown = drawn.length === element.childNodes.length && drawn.every((node, at) => node.isEqualNode(element.childNodes[at]));
  if (!isShown) element.replaceChildren(...drawn);
}

/**
 * A copy of what a <template> holds: its one element.
 * @param {string} id
 * @returns {HTMLElement}
 * @throws {Error} if it holds none
 */
export function copyOf(id) {
  const first = one(`#${id}`, document, HTMLTemplateElement).content.firstElementChild?.cloneNode(true);
  if (!(first instanceof HTMLElement)) throw new Error(`<template id="${id}"> holds no element`);
  return first;
}

/**
 * The JSON that the page carries in <script type="application/json" id="...">.
 * @param {string} id
 * @returns {any}
 */
export function pageData(id) {
  return JSON.parse(one(`#${id}`).textContent ?? "null");
}

/**
 * Puts text into a field as if it were typed, so that listeners notice.
 * @param {TextField} field
 * @param {string} text
 */
export function type(field, text) {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * Like `type`, but the browser's undo brings back the text that was there.
 * @param {TextField} field
 * @param {string} text
 */
export function typeUndoably(field, text) {
  field.focus();
  field.select();
  const isTyped = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
  if (!isTyped) type(field, text);
}

/**
 * Like `typeUndoably` for a part of the text.
 * @param {TextField} field
 * @param {number} start
 * @param {number} end
 * @param {string} text
 */
export function replaceUndoably(field, start, end, text) {
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, end);
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, start, end, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * Listens to an event of htmx.
 * @param {"htmx:beforeSwap" | "htmx:afterSwap" | "htmx:afterSettle" | "htmx:beforeRequest" | "htmx:configRequest" | "htmx:responseError" | "htmx:sendError" | "htmx:timeout"} name
 * @param {(event: CustomEvent<HtmxDetail>) => void} act
 * @param {EventTarget} [on]
 * @param {AbortSignal} [signal] Ends it
 */
export function onHtmx(name, act, on = document, signal) {
  on.addEventListener(name, (event) => act(/** @type {CustomEvent<HtmxDetail>} */ (event)), { signal });
}
