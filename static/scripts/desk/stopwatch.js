// Counts the seconds of active work, for each step. Told the time, it needs no clock and no page.

const IDLE = 60_000; // milliseconds: after so long without a sign of life nothing is counted

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
   * Counts the time since the last call, as far as it lies within a minute of a sign of life.
   * @param {number} now
   */
  count(now) {
    const until = Math.min(now, this.#lastSign + IDLE);
    if (until > this.#countedTo) this.#seconds[this.#step] = (this.#seconds[this.#step] ?? 0) + (until - this.#countedTo) / 1_000;
    this.#countedTo = now;
  }

  /**
   * A sign of life.
   * @param {number} now
   */
  sign(now) {
    this.count(now);
    this.#lastSign = now;
  }

  /**
   * From now on this step is worked on.
   * @param {string} step
   * @param {number} now
   */
  goTo(step, now) {
    this.count(now);
    this.#step = step;
  }

  /**
   * The page was out of sight: the time until now does not count.
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
