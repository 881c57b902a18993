// Counts the seconds of active work on each step, and the actions and typed characters. Callers pass the time, so it
// needs no clock and no page.

const IDLE = 60_000; // milliseconds: after this long without activity, nothing is counted

export class Stopwatch {
  /** @type {Record<string, number>} */
  #seconds = {};
  /** Keys that do something, clicks and selections by step; no key or text is kept. @type {Record<string, number>} */
  actions = {};
  /** Typed characters by step. @type {Record<string, number>} */
  typed = {};
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

  /** The person pressed a key, clicked or selected something. */
  act() {
    this.actions[this.#step] = (this.actions[this.#step] ?? 0) + 1;
  }

  /**
   * The person typed a text of this length.
   * @param {number} characters
   */
  type(characters) {
    this.typed[this.#step] = (this.typed[this.#step] ?? 0) + characters;
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
   * @returns {Record<string, number>} whole seconds by step: at least one where something was done
   */
  get seconds() {
    const steps = Object.keys({ ...this.#seconds, ...this.actions, ...this.typed });
    const least = (/** @type {string} */ step) => (this.actions[step] || this.typed[step] ? 1 : 0);
    return Object.fromEntries(steps.map((step) => [step, Math.max(least(step), Math.round(this.#seconds[step] ?? 0))]));
  }

  /** @returns {number} seconds of all steps */
  get total() {
    return Object.values(this.#seconds).reduce((sum, seconds) => sum + seconds, 0);
  }
}
