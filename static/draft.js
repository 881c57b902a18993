// Keeps a form's text safe: saved on the server, one request at a time; mirrored in this browser until the server has
// acknowledged it. Knows nothing of what the form is about.
"use strict";

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID(); // only there over HTTPS and on localhost
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// The copies in this browser, one a page: IndexedDB, or localStorage where that is refused (private windows, full
// disks). A copy outlives its page until the server has the text.
class Mirror {
  #database;

  // `prefix` names the draft, `page` this opening of it.
  constructor(prefix, page) {
    this.prefix = `draft:${prefix}:`;
    this.key = this.prefix + page;
    this.#database = new Promise((resolve) => {
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

  // The result of `act`, or null where this browser refuses.
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

  async put(record) {
    if ((await this.#run("readwrite", (store) => store.put(record, this.key))) === null) this.putAtOnce(record);
  }

  // The one way that is sure to be done before the page is gone.
  putAtOnce(record) {
    try {
      localStorage.setItem(this.key, JSON.stringify(record));
    } catch { /* full or refused: IndexedDB has what was typed up to a moment ago */ }
  }

  async remove(key = this.key) {
    try {
      localStorage.removeItem(key);
    } catch { /* nothing was kept there */ }
    await this.#run("readwrite", (store) => store.delete(key));
  }

  // What earlier pages left, the newest first, as [key, record].
  async left() {
    const found = new Map();
    const take = (key, record) => {
      if (key === this.key || typeof record?.content !== "object") return;
      if (!(found.get(key)?.at > record.at)) found.set(key, record);
    };
    const range = IDBKeyRange.bound(this.prefix, `${this.prefix}\uffff`);
    const keys = await this.#run("readonly", (store) => store.getAllKeys(range));
    const records = await this.#run("readonly", (store) => store.getAll(range));
    if (Array.isArray(keys) && Array.isArray(records)) keys.forEach((key, index) => take(key, records[index]));
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(this.prefix)) take(key, JSON.parse(localStorage.getItem(key)));
      }
    } catch { /* refused, or not readable */ }
    return [...found].sort(([, one], [, other]) => other.at - one.at);
  }
}

const PAUSE = 800; // milliseconds without a key before a save
const LONGEST = 5_000; // without a save while typing goes on
const PATIENCE = 30_000; // for an answer
const SMALL = 60_000; // characters of a request that a browser still sends for a closed page

// Options: saveUrl, version, name (of the draft, in this browser), read() -> content, and what to do:
// onState(name, detail), onStale(version, content), onAnswer(answer).
class Draft {
  #saved; // the content that the server has acknowledged, as JSON
  #request = null; // the save under way or to be repeated: the same operation until it is answered
  #sending = null; // the promise of the request in flight
  #halted = ""; // "stale" and "closed" wait for a person
  #attempts = 0;
  #since = 0;
  #timer = 0;
  #mirrorTimer = 0;

  constructor(options) {
    Object.assign(this, options);
    this.page = newId();
    this.mirror = new Mirror(options.name, this.page);
    this.orphans = []; // keys of copies that pages before this one left, to be dropped once the server has the text
    this.#saved = this.#text();
    addEventListener("online", () => this.#again());
    addEventListener("focus", () => this.#again());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#keep();
      else this.#again();
    });
    addEventListener("pagehide", () => this.#keep());
    addEventListener("beforeunload", (event) => {
      if (this.isDirty && !this.isLeaving) event.preventDefault();
    });
  }

  #text() {
    return JSON.stringify(this.read());
  }

  get isDirty() {
    return this.#request !== null || this.#text() !== this.#saved;
  }

