// Keeps messages, comments and reasons in this browser from the first letter until the server has accepted them,
// separately for each person and each thing. The desk's form is not kept here, since its draft is on the server. Uses
// localStorage, not IndexedDB: these texts are short, and each write ends before the next key, so that closing the page
// loses nothing.
//
// Every text typed into a form, in one line or several, is kept under the address that the form is sent to.
// data-keep="thread" names the thing if the address does not.
import { all, make, maybe, onHtmx, targetOf, unfold } from "./dom.js";
import { newHex } from "./ids.js";
import * as storage from "./storage.js";
import { say } from "./text/say.js";

/** @typedef {import("./dom.js").TextField} TextField */

// No passwords, choices or numbers.
const KEPT = "textarea, input:is([type=text], [type=email], [type=url], :not([type]))";
let prefix = ""; // of the signed-in person's keys; without a person nothing is kept
let isRefused = false; // whether the last text could not be kept

/** Begins to keep what is typed, and puts back what was kept. */
export function keepTypedText() {
  if (!document.body.dataset.person) return;
  prefix = `kept:${document.body.dataset.person}:`;
  document.addEventListener("input", (event) => typed(targetOf(event)));
  document.addEventListener("submit", sending);
  // A form that htmx sends: accepted, or refused and shown again.
  onHtmx("htmx:beforeSwap", ({ detail: { xhr, requestConfig } }) => {
    if (xhr.status < 300 && requestConfig.verb === "post") accepted(sentBy(requestConfig));
  });
  addEventListener("pageshow", acknowledge);
  addEventListener("beforeunload", (event) => {
    if (isRefused) event.preventDefault();
  });
  acknowledge();
  restore(document);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) if (node instanceof Element) restore(node);
    }
  }).observe(document.body, { childList: true, subtree: true });
}

/**
 * The server has accepted the fields of `form`: drop the copies.
 * @param {HTMLElement | null} form
 */
export function accepted(form) {
  if (!form || !prefix) return;
  for (const [, key] of keptFields(form)) storage.remove(key);
  for (const line of all("p.kept", form)) line.remove();
  isRefused = false;
}

/**
 * The fields that are kept, with their keys.
 * @param {ParentNode} root
 * @returns {[TextField, string][]}
 */
function keptFields(root) {
  /** @type {[TextField, string][]} */
  const found = [];
  for (const field of /** @type {TextField[]} */ (all(KEPT, root))) {
    const key = keyOf(field);
    if (key !== null) found.push([field, key]);
  }
  return found;
}

/**
 * @param {TextField} field
 * @returns {string | null} null for a field that is not kept
 */
function keyOf(field) {
  if (!field.name || field.hidden || field.readOnly || field.disabled) return null;
  let thread = field.dataset.keep;
  if (!thread) {
    if (field.form?.method !== "post" || field.form.id === "desk-form") return null;
    thread = pathOf(field.form.getAttribute("action"));
  }
  return `${prefix}${thread}:${field.name}`;
}

/** @param {string | null} address */
function pathOf(address) {
  return new URL(address || location.pathname, location.href).pathname;
}

/** @param {HTMLElement} element */
function typed(element) {
  if (!element.matches(KEPT)) return;
  const field = /** @type {TextField} */ (element);
  const key = keyOf(field);
  if (key === null) return;
  if (!field.value && !field.defaultValue) {
    storage.remove(key);
    isRefused = false;
  } else {
    isRefused = !storage.write(key, { text: field.value, at: Date.now() }); // refused: leaving the page asks first
  }
}

/** @param {ParentNode} root */
function restore(root) {
  for (const [field, key] of keptFields(root)) {
    const record = storage.read(key);
    if (typeof record?.text !== "string" || record.text === field.value || field.value !== field.defaultValue) continue;
    field.value = record.text;
    unfold(field);
    tell(field, key, record.at);
  }
}

/**
 * @param {TextField} field
 * @param {string} key
 * @param {number} at
 */
function tell(field, key, at) {
  const when = new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const line = make("p", { className: "kept small" });
  line.setAttribute("role", "status");
  const discard = make("button", { type: "button", className: "link", textContent: say("Discard it") });
  discard.addEventListener("click", () => {
    field.value = field.defaultValue;
    storage.remove(key);
    line.remove();
    field.focus();
  });
  line.append(`${say("Not sent yet: this browser kept your text ({when}).", { when })} `, discard);
  (field.closest("label, .suggest-why") ?? field).after(line);
}

/**
 * The form that was sent by this request, and not one that only shows a preview of what is typed.
 * @param {HtmxDetail["requestConfig"]} request
 * @returns {HTMLElement | null}
 */
function sentBy({ elt, path }) {
  if (elt.matches("[data-sends]")) return elt.closest(".comment-form");
  return elt instanceof HTMLFormElement && pathOf(path) === pathOf(elt.getAttribute("action")) ? elt : null;
}

/**
 * A form that leaves the page takes a number along. The answer to an accepted one, and to no other, is a redirect with
 * a cookie of this number: whichever page comes next then drops the copies.
 * @param {SubmitEvent} event
 */
function sending(event) {
  const form = targetOf(event);
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
  const texts = keptFields(form).map(([field, key]) => [key, field.value]).filter(([, text]) => text);
  if (!texts.length) return;
  const number = newHex();
  if (!storage.write(`kept-sent:${number}`, texts)) return;
  const field = maybe("input[name=kept_number]", form, HTMLInputElement) ?? make("input");
  form.append(Object.assign(field, { type: "hidden", name: "kept_number", value: number }));
  isRefused = false;
}

function acknowledge() {
  for (const [, number] of document.cookie.matchAll(/(?:^|; )kept-([0-9a-f]{32})=/g)) {
    for (const [key, text] of storage.read(`kept-sent:${number}`) ?? []) {
      // Another tab may have begun a new text.
      if (storage.read(key)?.text === text) storage.remove(key);
    }
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API answers later, after the page has put text back
    document.cookie = `kept-${number}=; path=/; max-age=0; samesite=lax`;
  }
  forgetSent();
}

// A form that was sent can be forgotten once none of its texts is kept: it has been accepted.
function forgetSent() {
  for (const sent of storage.keys("kept-sent:")) {
    /** @type {[string, string][]} */
    const texts = storage.read(sent) ?? [];
    if (!texts.some(([key]) => storage.read(key))) storage.remove(sent);
  }
}
