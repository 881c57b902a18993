// Unique identifiers.

/**
 * @returns {string} 32 hexadecimal digits
 */
export function newHex() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A UUID of version 4. `crypto.randomUUID` exists only over HTTPS and on localhost.
 * @returns {string}
 */
export function newId() {
  const hex = newHex();
  const variant = "89ab"[Number.parseInt(hex[16], 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
