// The next tag's page, ready before this one is submitted: claimed, fetched and parsed once the form is nearly complete,
// and handed back if the person leaves without submitting. The server says whether it is still the next one.
import { postForm, postJSON } from "../api.js";
import { maybe } from "../dom.js";
import { onceOver, whileHere } from "../visit.js";

const PAUSE = 400; // milliseconds between a change and the claim
const FRESH = 120_000; // for which a page that was fetched is shown; after that it is fetched again

/** @typedef {{ address: string, main: HTMLElement, title: string, at: number, annotation: number, version: number }} Ready */

export class Ahead {
  #timer = 0;
  #isAsking = false;
  #isClaimed = false;
  #claim;
  #handBack;
  #onReady;
  /** @type {Ready | null} */
  #ready = null;

  /**
   * @param {object} options
   * @param {string} options.claim An address
   * @param {string} options.handBack Another one
   * @param {() => boolean} options.isLeaving Whether this page goes on by itself
   * @param {(isReady: boolean) => void} options.onReady
   */
  constructor({ claim, handBack, isLeaving, onReady }) {
    this.#onReady = onReady;
    this.#claim = claim;
    this.#handBack = handBack;
    addEventListener("pagehide", () => {
      if (this.#isClaimed && !isLeaving()) this.#unwanted();
    }, { signal: whileHere() });
    onceOver(() => clearTimeout(this.#timer));
  }

  /** The form is nearly complete: have the next page ready soon. */
  prepare() {
    if (!this.#claim || this.#timer || this.#isAsking || this.#isFresh) return; // a practice run has no next tag
    this.#timer = Number(setTimeout(() => {
      this.#timer = 0;
      this.#ask();
    }, PAUSE));
  }

  /** Keeps what was claimed, and fetches its page again once it is old. */
  renew() {
    if (this.#isClaimed && !this.#isAsking) this.#ask();
  }

  /**
   * The prepared tag, for the server to compare.
   * @returns {{ annotation: number, version: number } | undefined}
   */
  get offered() {
    return this.#ready && this.#isFresh ? { annotation: this.#ready.annotation, version: this.#ready.version } : undefined;
  }

  /**
   * The content that is ready for this address.
   * @param {string} address
   * @returns {Ready | null}
   */
  take(address) {
    return this.#ready?.address === address ? this.#ready : null;
  }

  get #isFresh() {
    return this.#ready !== null && performance.now() - this.#ready.at < FRESH;
  }

  async #ask() {
    this.#isAsking = true;
    try {
      const answer = await postJSON(this.#claim, {});
      if (whileHere().aborted || answer.outcome !== "done") return;
      this.#isClaimed = answer.data.next.includes("/desk/") && /\d/.test(answer.data.next);
      if (!this.#isClaimed) this.#ready = null;
      else if (!this.#isFresh || this.#ready?.address !== answer.data.next) this.#ready = await fetched(answer.data.next);
      this.#onReady(this.#ready !== null);
    } finally {
      this.#isAsking = false;
    }
  }

  #unwanted() {
    this.#isClaimed = false;
    this.#ready = null;
    postJSON(this.#handBack, {}, { keepalive: true });
  }
}

/**
 * @param {string} address
 * @returns {Promise<Ready | null>} null if it is no desk, or one of another version of the scripts
 */
async function fetched(address) {
  try {
    const page = await pageAt(address);
    // The article has to be fetched or made first; the page would ask for it once it is shown.
    const asks = page && maybe("#panel-article form[data-asked]", page, HTMLFormElement);
    if (asks) await postForm(asks.getAttribute("action") ?? "", new FormData());
    return readyOf(address, asks ? await pageAt(address) : page);
  } catch {
    return null;
  }
}

/**
 * The page as it is once this one is submitted.
 * @param {string} address
 */
async function pageAt(address) {
  const response = await fetch(`${address}?ahead`, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/**
 * @param {string} address
 * @param {Document | null} page
 * @returns {Ready | null}
 */
function readyOf(address, page) {
  const main = page && maybe("main", page);
  const form = page && maybe("#desk-form", page);
  if (!main || !form || scriptsOf(page) !== scriptsOf(document)) return null;
  const { annotation, version } = form.dataset;
  return { address, main: document.adoptNode(main), title: page.title, at: performance.now(), annotation: Number(annotation), version: Number(version) };
}

/** @param {Document} page */
const scriptsOf = (page) => [...page.querySelectorAll("head script[src]")].map((each) => each.getAttribute("src")).join(" ");
