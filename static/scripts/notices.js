// Notices at a fixed corner of the page, which screen readers announce at once. They lie over the page, so nothing moves
// when one comes or goes; each goes by its button, and by itself once what it says is over.
import { around, make, maybe, targetOf } from "./dom.js";
import { say } from "./text/say.js";

// Milliseconds that good news stays, unless the pointer or the focus is on it; longer where it can be undone.
const SHORT = 10_000;
const LONG = 60_000;

/**
 * Shows an error in place of the last notice. The words are text, never markup.
 * @param {string} text
 * @returns {HTMLElement | null} the line, to which links can be added; null on a page without notices
 */
export function notice(text) {
  const line = make("p", { textContent: text });
  return show(line, "error", "alert") && line;
}

/**
 * Shows what was done in place of the last notice, with a button to undo it or the like.
 * @param {string} text
 * @param {{ label: string, act: () => void }} button
 * @returns {HTMLElement | null} the notice
 */
export function news(text, { label, act }) {
  const line = make("p", { textContent: `${text} ` });
  const button = make("button", { type: "button", className: "link", textContent: label });
  button.addEventListener("click", act);
  line.append(button);
  const shown = show(line, "success", "status");
  if (shown) leaveLater(shown, LONG);
  return shown;
}

/**
 * @param {HTMLElement} line
 * @param {"error" | "success"} kind
 * @param {"alert" | "status"} role
 */
function show(line, kind, role) {
  const shown = make("div", { className: `notice ${kind}` });
  shown.setAttribute("role", role);
  shown.append(line, dismissal());
  const holder = maybe("#notices");
  holder?.replaceChildren(shown);
  return holder && shown;
}

/** Removes the notice. */
export function clearNotices() {
  maybe("#notices")?.replaceChildren();
}

/**
 * The button by which a notice goes.
 * @returns {HTMLButtonElement}
 */
export function dismissal() {
  const button = make("button", { type: "button", className: "dismiss", textContent: "×" });
  button.setAttribute("aria-label", say("Close"));
  button.dataset.dismisses = "";
  return button;
}

/** Lets good news of the server go after a while, and keeps notices above the foot of the page, however high it is. */
export function startNotices() {
  for (const shown of document.querySelectorAll("#notices > .success")) leaveLater(shown, shown.querySelector("form") ? LONG : SHORT);
  const foot = maybe(".desk-foot");
  if (foot) {
    new ResizeObserver(() => document.body.style.setProperty("--foot", `${foot.offsetHeight}px`)).observe(foot);
  }
}

/**
 * @param {Element} shown
 * @param {number} after Milliseconds
 */
function leaveLater(shown, after) {
  setTimeout(() => {
    if (shown.matches(":hover, :focus-within")) leaveLater(shown, SHORT);
    else shown.remove();
  }, after);
}

document.addEventListener("click", (event) => {
  if (targetOf(event).closest("[data-dismisses]")) around(targetOf(event), ".notice")?.remove();
});
startNotices();
