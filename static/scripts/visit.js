// A page whose content is exchanged for that of the next one, in the same document: what was set up for the old content
// ends with it. Listeners to the document or the window take `whileHere()`, and timers are made by `every`.

let here = new AbortController();

/**
 * Ends when the content is exchanged.
 * @returns {AbortSignal}
 */
export function whileHere() {
  return here.signal;
}

/**
 * @param {number} milliseconds
 * @param {() => void} act
 */
export function every(milliseconds, act) {
  const timer = setInterval(act, milliseconds);
  here.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/**
 * Calls this before the content goes.
 * @param {() => void} act
 */
export function onceOver(act) {
  here.signal.addEventListener("abort", act, { once: true });
}

/** The content goes: ends what was set up for it. */
export function endVisit() {
  here.abort();
  here = new AbortController();
}

let shownPath = globalThis.location?.pathname;

/**
 * The content is now that of this address.
 * @param {string} address
 */
export function goTo(address) {
  history.pushState({ isVisit: true }, "", address);
  shownPath = location.pathname;
}

// Back and forward to what was shown in the same document: that page as it stands now. Loaded in place of the entry, not
// again: a browser would take what is loaded again for the document of all those entries.
globalThis.addEventListener?.("popstate", () => {
  if (location.pathname !== shownPath) location.replace(location.href);
});
// A person who goes forward before this runs is at the address of a visit, in a document that was loaded for another one.
const [loading] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
if (loading?.type === "navigate" && globalThis.history?.state?.isVisit) location.reload();