  // What the server held at `version`: what this page's changes are changes of.
  get base() {
    return JSON.parse(this.#saved);
  }

  get halted() {
    return this.#halted;
  }

  // Something was typed or chosen.
  touch() {
    if (!this.isDirty) return;
    const now = Date.now();
    this.#since ||= now;
    this.#mirrorTimer ||= setTimeout(() => this.#mirrorNow(), 200);
    if (this.#halted) return;
    if (this.#attempts === 0) this.onState("saving");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendOnce(), Math.max(0, Math.min(PAUSE, this.#since + LONGEST - now)));
  }

  // One save after a pause; text typed meanwhile has a timer of its own.
  async #sendOnce() {
    await this.#sending;
    if (this.isDirty && !this.#halted) await this.#start();
  }

  #start() {
    this.#sending ??= this.#send().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  // Saves what is not saved yet. Resolves to whether everything is on the server.
  async save() {
    clearTimeout(this.#timer);
    while (this.isDirty && !this.#halted) {
      const before = this.version;
      // A stale save that could be merged has another version to start from, and is sent again.
      if (!(await this.#start()) && this.version === before) break;
    }
    return !this.isDirty;
  }

  // The server holds this content at this version: after a submission, or once a conflict is decided.
  acknowledge(version, content) {
    this.version = version;
    this.#saved = JSON.stringify(content);
    this.#request = null;
    this.#halted = "";
    this.#attempts = 0;
    if (this.isDirty) this.touch();
    else this.#clean();
  }

  halt(reason) {
    this.#halted = reason;
    clearTimeout(this.#timer);
    this.#mirrorNow();
  }

  async #send() {
    this.#request ??= { operation: newId(), version: this.version, content: this.#text() };
    const { operation, version, content } = this.#request;
    const body = `{"operation": "${operation}", "tab": "${this.page}", "content": ${content}}`;
    if (this.#attempts === 0) this.onState("saving");
    let response, answer;
    try {
      response = await fetch(this.saveUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json", "If-Match": `"${version}"`, "X-CSRFToken": csrfToken() ?? "" },
        body,
        redirect: "error",
        keepalive: body.length < SMALL / 3, // the limit counts bytes, of all requests together
        signal: AbortSignal.timeout(PATIENCE),
      });
      answer = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : null;
    } catch {
      return this.#retryLater();
    }
    return this.#answered(response, answer, content);
  }

  #answered(response, answer, content) {
    if (response.ok && answer) {
      this.version = answer.version;
      this.#saved = content;
      this.#request = null;
      this.#attempts = 0;
      this.#since = 0;
      if (!this.isDirty) this.#clean();
      this.onAnswer(answer);
      return true;
    }
    if (response.status === 401 || (response.status === 403 && !answer)) {
      this.#attempts += 1;
      this.#mirrorNow();
      this.onState("signed-out");
      return false;
    }
    if (!answer || response.status >= 500 || response.status === 429) {
      return this.#retryLater(Number(response.headers.get("Retry-After")) * 1000);
    }
    this.#request = null;
    if (answer.reason === "stale") {
      this.halt("stale");
      this.onState("stale");
      this.onStale(answer.version, answer.content);
    } else if (answer.reason === "refused") {
      this.#mirrorNow();
      this.onState("refused", answer.message);
    } else {
      this.halt("closed");
      this.onState("closed", answer.message);
    }
    return false;
  }

  #retryLater(least = 0) {
    this.#attempts += 1;
    this.#mirrorNow();
    this.onState("offline");
    const pause = Math.min(30_000, 1_000 * 2 ** Math.min(this.#attempts, 6)) * (0.5 + Math.random() / 2);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), Math.max(pause, least || 0));
    return false;
  }

  // The network, the person or the session may be back.
  #again() {
    if (this.isDirty && !this.#halted) this.save();
  }

  // The page may be gone in an instant.
  #keep() {
    if (!this.isDirty) return;
    this.mirror.putAtOnce(this.#record());
    if (!this.#halted) this.save();
  }

  #record() {
    return { at: Date.now(), version: this.version, base: this.base, content: this.read() };
  }

  #mirrorNow() {
    clearTimeout(this.#mirrorTimer);
    this.#mirrorTimer = 0;
    if (this.isDirty) this.mirror.put(this.#record());
  }

  #clean() {
    clearTimeout(this.#mirrorTimer);
    this.#mirrorTimer = 0;
    this.#since = 0;
    this.mirror.remove();
    for (const key of this.orphans.splice(0)) this.mirror.remove(key);
    this.onState("saved");
  }
}
