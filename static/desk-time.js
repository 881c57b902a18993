// Active time on each step. After a minute without a sign of life nothing is counted. The page sends totals of its
// own, so that a message that comes twice counts once.
"use strict";

const IDLE = 60_000;
const SEND_EVERY = 20_000;

class ActiveTime {
  #seconds = {};
  #last = Date.now(); // the last sign of life
  #counted = Date.now();
  #step = 1;
  #sent = "";

  constructor(desk) {
    this.desk = desk;
    this.address = desk.element.dataset.time;
    this.before = Number(desk.element.dataset.seconds);
    this.shown = document.getElementById("active-time");
    for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "touchmove", "scroll"]) {
      document.addEventListener(name, () => this.#alive(), { capture: true, passive: true });
    }
    document.addEventListener("focusin", (event) => {
      const step = event.target.closest("[data-step]")?.dataset.step;
      if (!step) return;
      this.#count();
      this.#step = Number(step);
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") {
        this.#count();
        this.send();
      } else {
        this.#counted = this.#last = Date.now();
      }
    });
    addEventListener("pagehide", () => this.send());
    setInterval(() => this.#tick(), 1_000);
    setInterval(() => this.send(), SEND_EVERY);
    this.#tick();
  }

  #alive() {
    const now = Date.now();
    this.#count(now);
    this.#last = now;
  }

  // The time since it was last counted, as far as it lies within a minute of a sign of life.
  #count(now = Date.now()) {
    const until = Math.min(now, this.#last + IDLE);
    if (document.visibilityState === "visible" && until > this.#counted) {
      this.#seconds[this.#step] = (this.#seconds[this.#step] ?? 0) + (until - this.#counted) / 1_000;
    }
    this.#counted = now;
  }

  get total() {
    return Object.values(this.#seconds).reduce((sum, seconds) => sum + seconds, 0);
  }

  #tick() {
    this.#count();
    const minutes = Math.floor((this.before + this.total) / 60);
    const said = minutes < 1 ? "under a minute" : `${minutes} min`;
    if (this.shown.textContent !== said) this.shown.textContent = said;
  }

  send() {
    this.#count();
    const seconds = Object.fromEntries(Object.entries(this.#seconds).map(([step, value]) => [step, Math.round(value)]));
    const body = JSON.stringify({ page: this.desk.draft.page, seconds });
    if (body === this.#sent || !Object.values(seconds).some(Boolean)) return Promise.resolve();
    return fetch(this.address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() ?? "" },
      body,
      keepalive: true,
    }).then((response) => { if (response.ok) this.#sent = body; }, () => { /* the next one says it all again */ });
  }
}
