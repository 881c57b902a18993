// Keeps a form's text safe: saves it on the server, one request at a time, and keeps a copy in this browser until the
// server has acknowledged it. It knows nothing about the form's subject.
import { postJSON } from "../api.js";
import { newId } from "../ids.js";
import { wordsFor } from "../text/failures.js";
import { whileHere } from "../visit.js";
import { Mirror } from "./mirror.js";

/** @typedef {import("../text/merge.js").Content} Content */
/** @typedef {"saving" | "saved" | "offline" | "failing" | "signed-out" | "stale" | "refused" | "closed"} State */

/**
 * @typedef {object} DraftOptions
 * @property {string} saveUrl
 * @property {number} version The version that the page was rendered with
 * @property {string} name The draft's name in this browser
 * @property {() => Content} read What the form holds
 * @property {() => import("./mirror.js").Looks | undefined} [looks] What was filled in and has not been looked at
 * @property {(state: State, words?: string) => void} onState
 * @property {(version: number, content: Content) => void} onStale The server holds another version
 * @property {(answer: any) => void} onAnswer A save was accepted
 */

const PAUSE = 800; // milliseconds without a key before a save
const LONGEST = 5_000; // without a save while typing goes on
const PATIENCE = 30_000; // for an answer

export class Draft {
  #options;
  #saved; // the content that the server has acknowledged, as JSON
  /** @type {{ operation: string, version: number, content: string, looks?: import("./mirror.js").Looks } | null} */
  #request = null; // the save under way or to be repeated: the same operation until it is answered
  /** @type {Promise<boolean> | null} */
  #sending = null; // the request in flight
  /** @type {"" | "stale" | "closed"} */
  #halted = ""; // both wait for a person
  #attempts = 0;
  #since = 0;
  #timer = 0;
  #mirrorTimer = 0;

