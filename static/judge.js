// The judging page. The next response lies ready in a <template>: after a key it is simply there, while the verdict is
// on its way. Until the server has it, the new one takes no verdict; if it never gets there, the old one comes back
// with what was written.
"use strict";

(() => {
  const root = document.getElementById("judge");
  if (!root) return;
  // Nobody reads a response in this time: a key that comes sooner was meant for the one before.
  const TOO_SOON = 300;
  const IDLE = 60_000;
  let sending = false;
  let shownAt = 0;
  let seconds = 0;
  let lastSign = performance.now();

  // Time counts while the page is looked at and the reviewer moves.
  const now = () => performance.now();
  for (const sign of ["pointermove", "keydown", "wheel", "touchstart", "scroll"]) {
    document.addEventListener(sign, () => (lastSign = now()), { passive: true, capture: true });
  }
  setInterval(() => {
    if (!document.hidden && now() - lastSign < IDLE) seconds += 1;
  }, 1000);

  const byId = (id) => root.querySelector(`#${id}`);

  function shown() {
    shownAt = now();
    seconds = 0;
    lastSign = now();
    window.scrollTo({ top: 0, behavior: "instant" });
    byId("judge-item")?.querySelector(".judge-question, .judge-done")?.focus({ preventScroll: true });
    byId("judge-item")?.querySelector("[data-continues]")?.focus({ preventScroll: true });
  }

  // Show the response that lies ready; the one that was shown is handed back.
  function advance() {
    const item = byId("judge-item");
    const ready = byId("judge-next");
    const before = [...item.childNodes];
    item.replaceChildren(ready.content.cloneNode(true));
    ready.innerHTML = "";
    shown();
    return before;
  }

  function putIn(text) {
    const answer = new DOMParser().parseFromString(text, "text/html");
    for (const id of ["judge-bar", "judge-next", "judge-item"]) {
      const part = answer.getElementById(id);
      if (!part) continue;
      byId(id).replaceWith(document.importNode(part, true));
      if (id === "judge-item") shown();
    }
  }

  function says(text) {
    const line = document.createElement("p");
    line.className = "notice error";
    line.setAttribute("role", "alert");
    line.textContent = text;
    document.getElementById("notices").replaceChildren(line);
    window.scrollTo({ top: 0, behavior: "instant" });
  }

  // What the server said, or that it said nothing.
  async function refusal(response) {
    if (!response) return "The server did not answer: this verdict is not recorded. Give it again when you are back.";
    if (response.status === 401) return "You are signed out: this verdict is not recorded. Sign in in another tab, then give it again.";
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return page.querySelector(".notice, main p")?.textContent.trim() ?? "The server could not do that. Try again.";
  }

  async function send(form, data) {
    const token = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
    try {
      return await fetch(form.action, {
        method: "POST",
        body: new URLSearchParams(data),
        headers: { "HX-Request": "true", ...(token ? { "X-CSRFToken": token } : {}) },
        redirect: "error",
      });
    } catch {
      return null;
    }
  }

  root.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-judge]");
    if (!form) return;
    event.preventDefault();
    if (sending || (form.dataset.judge === "verdict" && now() - shownAt < TOO_SOON)) return;
    const data = new FormData(form, event.submitter);
    if (data.has("seconds")) data.set("seconds", String(seconds));
    const item = form.closest(".judge-item");
    const ready = byId("judge-next").content.querySelector(".judge-item");
    let before = null;
    const spent = seconds;
    sending = true;
    root.setAttribute("aria-busy", "true");
    document.getElementById("notices").replaceChildren();
    if (item && ready && !("waits" in item.dataset)) {
      data.set("showing", ready.dataset.item);
      before = advance();
    }
    const response = await send(form, data);
    sending = false;
    root.removeAttribute("aria-busy");
    if (response?.ok) {
      kept?.sent(form);
      putIn(await response.text());
      return;
    }
    if (before) {
      const next = byId("judge-item");
      byId("judge-next").content.replaceChildren(...next.childNodes);
      next.replaceChildren(...before);
      seconds = spent;
    }
    says(await refusal(response));
  });

  // "Continue" after a training item: the next one lies ready.
  root.addEventListener("click", (event) => {
    const link = event.target.closest("[data-continues]");
    if (!link || !byId("judge-next").content.querySelector(".judge-item")) return;
    event.preventDefault();
    advance();
  });

  shownAt = now();
})();
