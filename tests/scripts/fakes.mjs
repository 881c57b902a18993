// What a browser has and Node has not, as far as the scripts under test use it; and a server that answers as told.
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto; // global only from Node 19 on

/** Stands in for the window, the document and its stores until the test ends. */
export function browser(t) {
  const page = new EventTarget();
  const store = new Map();
  const localStorage = Object.create(null, {
    getItem: { value: (key) => store.get(key) ?? null },
    setItem: {
      value(key, value) {
        store.set(key, value);
        Object.defineProperty(localStorage, key, { value, enumerable: true, configurable: true });
      },
    },
    removeItem: {
      value(key) {
        store.delete(key);
        delete localStorage[key];
      },
    },
  });
  const document = Object.assign(new EventTarget(), { cookie: "a=1; csrftoken=token-1", visibilityState: "visible" });
  stub(t, {
    document,
    localStorage,
    addEventListener: page.addEventListener.bind(page),
    dispatchEvent: page.dispatchEvent.bind(page),
    // Refused, as in a private window: copies go to localStorage.
    indexedDB: { open() { throw new Error("refused"); } },
    IDBKeyRange: { bound: () => null },
  });
  return { page, document, store };
}

/** Answers each request with the next of `answers`: a response, an error to reject with, or a function of the request. */
export function server(t, answers) {
  const requests = [];
  stub(t, {
    fetch: async (address, options) => {
      requests.push({ address, ...options, sent: options.headers["Content-Type"].endsWith("json") ? JSON.parse(options.body) : options.body });
      let answer = answers.shift();
      if (typeof answer === "function") answer = await answer(requests.at(-1));
      if (!answer) throw new Error("one request too many");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return requests;
}

export function json(status, content, headers = {}) {
  return new Response(JSON.stringify(content), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function html(status, source, headers = {}) {
  return new Response(source, { status, headers: { "Content-Type": "text/html", ...headers } });
}

/** Timers that fire when the test says so. */
export function timers(t) {
  let now = 1_000_000;
  let last = 0;
  const waiting = new Map();
  stub(t, {
    setTimeout: (act, after = 0) => {
      last += 1;
      waiting.set(last, { act, at: now + after });
      return last;
    },
    clearTimeout: (id) => waiting.delete(id),
    Date: class extends Date { static now() { return now; } },
  });
  const idle = () => new Promise((resolve) => { setImmediate(resolve); });
  return {
    async pass(milliseconds) {
      const until = now + milliseconds;
      for (;;) {
        await idle();
        const [id, due] = [...waiting].sort(([, one], [, other]) => one.at - other.at)[0] ?? [];
        if (!due || due.at > until) break;
        waiting.delete(id);
        now = Math.max(now, due.at);
        due.act();
      }
      now = until;
    },
    idle,
    /** Milliseconds until the next timer fires. */
    get next() {
      return Math.min(...[...waiting.values()].map(({ at }) => at)) - now;
    },
  };
}

export function stub(t, values) {
  for (const [name, value] of Object.entries(values)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.after(() => (before ? Object.defineProperty(globalThis, name, before) : delete globalThis[name]));
  }
}
