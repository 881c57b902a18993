// What the page says on top, to be read out at once.
import { make, maybe } from "./dom.js";

/**
 * Shows words as an error, instead of what was said before. They are text, never markup of the page.
 * @param {string} text
 * @returns {HTMLElement | null} the line; null where a page shows no notices
 */
export function notice(text) {
  const line = make("p", { className: "notice error", textContent: text });
  line.setAttribute("role", "alert");
  const holder = maybe("#notices");
  holder?.replaceChildren(line);
  return holder && line;
}

/** Takes back what was said. */
export function clearNotices() {
  maybe("#notices")?.replaceChildren();
}
