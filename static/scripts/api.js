// Requests of our own scripts to the server. Knows tokens, time limits and how the server says no. htmx makes those of
// the pages. Needs no document until a request is made.

const PATIENCE = 15_000; // milliseconds for an answer, where the caller names no other
const KEPT_ALIVE = 20_000; // characters: a browser finishes 64 kB of requests for a page that is gone, at most 3 bytes each

/**
 * What came of a request.
 * `done`: `data` is what the server answered. `signed-out`: nothing was done. `unanswered`: nobody knows whether it was
 * done; to be sent again after `wait` milliseconds at least. `refused`: nothing was done, and `message` says why.
 * @typedef {{ outcome: "done", data: any }
 *   | { outcome: "signed-out" }
 *   | { outcome: "unanswered", wait: number }
 *   | { outcome: "refused", status: number, reason: string, message: string, data: any }} Answer
 */

/**
 * @typedef {object} RequestOptions
 * @property {number} [patience] Milliseconds to wait for the answer
 * @property {boolean} [keepalive] Whether the request outlives the page, where it is small enough
 * @property {number} [version] Which version of the draft it is based on
 */

/**
 * The token that a form or request has to carry. Signing in renews it.
 * @returns {string} "" where there is none
 */
export function csrfToken() {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

/**
 * Sends `content` as JSON; the server answers with JSON.
 * @param {string} address
 * @param {unknown} content
 * @param {RequestOptions} [options]
 * @returns {Promise<Answer>} never rejected
 */
export function postJSON(address, content, { version, ...options } = {}) {
  const headers = { "Content-Type": "application/json", ...(version === undefined ? {} : { "If-Match": `"${version}"` }) };
  return post(address, JSON.stringify(content), headers, readJSON, options);
}

/**
 * Sends a form's fields as htmx would; the server answers with a fragment of the page.
 * @param {string} address
 * @param {FormData} fields
 * @param {RequestOptions} [options]
 * @returns {Promise<Answer>} never rejected; `data` is the fragment's source
 */
export function postForm(address, fields, options = {}) {
  const pairs = [...fields].map(([name, value]) => [name, String(value)]);
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true" };
  return post(address, new URLSearchParams(pairs).toString(), headers, readHTML, options);
}

/**
 * What a page or fragment of the server says in words, for instance why it refused.
 * @param {string} source
 * @returns {string} "" where it says nothing
 */
export function wordsOf(source) {
  const page = new DOMParser().parseFromString(source, "text/html");
  return page.querySelector(".notice, main p")?.textContent?.trim() ?? "";
}

/**
 * @param {string} address
 * @param {string} body
 * @param {Record<string, string>} headers
 * @param {(response: Response) => Promise<Answer>} read
 * @param {RequestOptions} options
 * @returns {Promise<Answer>}
 */
async function post(address, body, headers, read, { patience = PATIENCE, keepalive = false }) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { ...headers, "X-CSRFToken": csrfToken() },
      body,
      redirect: "error",
      keepalive: keepalive && body.length < KEPT_ALIVE,
      signal: AbortSignal.timeout(patience),
    });
    if (response.status === 401) return { outcome: "signed-out" };
    if (response.status >= 500 || response.status === 429) return { outcome: "unanswered", wait: waitOf(response) };
    return await read(response);
  } catch {
    return { outcome: "unanswered", wait: 0 };
  }
}

/**
 * Milliseconds that the server asks to wait.
 * @param {Response} response
 */
function waitOf(response) {
  return Math.max(0, Number(response.headers.get("Retry-After")) * 1000 || 0);
}

/**
 * @param {Response} response
 * @returns {Promise<Answer>}
 */
async function readJSON(response) {
  const isJSON = response.headers.get("Content-Type")?.startsWith("application/json");
  // The token of a person who is signed out, or signed in anew, is refused with a page.
  if (!isJSON) return response.status === 403 ? { outcome: "signed-out" } : { outcome: "unanswered", wait: 0 };
  const data = await response.json();
  if (response.ok) return { outcome: "done", data };
  return { outcome: "refused", status: response.status, reason: data.reason ?? "", message: data.message ?? "", data };
}

/**
 * @param {Response} response
 * @returns {Promise<Answer>}
 */
async function readHTML(response) {
  const data = await response.text();
  if (response.ok) return { outcome: "done", data };
  const message = wordsOf(data) || "The server could not do that. Try again.";
  return { outcome: "refused", status: response.status, reason: "", message, data };
}
