// Messages for a person when a request got no conclusive answer. Needs no page.
import { say } from "./say.js";

/**
 * Why there is no such answer: the server could not be reached, took too long, said that it is busy, or failed itself.
 * @typedef {"unreachable" | "slow" | "busy" | "failed"} Cause
 */

/**
 * The cause that the status of an answer means.
 * @param {number} status
 * @returns {Cause | null} null if the status says that the request was dealt with
 */
export function causeOf(status) {
  if (status === 429 || status === 503) return "busy";
  return status >= 500 ? "failed" : null;
}

/**
 * The cause of a request that threw.
 * @param {unknown} error
 * @returns {Cause}
 */
export function causeOfError(error) {
  return error instanceof DOMException && error.name === "TimeoutError" ? "slow" : "unreachable";
}

/**
 * One sentence about what happened; what is safe and what to do is for the caller to add.
 * @param {Cause} cause
 * @returns {string}
 */
export function wordsFor(cause) {
  return {
    unreachable: say("The server cannot be reached."),
    slow: say("The server has not answered in time."),
    busy: say("The server is busy."),
    failed: say("Something went wrong on the server."),
  }[cause];
}

/**
 * The advice in this case.
 * @param {Cause} cause
 * @returns {string}
 */
export function adviceFor(cause) {
  return {
    unreachable: say("try again when the connection is back"),
    slow: say("try again in a moment"),
    busy: say("try again in a moment"),
    failed: say("try again, and tell an admin if it keeps happening"),
  }[cause];
}
