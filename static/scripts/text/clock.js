// A time of day in words.

/** @param {number} at In milliseconds, as `Date.now` has it */
export function clock(at) {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
