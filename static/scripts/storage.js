// This browser's localStorage, which may be refused or full.

/**
 * @param {string} key
 * @returns {any} null where nothing is kept under this key, or nothing that can be read
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
 * @returns {boolean} whether it is kept now
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
 * The keys that begin so.
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
