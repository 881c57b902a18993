// Comments: the list opens below its field on the desk and closes again; names are put in with a click.
"use strict";

// As if it were typed, so that it is kept.
function put(field, text) {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

class FieldComments {
  constructor(form) {
    this.form = form;
    this.whole = document.getElementById("comment-whole");
    document.addEventListener("click", (event) => this.#onClick(event));
    document.addEventListener("keydown", (event) => this.#onKey(event));
    // Kept with the mark: where a question is removed, those after it change their number and keep their comments.
    this.counts = new WeakMap(this.marks.map((mark) => [mark, this.#count(mark)]));
    const questions = document.getElementById("questions");
    if (questions) new MutationObserver(() => this.#recount()).observe(questions, { childList: true });
    const wanted = new URLSearchParams(location.search).get("comments");
    if (wanted !== null) this.openField(wanted);
  }

  get marks() {
    return [...document.querySelectorAll("#desk-form a.comment-mark, #comment-whole a.comment-mark")];
  }

  // The box that holds the field's label, its control and its mark.
  #box(mark) {
    return mark.closest(".field, fieldset:not(.question, .plain), #comment-whole");
  }

  // Read from the control: questions are renumbered while they are written.
  #field(mark) {
    const box = this.#box(mark);
    return box === this.whole ? "" : box.querySelector("[data-label][name]")?.name ?? "";
  }

  #panel(box) {
    return box.id === "comment-whole" ? box.nextElementSibling : box.querySelector(":scope > .comments-panel");
  }

  #onClick(event) {
    const { target } = event;
    const mark = target.closest("a.comment-mark");
    const link = target.closest("[data-opens-comments]");
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (mark && this.marks.includes(mark)) {
      event.preventDefault();
      this.toggle(mark);
    } else if (link) {
      event.preventDefault();
      this.openField(link.dataset.opensComments);
      link.closest("li").remove();
    } else if (target.closest("[data-closes-comments]")) {
      this.close(target.closest(".comments-panel"));
    } else if (target.closest("[data-asks]")) {
      const button = target.closest("[data-asks]");
      this.#ask(button.dataset.asks, button.closest(".comment-form").querySelector("textarea"));
    }
  }

  #onKey(event) {
    if (event.defaultPrevented || isDialogOpen()) return;
    const panel = event.target.closest?.(".comments-panel");
    if (event.key === "Escape") {
      const left = panel ?? (isTyping(event.target) ? null : boxInWriting());
      if (!left?.matches(".comments-panel")) return;
      event.preventDefault();
      this.close(left);
    } else if (panel && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      // Before the desk takes it for submitting the tag.
      event.preventDefault();
      event.target.closest(".comment-form")?.querySelector("[data-sends]").click();
    } else if (event.altKey && !event.ctrlKey && event.code === "KeyC") {
      event.preventDefault();
      if (panel) this.close(panel);
      else this.toggle(this.#markAtHand());
    } else if (event.altKey && !event.ctrlKey && event.code === "KeyW") {
      event.preventDefault();
      this.#ask(this.#field(this.#markAtHand()));
    }
  }

  #markAtHand() {
    const box = document.activeElement.closest("#desk-form .field, #desk-form fieldset:not(.question, .plain)");
    return box?.querySelector("a.comment-mark") ?? this.whole.querySelector("a.comment-mark");
  }

  toggle(mark) {
    const panel = this.#panel(this.#box(mark));
    if (panel?.matches(".comments-panel")) this.close(panel);
    else this.open(mark);
  }

  openField(field) {
    const mark = this.marks.find((one) => this.#field(one) === field) ?? this.marks.at(-1);
    const step = mark.closest("[data-step]");
    if (step) step.open = true;
    const panel = this.#panel(this.#box(mark));
    if (panel?.matches(".comments-panel")) panel.focus();
    else this.open(mark);
  }

  async open(mark) {
    for (const other of document.querySelectorAll(".comments-panel")) {
      if (![...other.querySelectorAll("textarea")].some((text) => text.value.trim())) this.close(other, { focus: false });
    }
    const box = this.#box(mark);
    const field = this.#field(mark);
    const panel = document.createElement("div");
    panel.className = "comments-panel";
    panel.tabIndex = -1;
    panel.dataset.writing = "";
    panel.came = document.activeElement;
    panel.mark = mark;
    if (box === this.whole) box.after(panel);
    else box.append(panel);
    mark.setAttribute("aria-expanded", "true");
    // What the field holds now is what the comment will be about.
    await window.desk?.draft.save();
    const address = `${mark.pathname}?${new URLSearchParams({ field, inline: "1" })}`;
    // Its buttons do something only from then on.
    const isReady = new Promise((resolve) => {
      panel.addEventListener("htmx:afterSettle", resolve, { once: true });
    });
    try {
      await htmx.ajax("GET", address, { target: panel, swap: "innerHTML" });
    } catch { /* the page says that the server did not answer */ }
    const list = panel.querySelector(".comments");
    if (!list) return this.close(panel);
    await isReady;
    if (!panel.isConnected) return;
    this.#changed(panel);
    list.querySelector(list.dataset.threads === "0" ? "textarea" : ".thread").focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
  }

  close(panel, { focus = true } = {}) {
    panel.mark.removeAttribute("aria-expanded");
    panel.remove();
    if (!focus) return;
    const back = panel.came?.isConnected && panel.came !== document.body ? panel.came : panel.mark;
    back.focus({ preventScroll: true });
  }

  // The fragment came anew: the mark tells how many there are.
  #changed(panel) {
    const list = panel.querySelector(".comments");
    if (!list) return;
    this.counts.set(panel.mark, { threads: Number(list.dataset.threads), open: Number(list.dataset.open) });
    this.#show(panel.mark);
  }

  swapped(target) {
    const panel = target.closest?.(".comments-panel");
    if (panel) this.#changed(panel);
  }

  #count(mark) {
    const shown = mark.querySelector("[data-comment-count]").textContent;
    const has = mark.classList.contains("has-threads");
    const [, threads] = /: (\d+),/.exec(mark.getAttribute("aria-label")) ?? [];
    return { threads: has ? Number(threads ?? 1) : 0, open: Number(shown) || 0 };
  }

  // The names of questions have changed.
  #recount() {
    for (const mark of document.querySelectorAll("#questions a.comment-mark")) this.#show(mark);
  }

  #show(mark) {
    const field = this.#field(mark);
    const { threads, open } = this.counts.get(mark) ?? { threads: 0, open: 0 };
    const label = this.#box(mark).querySelector("[data-label]")?.dataset.label ?? "the annotation as a whole";
    mark.classList.toggle("has-threads", threads > 0);
    mark.querySelector("[data-comment-count]").textContent = threads ? open || "✓" : "";
    mark.setAttribute("aria-label", `Comments on ${label}: ${threads ? `${threads}, ${open} open` : "none"}`);
    if (field) mark.tabIndex = threads ? 0 : -1;
  }

  // What was begun as a comment moves into the question.
  #ask(field, comment) {
    const dialog = document.getElementById("ask-dialog");
    const opener = document.querySelector("[data-dialog=ask-dialog]");
    if (!dialog || !opener) return;
    opener.click();
    const about = dialog.querySelector("select[name=field]");
    about.value = [...about.options].some((option) => option.value === field) ? field : "";
    const question = dialog.querySelector("textarea");
    if (comment?.value.trim()) {
      put(question, comment.value);
      put(comment, "");
    }
    question.focus();
  }
}

const fieldComments = document.getElementById("comment-whole") && new FieldComments(document.getElementById("desk-form"));

// A refused comment comes back with what was typed, and why: shown in the panel, not as a failure of the page.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, target } = event.detail;
  if (![400, 409].includes(xhr.status) || !target.matches?.(".comments")) return;
  if (!xhr.responseText.includes('class="comments"')) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});
document.addEventListener("htmx:afterSettle", (event) => fieldComments?.swapped(event.target));

// A name is put in where the cursor is in the text.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-mentions]");
  if (!button) return;
  const text = button.closest(".comment-form").querySelector("textarea");
  const before = text.value.slice(0, text.selectionEnd);
  const name = `${before && !/\s$/.test(before) ? " " : ""}@${button.dataset.mentions} `;
  text.setRangeText(name, text.selectionEnd, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
});
