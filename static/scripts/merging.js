// Annotations of one tag side by side: keys to take one or write, how much is decided, and the choices kept in this
// browser until the merge is accepted. Without this script the form is sent just the same.
import { all, around, focused, formOf, maybe, one, targetOf, type } from "./dom.js";
import { isTyping, mayKeyAct } from "./keys.js";
import * as storage from "./storage.js";
import { say } from "./text/say.js";

/** @typedef {import("./dom.js").TextField} TextField */

const MONTH = 30 * 24 * 3600 * 1000;

class Merging {
  #form;
  #kept;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    const versions = all("input[name^='version:']", form, HTMLInputElement).map(({ name, value }) => `${name}=${value}`);
    this.#kept = `merge:${document.body.dataset.person}:${versions.join()}`;
    this.#putBack();
    form.addEventListener("change", (event) => this.#onChange(event));
    form.addEventListener("focusin", (event) => this.#setCursor(around(targetOf(event), "[data-part]")));
    form.addEventListener("click", (event) => this.#onClick(event));
    document.addEventListener("keydown", (event) => this.#onKey(event));
    this.#tell();
    maybe("#problems")?.focus();
  }

  get #parts() {
    return all("[data-part]", this.#form).filter((part) => !part.closest("[hidden], details:not([open])"));
  }

  get #cursor() {
    return maybe(".at-cursor", this.#form);
  }

  get #undecided() {
    return this.#parts.filter((part) => !isDecided(part));
  }

  /** @param {HTMLElement | null} part */
  #setCursor(part) {
    if (!part) return;
    this.#cursor?.classList.remove("at-cursor");
    part.classList.add("at-cursor");
  }

  /** @param {HTMLElement | undefined} part */
  #goTo(part) {
    const target = part ?? one("button[type=submit]", this.#form);
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "nearest" });
    if (part) this.#setCursor(part);
  }

  // From the part at hand on; from the top once there is none further down.
  #next() {
    const at = this.#cursor ? this.#parts.indexOf(this.#cursor) : -1;
    const left = this.#undecided;
    this.#goTo(left.find((part) => this.#parts.indexOf(part) > at) ?? left[0]);
  }

  /** @param {number} by */
  #step(by) {
    const at = this.#cursor ? this.#parts.indexOf(this.#cursor) : -1;
    this.#goTo(this.#parts[Math.min(Math.max(at + by, 0), this.#parts.length - 1)]);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const target = targetOf(event);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && formOf(target) === this.#form) {
      event.preventDefault();
      this.#form.requestSubmit();
    } else if (event.key === "Escape" && isTyping(target) && !event.isComposing) {
      const part = around(target, "[data-part]");
      if (part) this.#goTo(part);
    } else if (event.key === "Enter" && target.matches("[data-part] input") && !event.isComposing) {
      event.preventDefault(); // it would send the form
      this.#next();
    } else if (mayKeyAct(event) && this.#act(event.key)) {
      event.preventDefault();
    }
  }

  /**
   * @param {string} key
   * @returns {boolean} whether it means something here
   */
  #act(key) {
    if (key === "Enter" && focused().closest("button, a")) return false;
    if (key === "Enter") this.#next();
    else if (key === "j" || key === "k") this.#step(key === "j" ? 1 : -1);
    else if (/^[1-9]$/.test(key)) return this.#take(key);
    else if (key === "e" && this.#cursor) one("[data-own]", this.#cursor).click();
    else return false;
    return true;
  }

  /** @param {string} digit */
  #take(digit) {
    const part = this.#cursor ?? this.#undecided[0];
    const radio = part && maybe(`[data-digit="${digit}"]`, part);
    if (!part || !radio) return false;
    radio.click();
    this.#goTo(part);
    return true;
  }

  /** @param {Event} event */
  #onClick(event) {
    const button = around(targetOf(event), "[data-takes-rest]");
    if (!button) return;
    for (const part of this.#undecided) {
      const radio = maybe(`input[type=radio][value="${button.dataset.takesRest}"]`, part, HTMLInputElement);
      if (radio) radio.checked = true;
    }
    this.#changed();
    one("button[type=submit]", this.#form).focus();
  }

  /** @param {Event} event */
  #onChange(event) {
    const control = targetOf(event);
    const part = around(control, "[data-part]");
    if (part && control.matches("[data-own]")) beginOwn(part);
    else if (part && control instanceof HTMLInputElement && control.type === "radio") part.dataset.taken = control.value;
    this.#changed();
  }

  #changed() {
    storage.write(this.#kept, { at: Date.now(), choices: Object.fromEntries(this.#chosen()) });
    this.#tell();
  }

  /** @returns {[string, string][]} */
  #chosen() {
    return all("input[type=radio]:checked", this.#form, HTMLInputElement).map(({ name, value }) => [name, value]);
  }

  #putBack() {
    for (const key of storage.keys("merge:")) {
      if (Date.now() - (storage.read(key)?.at ?? 0) > MONTH) storage.remove(key);
    }
    if (maybe("#problems")) return; // the server has sent the choices back
    for (const [name, value] of Object.entries(storage.read(this.#kept)?.choices ?? {})) {
      const radio = maybe(`input[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`, this.#form, HTMLInputElement);
      if (radio) radio.checked = true;
    }
  }

  #tell() {
    const isInvalid = maybe("[data-invalid]:checked", this.#form) !== null;
    for (const step of all("[data-merge-step]", this.#form)) step.hidden = isInvalid && step.dataset.mergeStep !== "1";
    const parts = this.#parts.filter((part) => maybe("[data-digit]", part));
    const left = parts.filter((part) => !isDecided(part)).length;
    const words = left ? say("{done} of {count} decided", { done: parts.length - left, count: parts.length }) : say("All {count} decided", { count: parts.length });
    one("[data-merge-said]", this.#form).textContent = parts.length ? words : say("All parts are alike");
    for (const button of all("[data-takes-rest]", this.#form)) button.hidden = left === 0;
  }
}

/** @param {HTMLElement} part */
function isDecided(part) {
  return maybe("input[type=radio]:checked", part) !== null;
}

/**
 * Opens the part for writing. What was taken before is what is changed, unless something is written already.
 * @param {HTMLElement} part
 */
function beginOwn(part) {
  const fields = /** @type {TextField[]} */ (all("textarea", part));
  const taken = maybe(`input[type=radio][value="${part.dataset.taken}"]`, part);
  const texts = taken ? all("[data-text]", around(taken, "label") ?? part) : [];
  if (texts.length === fields.length && fields.every((field) => field.value === field.defaultValue)) {
    for (const [at, field] of fields.entries()) type(field, texts[at].textContent ?? "");
  }
  maybe(".merge-editor :is(textarea, select, input)", part)?.focus();
}

for (const form of all("#merge", document, HTMLFormElement)) new Merging(form);
