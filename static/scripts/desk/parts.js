// The parts of the desk that are the same for all tags. This browser keeps them and says so in a cookie; the page then
// has a mark in place of each. Their names are hashes: what has changed on the server has another name.
import { all, maybe, one } from "../dom.js";
import * as storage from "../storage.js";

/**
 * What is kept: texts by name, with what stands in them for the annotation's key and the form's token.
 * @typedef {{ pk: string, token: string, parts: Record<string, string> }} Kept
 */

const KEY = "desk-parts";
const LATER = 1000; // milliseconds after which what the page brought is asked for once more, to be kept
const MOST = 40; // parts that are kept
const DAYS_KEPT = 30;

/**
 * Puts the kept parts into the page.
 * @returns {boolean} false if one is missing; then the whole page is being loaded
 */
export function fillIn() {
  const marks = all("template[data-part]", document, HTMLTemplateElement);
  if (!marks.length) return true;
  /** @type {Kept | null} */
  const kept = storage.read(KEY);
  const texts = marks.map((mark) => kept?.parts?.[mark.dataset.part ?? ""]);
  if (!kept || texts.includes(undefined)) {
    tell([], 0);
    location.reload();
    return false;
  }
  const pk = one("#desk-form").dataset.annotation ?? "";
  const token = maybe("#desk-form [name=csrfmiddlewaretoken]", document, HTMLInputElement)?.value ?? "";
  for (const [at, mark] of marks.entries()) {
    const text = (texts[at] ?? "").replaceAll(kept.pk, pk).replaceAll(kept.token, token);
    mark.replaceWith(document.createRange().createContextualFragment(text));
  }
  return true;
}

/** Keeps the parts that the page brought, once the person is at work; not where nothing can be kept. */
export function keepParts() {
  if (one("#parts").dataset.brought && storage.write(KEY, storage.read(KEY))) setTimeout(ask, LATER);
}

async function ask() {
  const answer = await fetch(one("#parts").dataset.address ?? "", { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok || !answer.headers.get("Content-Type")?.startsWith("application/json")) return;
  /** @type {Partial<Kept>} */
  const brought = await answer.json();
  if (!brought.parts || !brought.pk) return;
  /** @type {Kept | null} */
  const before = storage.read(KEY);
  // Those of now first: they stay when there are too many.
  const parts = Object.entries({ ...brought.parts, ...(before?.pk === brought.pk ? before.parts : {}), ...brought.parts }).slice(0, MOST);
  if (storage.write(KEY, { ...brought, parts: Object.fromEntries(parts) })) tell(parts.map(([name]) => name), DAYS_KEPT);
}

/**
 * @param {string[]} names Of the parts that are kept
 * @param {number} days
 */
function tell(names, days) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API answers later, when the page may be loading again
  document.cookie = `desk-parts=${names.join(".")}; path=/annotation/desk/; max-age=${days * 24 * 3600}; samesite=lax`;
}
