// This browser's localStorage, which may be forbidden or full.

/**
 * @param {string} key
 * @returns {any} null if nothing readable is stored under this key
 */
export function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 * @returns {boolean} whether it was stored
 */
export function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} key */
export function remove(key) {
  try {
    localStorage.removeItem(key);
  } catch { /* nothing is kept where that is refused */ }
}

/**
 * The keys with this prefix.
 * @param {string} prefix
 * @returns {string[]}
 */
export function keys(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
