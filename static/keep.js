// Text that a person types into a message, a comment, a reason: kept in this browser from the first letter until the
// server has accepted it, apart for each person and each thing. The form of the desk is no part of this: its draft is on
// the server. Kept in localStorage, not IndexedDB: these texts are short, and a write is done before the next key, so
// that no closing page can be quicker.
//
// Every <textarea> of a form is kept under the address that the form is sent to, and so is each field marked data-keep;
// data-keep="thread" names the thing where the address does not.
"use strict";

class Kept {
  #isRefused = false; // what was typed last could not be kept

  constructor(person) {
    this.prefix = `kept:${person}:`;
    document.addEventListener("input", (event) => this.#typed(event.target));
    document.addEventListener("submit", (event) => this.#sending(event));
    // A fragment that is sent by htmx: accepted, or refused and shown again.
    document.addEventListener("htmx:beforeSwap", (event) => {
      const { xhr, requestConfig } = event.detail;
      if (xhr.status < 300 && requestConfig.verb === "post") this.sent(this.#sentBy(requestConfig));
    });
    addEventListener("pageshow", () => this.#acknowledge());
    addEventListener("beforeunload", (event) => {
      if (this.#isRefused) event.preventDefault();
    });
    this.#acknowledge();
    this.restore(document);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) this.restore(node);
      }
    }).observe(document.body, { childList: true, subtree: true });
  }

  fields(root) {
    const found = root.querySelectorAll("textarea, input[data-keep]");
    return [...found].filter((field) => this.#key(field) !== null);
  }

  #key(field) {
    if (!field.name || field.hidden || field.readOnly || field.disabled) return null;
    let thread = field.dataset.keep;
    if (!thread) {
      if (!field.form || field.form.method !== "post" || field.form.id === "desk-form") return null;
      thread = new URL(field.form.getAttribute("action") || location.pathname, location).pathname;
    }
    return `${this.prefix}${thread}:${field.name}`;
  }

  #read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  #remove(key) {
    try {
      localStorage.removeItem(key);
    } catch { /* nothing is kept where that is refused */ }
  }

  #typed(field) {
    if (!field.matches?.("textarea, input[data-keep]")) return;
    const key = this.#key(field);
    if (key === null) return;
    if (!field.value && !field.defaultValue) {
      this.#remove(key);
      this.#isRefused = false;
      return;
    }
    try {
      localStorage.setItem(key, JSON.stringify({ text: field.value, at: Date.now() }));
      this.#isRefused = false;
    } catch {
      this.#isRefused = true; // full, or refused: leaving the page asks first
    }
  }

  restore(root) {
    for (const field of this.fields(root)) {
      const record = this.#read(this.#key(field));
      if (typeof record?.text !== "string" || record.text === field.value || field.value !== field.defaultValue) continue;
      field.value = record.text;
      const fold = field.closest("details");
      if (fold) fold.open = true;
      this.#tell(field, record.at);
    }
  }

  #tell(field, at) {
    const line = document.createElement("p");
    line.className = "kept small";
    line.setAttribute("role", "status");
    line.append(`Not sent yet: this browser kept what you typed (${new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}). `);
    const discard = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: "Discard it" });
    discard.addEventListener("click", () => {
      field.value = field.defaultValue;
      this.#remove(this.#key(field));
      line.remove();
      field.focus();
    });
    line.append(discard);
    (field.closest("label, .suggest-why") ?? field).after(line);
  }

  // The server has what stands in these fields of `form`.
  sent(form) {
    if (!form) return;
    for (const field of this.fields(form)) this.#remove(this.#key(field));
    for (const line of form.querySelectorAll("p.kept")) line.remove();
    this.#isRefused = false;
  }

  // The form whose own request this was; not one that merely shows a preview of what is typed.
  #sentBy({ elt, path }) {
    const form = elt.closest("form");
    if (elt.matches("[data-sends]")) return elt.closest(".comment-form");
    const pathOf = (address) => new URL(address, location).pathname;
    return form && elt === form && pathOf(path) === pathOf(form.getAttribute("action") || location.pathname) ? form : null;
  }

  // A form that leaves the page takes a number along. The answer to an accepted one, and to no other, is a redirect with
  // a cookie of this number: whichever page comes next then drops the copies.
  #sending(event) {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    const texts = this.fields(form).map((field) => [this.#key(field), field.value]).filter(([, text]) => text);
    if (!texts.length) return;
    const number = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    try {
      localStorage.setItem(`kept-sent:${number}`, JSON.stringify(texts));
    } catch {
      return;
    }
    const field = form.querySelector("input[name=kept_number]") ?? document.createElement("input");
    Object.assign(field, { type: "hidden", name: "kept_number", value: number });
    form.append(field);
    this.#isRefused = false;
  }

  #acknowledge() {
    for (const [, number] of document.cookie.matchAll(/(?:^|; )kept-([0-9a-f]{32})=/g)) {
      for (const [key, text] of this.#read(`kept-sent:${number}`) ?? []) {
        // Another tab may have begun anew.
        if (this.#read(key)?.text === text) this.#remove(key);
      }
      document.cookie = `kept-${number}=; path=/; max-age=0; samesite=lax`;
    }
    this.#forgetSent();
  }

  // What was sent need not be known any more once none of its texts is kept: it was accepted, now or another time.
  #forgetSent() {
    let keys = [];
    try {
      keys = Object.keys(localStorage).filter((key) => key.startsWith("kept-sent:"));
    } catch { /* nothing is kept where that is refused */ }
    for (const sent of keys) {
      if (!(this.#read(sent) ?? []).some(([key]) => this.#read(key))) this.#remove(sent);
    }
  }
}

// Nobody is signed in on a page without a person: nothing is kept there.
const kept = document.body.dataset.person ? new Kept(document.body.dataset.person) : null;
