// The judging page. The next response waits in a <template> and is shown at once after a verdict, while the verdict is
// sent. The new response takes no verdict until the server has the last one; if that fails, the old response comes back
// with what was written.
import { postForm } from "./api.js";
import { around, make, maybe, one, targetOf } from "./dom.js";
import { fitFolds } from "./folds.js";
import { accepted } from "./keep.js";
import { clearNotices, notice } from "./notices.js";
import { showAsked, showMarks } from "./questions.js";
import { startQuoting } from "./quoting.js";
import { adviceFor, wordsFor as because } from "./text/failures.js";
import { say } from "./text/say.js";

// In milliseconds. Nobody reads a response in this time, so an earlier key was meant for the response before.
const TOO_SOON = 300;
const IDLE = 60_000;
const PATIENCE = 30_000;
const JUST_SHOWN = say("Not counted: this response had only just appeared. Press again to judge it.");
const STILL_SENDING = say("Not counted: the previous judgment is still being saved. Press again in a moment.");
const SAID_FOR = 6_000;
const now = () => performance.now();

startQuoting();
const root = one("#judge");
let isSending = false;
let shownAt = now();
let seconds = 0;
let lastSign = now();

// Time counts while the page is visible and the reviewer is active.
for (const sign of ["pointermove", "keydown", "wheel", "touchstart", "scroll"]) {
  document.addEventListener(sign, () => { lastSign = now(); }, { passive: true, capture: true });
}
setInterval(() => {
  if (!document.hidden && now() - lastSign < IDLE) seconds += 1;
}, 1000);

// Every answer replaces both.
const shownItem = () => one("#judge-item", root);
const nextItem = () => one("#judge-next", root, HTMLTemplateElement);

function shown() {
  shownAt = now();
  seconds = 0;
  lastSign = now();
  fitFolds();
  window.scrollTo({ top: 0, behavior: "instant" });
  maybe(".judge-question, .judge-done", shownItem())?.focus({ preventScroll: true });
  maybe("[data-continues]", shownItem())?.focus({ preventScroll: true });
}

/**
 * Shows the response that is waiting.
 * @returns {ChildNode[]} what was shown before
 */
function advance() {
  const item = shownItem();
  const before = [...item.childNodes];
  item.replaceChildren(nextItem().content.cloneNode(true));
  nextItem().content.replaceChildren();
  shown();
  return before;
}

/**
 * The verdict did not reach the server: the response before is shown again, and the other one waits.
 * @param {ChildNode[]} before
 * @param {number} spent Seconds counted for it
 */
function goBack(before, spent) {
  const item = shownItem();
  nextItem().content.replaceChildren(...item.childNodes);
  item.replaceChildren(...before);
  seconds = spent;
}

/** @param {string} source */
function putIn(source) {
  const answer = new DOMParser().parseFromString(source, "text/html");
  for (const id of ["judge-bar", "judge-next", "judge-item"]) {
    const part = answer.getElementById(id);
    if (!part) continue;
    one(`#${id}`, root).replaceWith(document.importNode(part, true));
    if (id === "judge-item") {
      showAsked();
      showMarks();
      shown();
    }
  }
}

/**
 * @param {import("./api.js").Answer} answer
 * @returns {string}
 */
function wordsAbout(answer) {
  if (answer.outcome === "refused") return answer.message;
  if (answer.outcome === "signed-out") return say("You are signed out: this verdict is not recorded. Sign in in another tab, then give it again.");
  if (answer.outcome === "done") return "";
  return say("{cause} This verdict may or may not have been recorded, so the response is shown again: {advice}.", { cause: because(answer.cause), advice: adviceFor(answer.cause) });
}

/**
 * A key that did nothing is never without a sign.
 * @param {string} words
 */
function sayNotCounted(words) {
  document.getElementById("not-counted")?.remove();
  const line = make("p", { id: "not-counted", className: "key-said", textContent: words });
  line.setAttribute("role", "status");
  document.body.append(line);
  setTimeout(() => line.remove(), SAID_FOR);
}

root.addEventListener("submit", async (event) => {
  const form = targetOf(event);
  if (!(form instanceof HTMLFormElement) || !form.matches("[data-judge]")) return;
  event.preventDefault();
  const isTooSoon = form.dataset.judge === "verdict" && now() - shownAt < TOO_SOON;
  if (isSending || isTooSoon) return void sayNotCounted(isSending ? STILL_SENDING : JUST_SHOWN);
  document.getElementById("not-counted")?.remove();
  const data = new FormData(form, event.submitter);
  if (data.has("seconds")) data.set("seconds", String(seconds));
  const item = around(form, ".judge-item");
  const ready = maybe(".judge-item", nextItem().content);
  /** @type {ChildNode[] | null} */
  let before = null;
  const spent = seconds;
  isSending = true;
  root.setAttribute("aria-busy", "true");
  clearNotices();
  if (item && ready && !("waits" in item.dataset)) {
    data.set("showing", ready.dataset.item ?? "");
    before = advance();
  }
  const answer = await postForm(form.action, data, { patience: PATIENCE });
  isSending = false;
  root.removeAttribute("aria-busy");
  if (answer.outcome === "done") {
    accepted(form);
    putIn(answer.data);
    return;
  }
  if (before) goBack(before, spent);
  notice(wordsAbout(answer));
  window.scrollTo({ top: 0, behavior: "instant" });
});

// "Continue" after a training item: the next one is waiting.
root.addEventListener("click", (event) => {
  const link = around(targetOf(event), "[data-continues]");
  if (!link || !maybe(".judge-item", nextItem().content)) return;
  event.preventDefault();
  advance();
});
