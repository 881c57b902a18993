// Notices at the top of the page, which screen readers announce at once.
import { make, maybe } from "./dom.js";

/**
 * Shows an error in place of the last notice. The words are text, never markup.
 * @param {string} text
 * @returns {HTMLElement | null} the line; null on a page without notices
 */
export function notice(text) {
  const line = make("p", { className: "notice error", textContent: text });
  line.setAttribute("role", "alert");
  const holder = maybe("#notices");
  holder?.replaceChildren(line);
  return holder && line;
}

/** Removes the notice. */
export function clearNotices() {
  maybe("#notices")?.replaceChildren();
}
