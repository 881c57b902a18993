// Requests that our own scripts make: token, time limit, and how the server refuses. htmx makes the requests of the
// pages. Needs no document until a request is made.
import { adviceFor, causeOf, causeOfError, wordsFor } from "./text/failures.js";
import { say } from "./text/say.js";

const FIELD = "csrfmiddlewaretoken"; // in forms
const PATIENCE = 15_000; // milliseconds to wait for an answer, unless the caller says otherwise
const KEPT_ALIVE = 20_000; // characters of at most 3 bytes: browsers finish up to 64 kB of requests after the page is gone

/**
 * The outcome of a request.
 * `done`: `data` is the server's answer. `signed-out`: nothing was done. `unanswered`: it may or may not have been
 * done; send it again after at least `wait` milliseconds; `cause` says whether the server could not be reached, was slow or
 * busy, or failed. `refused`: nothing was done, and `message` says why.
 * @typedef {{ outcome: "done", data: any }
 *   | { outcome: "signed-out" }
 *   | { outcome: "unanswered", wait: number, cause: import("./text/failures.js").Cause }
 *   | { outcome: "refused", status: number, reason: string, message: string, data: any }} Answer
 */

/**
 * @typedef {object} RequestOptions
 * @property {number} [patience] Milliseconds to wait for the answer
 * @property {boolean} [keepalive] Whether the request outlives the page, if it is small enough
 * @property {number} [version] The version of the draft that it is based on
 */

/**
 * The token that every form and request carries. Signing in renews it.
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
  const body = JSON.stringify(content);
  return post(address, () => body, headers, readJSON, options);
}

/**
 * Sends a form's fields as htmx would; the server answers with a fragment of the page.
 * @param {string} address
 * @param {FormData} fields
 * @param {RequestOptions} [options]
 * @returns {Promise<Answer>} never rejected; `data` is the fragment's source
 */
export function postForm(address, fields, options = {}) {
  const values = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]));
  /** @param {string} token The server reads the one of the form before that of the header. */
  const body = (token) => {
    if (values.has(FIELD)) values.set(FIELD, token);
    return values.toString();
  };
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true" };
  return post(address, body, headers, readHTML, options);
}

/**
 * Whether the server refused only the token, which was renewed in the meantime: the same request with the token
 * of now is right.
 * @param {number} status
 * @param {string | null} reason The header `X-Refused`
 */
export function isOldToken(status, reason) {
  return status === 403 && reason === "token";
}

/**
 * Sends a request with the token of the moment; again where that token was refused.
 * @param {string} address
 * @param {(token: string) => string} body
 * @param {RequestInit & { headers: Record<string, string> }} options
 * @returns {Promise<Response>}
 */
export async function send(address, body, options) {
  const sendNow = () => {
    const token = csrfToken();
    return fetch(address, { ...options, method: "POST", body: body(token), headers: { ...options.headers, "X-CSRFToken": token } });
  };
  const response = await sendNow();
  return isOldToken(response.status, response.headers.get("X-Refused")) ? sendNow() : response;
}

/**
 * The text of a page or fragment from the server, for instance why it refused.
 * @param {string} source
 * @returns {string} "" if it says nothing
 */
export function wordsOf(source) {
  const page = new DOMParser().parseFromString(source, "text/html");
  return page.querySelector(".notice, main p")?.textContent?.trim() ?? "";
}

/**
 * Why something was not done, in words; nothing for what was done.
 * @param {Answer} answer
 * @returns {string}
 */
export function wordsOfAnswer(answer) {
  if (answer.outcome === "refused") return answer.message;
  if (answer.outcome === "signed-out") return say("You are signed out: sign in in another tab, then try again.");
  return answer.outcome === "done" ? "" : say("{cause} Please {advice}.", { cause: wordsFor(answer.cause), advice: adviceFor(answer.cause) });
}

/**
 * @param {string} address
 * @param {(token: string) => string} body
 * @param {Record<string, string>} headers
 * @param {(response: Response) => Promise<Answer>} read
 * @param {RequestOptions} options
 * @returns {Promise<Answer>}
 */
async function post(address, body, headers, read, { patience = PATIENCE, keepalive = false }) {
  try {
    const response = await send(address, body, {
      headers,
      redirect: "error",
      keepalive: keepalive && body(csrfToken()).length < KEPT_ALIVE,
      signal: AbortSignal.timeout(patience),
    });
    if (response.status === 401) return { outcome: "signed-out" };
    const cause = causeOf(response.status);
    if (cause) return { outcome: "unanswered", wait: waitOf(response), cause };
    return await read(response);
  } catch (error) {
    return { outcome: "unanswered", wait: 0, cause: causeOfError(error) };
  }
}

/**
 * The number of milliseconds that the server asks to wait.
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
  // The token of a person who has signed out, or signed in again, is refused with a page.
  if (!isJSON) return response.status === 403 ? { outcome: "signed-out" } : { outcome: "unanswered", wait: 0, cause: "unreachable" };
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
  const message = wordsOf(data) || say("The server could not do that. Try again.");
  return { outcome: "refused", status: response.status, reason: "", message, data };
}