  /** @param {DraftOptions} options */
  constructor(options) {
    this.#options = options;
    this.version = options.version;
    this.page = newId();
    this.mirror = new Mirror(options.name, this.page);
    /**
     * Keys of copies left by earlier pages, dropped once the server has the text.
     * @type {string[]}
     */
    this.orphans = [];
    this.isLeaving = false; // the page is left with everything saved: the browser need not ask
    this.#saved = this.#text();
    const signal = whileHere();
    addEventListener("online", () => this.#again(), { signal });
    addEventListener("focus", () => this.#again(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#keep();
      else this.#again();
    }, { signal });
    addEventListener("pagehide", () => this.#keep(), { signal });
    addEventListener("beforeunload", (event) => {
      if (this.isDirty && !this.isLeaving) event.preventDefault();
    }, { signal });
  }

  #text() {
    return JSON.stringify(this.#options.read());
  }

  /** Whether something is not on the server yet. */
  get isDirty() {
    return this.#request !== null || this.#text() !== this.#saved;
  }

  /**
   * The server's content at `version`, which this page's changes are based on.
   * @returns {Content}
   */
  get base() {
    return JSON.parse(this.#saved);
  }

  /** Whether saving waits for a decision by the person. */
  get isHalted() {
    return this.#halted !== "";
  }

  /** Call this after each change of the form. */
  touch() {
    if (!this.isDirty) return;
    const now = Date.now();
    this.#since ||= now;
    this.#mirrorTimer ||= setTimer(() => this.#mirrorNow(), 200);
    if (this.#halted) return;
    if (this.#attempts === 0) this.#options.onState("saving");
    clearTimeout(this.#timer);
    this.#timer = setTimer(() => this.#sendOnce(), Math.max(0, Math.min(PAUSE, this.#since + LONGEST - now)));
  }

  // One save after a pause. Text typed during the save gets a timer of its own.
  async #sendOnce() {
    await this.#sending;
    if (this.isDirty && !this.#halted) await this.#start();
  }

  #start() {
    this.#sending ??= this.#send().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  /**
   * Saves all unsaved changes.
   * @returns {Promise<boolean>} whether everything is on the server
   */
  async save() {
    clearTimeout(this.#timer);
    while (this.isDirty && !this.#halted) {
      const before = this.version;
      // A stale save that could be merged is sent again, based on the new version.
      if (!(await this.#start()) && this.version === before) break;
    }
    return !this.isDirty;
  }

  /**
   * The server holds this content at this version: after a submission, or once a conflict is decided.
   * @param {number} version
   * @param {Content} content
   */
  acknowledge(version, content) {
    this.version = version;
    this.#saved = JSON.stringify(content);
    this.#request = null;
    this.#halted = "";
    this.#attempts = 0;
    if (this.isDirty) this.touch();
    else this.#clean();
  }

  /**
   * Nothing is saved until a person has decided.
   * @param {"stale" | "closed"} reason
   */
  halt(reason) {
    this.#halted = reason;
    clearTimeout(this.#timer);
    this.#mirrorNow();
  }

  async #send() {
    this.#request ??= { operation: newId(), version: this.version, content: this.#text(), looks: this.#options.looks?.() };
    const { operation, version, content, looks } = this.#request;
    if (this.#attempts === 0) this.#options.onState("saving");
    this.#mirrorNow();
    return this.#answered(await this.#post({ operation, content: JSON.parse(content), looks }, version), content);
  }

  /**
   * @param {import("./mirror.js").Sent} sent
   * @param {number} version That it is based on
   */
  #post({ operation, content, looks }, version) {
    const save = { operation, tab: this.page, content, ...looks };
    return postJSON(this.#options.saveUrl, save, { version, patience: PATIENCE, keepalive: true });
  }

  /**
   * Finishes the save that an earlier page was waiting for when it closed. It is the same operation, so the server does
   * it once.
   * @param {import("./mirror.js").Sent} sent
   * @param {number} version That it is based on
   * @returns {Promise<number>} the version that it became; 0 if it is not known to be stored
   */
  async finish(sent, version) {
    const answer = await this.#post(sent, version);
    return answer.outcome === "done" ? answer.data.version : 0;
  }

  /**
   * @param {import("../api.js").Answer} answer
   * @param {string} content
   */
  #answered(answer, content) {
    if (answer.outcome === "done") return this.#accepted(answer.data, content);
    if (answer.outcome === "unanswered") return this.#retryLater(answer);
    if (answer.outcome === "signed-out") {
      this.#attempts += 1;
      this.#mirrorNow();
      this.#options.onState("signed-out");
      return false;
    }
    this.#request = null;
    if (answer.reason === "stale") {
      this.halt("stale");
      this.#options.onState("stale");
      this.#options.onStale(answer.data.version, answer.data.content);
    } else if (answer.reason === "refused") {
      this.#mirrorNow();
      this.#options.onState("refused", answer.message);
    } else {
      this.halt("closed");
      this.#options.onState("closed", answer.message);
    }
    return false;
  }

  /**
   * @param {any} answer
   * @param {string} content
   */
  #accepted(answer, content) {
    this.version = answer.version;
    this.#saved = content;
    this.#request = null;
    this.#attempts = 0;
    this.#since = 0;
    if (!this.isDirty) this.#clean();
    this.#options.onAnswer(answer);
    return true;
  }

  /** @param {{ wait: number, cause: import("../text/failures.js").Cause }} answer */
  #retryLater({ wait: least, cause }) {
    this.#attempts += 1;
    this.#mirrorNow();
    this.#options.onState(cause === "unreachable" ? "offline" : "failing", wordsFor(cause));
    const pause = Math.min(30_000, 1_000 * 2 ** Math.min(this.#attempts, 6)) * (0.5 + Math.random() / 2);
    clearTimeout(this.#timer);
    this.#timer = setTimer(() => this.save(), Math.max(pause, least));
    return false;
  }

  // The network or the session may have come back.
  #again() {
    if (this.isDirty && !this.#halted) this.save();
  }

  // The page may close at any moment. What is sent now is part of the copy.
  #keep() {
    if (!this.isDirty) return;
    if (!this.#halted) this.save();
    this.mirror.putAtOnce(this.#copy());
  }

  /** @returns {import("./mirror.js").Copy} */
  #copy() {
    const sent = this.#request && { ...this.#request, content: JSON.parse(this.#request.content) };
    const { unseen } = this.#options.looks?.() ?? {};
    return { at: Date.now(), version: this.version, base: this.base, content: this.#options.read(), sent, unseen };
  }

  #mirrorNow() {
    clearTimeout(this.#mirrorTimer);
    this.#mirrorTimer = 0;
    if (this.isDirty) this.mirror.put(this.#copy());
  }

  #clean() {
    clearTimeout(this.#mirrorTimer);
    this.#mirrorTimer = 0;
    this.#since = 0;
    this.mirror.remove();
    this.forgetOrphans();
    this.#options.onState("saved");
  }

  /** The server has the text that earlier pages left. */
  forgetOrphans() {
    for (const key of this.orphans.splice(0)) this.mirror.remove(key);
  }
}

/**
 * @param {() => void} act
 * @param {number} after Milliseconds
 * @returns {number}
 */
function setTimer(act, after) {
  return Number(setTimeout(act, after));
}
