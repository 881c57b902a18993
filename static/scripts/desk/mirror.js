// Copies of a draft in this browser, one for each open page, kept in IndexedDB, or in localStorage where IndexedDB is
// refused (private windows, full disks). A copy outlives its page until the server has the text.
import * as storage from "../storage.js";

/** @typedef {import("../text/merge.js").Content} Content */

/**
 * A save that was not answered when the copy was made.
 * @typedef {{ operation: string, content: Content, looks?: Looks }} Sent
 */

/**
 * The names of fields that were filled from drafts: those that have not been in sight since, and those that have.
 * @typedef {{ unseen: string[], seen: string[] }} Looks
 */

/**
 * @typedef {object} Copy
 * @property {number} at When it was made
 * @property {number} version Of the draft that it is based on
 * @property {Content | null} [base] What the server held at that version
 * @property {Content} content
 * @property {Sent | null} [sent]
 * @property {string[]} [unseen] Names of fields that were filled from drafts and have not been in sight since
 */

export class Mirror {
  #prefix;
  #key;
  #database;

  /**
   * @param {string} name Of the draft
   * @param {string} page Identifies this open page
   */
  constructor(name, page) {
    this.#prefix = `draft:${name}:`;
    this.#key = this.#prefix + page;
    this.#database = openDatabase();
  }

  /**
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest} act
   * @returns {Promise<any>} its result, or null where this browser refuses
   */
  async #run(mode, act) {
    const database = await this.#database;
    if (!database) return null;
    return new Promise((resolve) => {
      try {
        const request = act(database.transaction("drafts", mode, { durability: "strict" }).objectStore("drafts"));
        request.onsuccess = () => resolve(request.result ?? true);
        request.onerror = () => resolve(null);
      } catch {
        resolve(null);
      }
    });
  }

  /** @param {Copy} copy */
  async put(copy) {
    if ((await this.#run("readwrite", (store) => store.put(copy, this.#key))) === null) this.putAtOnce(copy);
  }

  /**
   * Writes synchronously, which is the only way to finish before the page closes. If localStorage is refused, IndexedDB
   * still has the text of a moment ago.
   * @param {Copy} copy
   */
  putAtOnce(copy) {
    storage.write(this.#key, copy);
  }

  /** @param {string} [key] Defaults to this page's copy */
  async remove(key = this.#key) {
    storage.remove(key);
    await this.#run("readwrite", (store) => store.delete(key));
  }

  /**
   * Copies left by earlier pages, newest first.
   * @returns {Promise<[string, Copy][]>}
   */
  async left() {
    /** @type {Map<string, Copy>} */
    const found = new Map();
    /** @type {(key: string, copy: Copy | null) => void} */
    const take = (key, copy) => {
      if (key === this.#key || !copy || typeof copy.content !== "object") return;
      if (!((found.get(key)?.at ?? 0) > copy.at)) found.set(key, copy);
    };
    const range = IDBKeyRange.bound(this.#prefix, `${this.#prefix}\uffff`);
    const keys = await this.#run("readonly", (store) => store.getAllKeys(range));
    const copies = await this.#run("readonly", (store) => store.getAll(range));
    if (Array.isArray(keys) && Array.isArray(copies)) keys.forEach((key, index) => { take(String(key), copies[index]); });
    for (const key of storage.keys(this.#prefix)) take(key, storage.read(key));
    return [...found].sort(([, one], [, other]) => other.at - one.at);
  }
}

/** @returns {Promise<IDBDatabase | null>} null where this browser refuses */
function openDatabase() {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open("workbench-drafts", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("drafts");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = opening.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}
