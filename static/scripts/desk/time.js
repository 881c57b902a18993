// Counts, shows and sends the active time on each step. Each open page sends its own totals, so that a message that
// arrives twice counts once. The time since the page was opened never jumps; the clock of the computer is set right at times.
import { postJSON } from "../api.js";
import { around, targetOf } from "../dom.js";
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
    const said = minutes < 1 ? "under a minute" : `${minutes} min`;
    if (shownIn.textContent !== said) shownIn.textContent = said;
  };
  // If there is no answer, the next message repeats the totals.
  const send = async () => {
    count();
    const { seconds } = watch;
    const text = JSON.stringify(seconds);
    if (text === sent || !Object.values(seconds).some(Boolean)) return;
    const answer = await postJSON(address, { page, seconds }, { keepalive: true });
    if (answer.outcome === "done") sent = text;
  };

  const signal = whileHere();
  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove", "scroll"]) {
    document.addEventListener(name, () => watch.sign(performance.now()), { capture: true, passive: true, signal });
  }
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
