// Counts, shows and sends the active time on each step, and the actions and typed characters: their numbers, never
// which. Each open page sends its own totals, so that a message that arrives twice counts once. The time since the page was opened never jumps; the clock of the computer is set right at times.
import { postJSON } from "../api.js";
import { around, targetOf } from "../dom.js";
import { isTyping } from "../keys.js";
import { say } from "../text/say.js";
import { every, onceOver, whileHere } from "../visit.js";
import { Stopwatch } from "./stopwatch.js";

const SEND_EVERY = 20_000;

/**
 * Begins to count.
 * @param {{ address: string, page: string, before: number, shownIn: HTMLElement }} options `page` names this opening of
 *   the draft; `before` are the seconds of earlier ones
 */
export function countActiveTime({ address, page, before, shownIn }) {
  const watch = new Stopwatch(performance.now());
  let sent = "";

  const count = () => {
    if (document.visibilityState === "visible") watch.count(performance.now());
  };
  const show = () => {
    count();
    const minutes = Math.floor((before + watch.total) / 60);
    const said = minutes < 1 ? say("under a minute") : say("{minutes} min", { minutes });
    if (shownIn.textContent !== said) shownIn.textContent = said;
  };
  // If there is no answer, the next message repeats the totals.
  const send = async () => {
    count();
    const { seconds, actions, typed } = watch;
    const text = JSON.stringify({ seconds, actions, typed });
    if (text === sent || !Object.values(seconds).some(Boolean)) return;
    const answer = await postJSON(address, { page, seconds, actions, typed }, { keepalive: true });
    if (answer.outcome === "done") sent = text;
  };

  const signal = whileHere();
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove", "scroll"]) {
    document.addEventListener(name, () => watch.sign(performance.now()), { capture: true, passive: true, signal });
  }
  countActions(watch, signal);
  document.addEventListener("focusin", (event) => {
    const step = around(targetOf(event), "[data-step]")?.dataset.step;
    if (step) watch.goTo(step, performance.now());
  }, { signal });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      watch.resume(performance.now());
    } else {
      watch.count(performance.now());
      send();
    }
  }, { signal });
  addEventListener("pagehide", send, { signal });
  onceOver(send);
  every(1_000, show);
  every(SEND_EVERY, send);
  show();
}

const MODIFIERS = ["Alt", "AltGraph", "CapsLock", "Control", "Fn", "Meta", "NumLock", "Shift"];
const COMPOSED = ["Dead", "Process", "Unidentified"]; // keys of an input method or a phone, whose text is counted

/**
 * Counts what the person does, before anything else acts on it: a press of the mouse or finger, be it a click or a
 * selection, and a key that types no text are one action each.
 * @param {Stopwatch} watch
 * @param {AbortSignal} signal
 */
function countActions(watch, signal) {
  document.addEventListener("pointerup", () => watch.act(), { capture: true, passive: true, signal });
  document.addEventListener("keydown", (event) => {
    if (!event.repeat && !MODIFIERS.includes(event.key) && !COMPOSED.includes(event.key) && !typesText(event)) watch.act();
  }, { capture: true, passive: true, signal });
  document.addEventListener("input", (event) => {
    if (event instanceof InputEvent && event.inputType === "insertText") watch.type(event.data?.length ?? 0);
  }, { capture: true, passive: true, signal });
  document.addEventListener("compositionend", (event) => watch.type(event.data.length), { capture: true, passive: true, signal });
}

/** @param {KeyboardEvent} event */
function typesText(event) {
  const isShortcut = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
  return event.isComposing || (event.key.length === 1 && !isShortcut && isTyping(targetOf(event)));
}
