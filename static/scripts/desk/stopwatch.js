// Counts the seconds of active work on each step. Callers pass the time, so it needs no clock and no page.

const IDLE = 60_000; // milliseconds: after this long without activity, nothing is counted

export class Stopwatch {
  /** @type {Record<string, number>} */
  #seconds = {};
  #lastSign;
  #countedTo;
  #step = "1";

  /** @param {number} now Milliseconds, here and below */
  constructor(now) {
    this.#lastSign = this.#countedTo = now;
  }

  /**
   * Counts the time since the last call, up to a minute after the last activity.
   * @param {number} now
   */
  count(now) {
    const until = Math.min(now, this.#lastSign + IDLE);
    if (until > this.#countedTo) this.#seconds[this.#step] = (this.#seconds[this.#step] ?? 0) + (until - this.#countedTo) / 1_000;
    this.#countedTo = now;
  }

  /**
   * The person did something.
   * @param {number} now
   */
  sign(now) {
    this.count(now);
    this.#lastSign = now;
  }

  /**
   * The person now works on this step.
   * @param {string} step
   * @param {number} now
   */
  goTo(step, now) {
    this.count(now);
    this.#step = step;
  }

  /**
   * The page was hidden: the time until now does not count.
   * @param {number} now
   */
  resume(now) {
    this.#lastSign = this.#countedTo = now;
  }

  /**
   * @returns {Record<string, number>} whole seconds by step
   */
  get seconds() {
    return Object.fromEntries(Object.entries(this.#seconds).map(([step, value]) => [step, Math.round(value)]));
  }

  /** @returns {number} seconds of all steps */
  get total() {
    return Object.values(this.#seconds).reduce((sum, seconds) => sum + seconds, 0);
  }
}
