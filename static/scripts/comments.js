// Comments: the list opens and closes below its field on the desk, and a click inserts a name.
import { isDialogOpen } from "./dialogs.js";
import { all, around, focused, maybe, make, one, onHtmx, targetOf, type, unfold } from "./dom.js";
import { boxInWriting, isTyping, keyWithAlt } from "./keys.js";
import { say } from "./text/say.js";
import { whileHere } from "./visit.js";

/**
 * Sets up reading and writing comments on this page.
 * @param {{ save?: () => Promise<unknown> }} [options] `save`: called before comments are shown, so that they
 *   refer to what the fields hold now
 */
export function startComments({ save = async () => {} } = {}) {
  const signal = whileHere();
  const fieldComments = document.getElementById("comment-whole") && new FieldComments(save);
  onHtmx("htmx:afterSettle", (event) => fieldComments?.swapped(targetOf(event)), document, signal);
  // A refused comment comes back with its text and the reason: shown among the comments, not as an error of the page.
  onHtmx("htmx:beforeSwap", ({ detail }) => {
    const { xhr, target } = detail;
    if (![400, 409].includes(xhr.status) || !target.matches(".comments")) return;
    if (!xhr.responseText.includes('class="comments"')) return;
    detail.shouldSwap = true;
    detail.isError = false;
  }, document, signal);
  document.addEventListener("click", (event) => {
    const button = around(targetOf(event), "[data-mentions]");
    if (button) mention(button);
  }, { signal });
  document.addEventListener("input", (event) => offerNames(targetOf(event)), { signal });
  document.addEventListener("keydown", (event) => {
    const first = event.key === "Tab" && !event.shiftKey && begunIn(targetOf(event)) !== null && offered(targetOf(event))[0];
    if (!first) return;
    event.preventDefault();
    mention(first);
  }, { signal });
}

/**
 * @param {HTMLElement} field
 * @returns {string | null} the name that is being typed after an @, in lower case
 */
function begunIn(field) {
  if (!(field instanceof HTMLTextAreaElement && field.matches(".comment-form > textarea"))) return null;
  const [, begun] = /(?:^|\s)@([\w.+-]*)$/.exec(field.value.slice(0, field.selectionEnd)) ?? [];
  return begun?.toLowerCase() ?? null;
}

/**
 * @param {HTMLElement} field A comment's text
 * @returns {HTMLElement[]} the names that continue what is typed
 */
function offered(field) {
  const begun = begunIn(field) ?? "";
  const names = all("[data-mentions]", around(field, ".comment-form") ?? undefined);
  /** @param {HTMLElement} name */
  const wordsOf = (name) => (around(name, "li")?.textContent ?? "").toLowerCase().split(/[\s@()]+/);
  return names.filter((name) => wordsOf(name).some((word) => word.startsWith(begun)));
}

/**
 * While a name is typed after an @, the list of people is open and shows those whose names begin so.
 * @param {HTMLElement} field
 */
function offerNames(field) {
  const list = maybe(".mentionable", around(field, ".comment-form") ?? undefined, HTMLDetailsElement);
  if (!list || !field.matches(".comment-form > textarea")) return;
  const isBegun = begunIn(field) !== null;
  const shown = isBegun ? offered(field) : all("[data-mentions]", list);
  if (isBegun) list.open = shown.length > 0;
  for (const name of all("[data-mentions]", list)) around(name, "li")?.toggleAttribute("hidden", !shown.includes(name));
}

/**
 * Inserts a name at the cursor, or completes the one that is being typed.
 * @param {HTMLElement} button
 */
function mention(button) {
  const text = textOf(button);
  const begun = begunIn(text);
  const start = text.selectionEnd - (begun === null ? 0 : begun.length + 1);
  const before = text.value.slice(0, start);
  const name = `${before && !/\s$/.test(before) ? " " : ""}@${button.dataset.mentions} `;
  text.setRangeText(name, start, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}

/**
 * @param {HTMLElement} button
 * @returns {HTMLTextAreaElement} the text of the comment form that it belongs to
 */
function textOf(button) {
  return one("textarea", around(button, ".comment-form") ?? undefined, HTMLTextAreaElement);
}

class FieldComments {
  #whole = one("#comment-whole");
  /**
   * The number of threads of a field. Stored by mark, since questions after a removed one change their number and keep
   * their comments.
   * @type {WeakMap<HTMLElement, { threads: number, open: number }>}
   */
  #counts = new WeakMap();
  /**
   * For each open panel its mark, and the element that had the focus before.
   * @type {WeakMap<HTMLElement, { mark: HTMLElement, came: HTMLElement }>}
   */
  #opened = new WeakMap();
  #save;

  /** @param {() => Promise<unknown>} save */
  constructor(save) {
    this.#save = save;
    document.addEventListener("click", (event) => this.#onClick(event), { signal: whileHere() });
    document.addEventListener("keydown", (event) => this.#onKey(event), { signal: whileHere() });
    for (const mark of this.#marks) this.#counts.set(mark, shownCount(mark));
    const questions = document.getElementById("questions");
    if (questions) new MutationObserver(() => this.#recount()).observe(questions, { childList: true });
    const wanted = new URLSearchParams(location.search).get("comments");
    if (wanted !== null) this.#openField(wanted);
  }

  get #marks() {
    return all("#desk-form a.comment-mark, #comment-whole a.comment-mark", document, HTMLAnchorElement);
  }

  /**
   * The box that holds the field's label, its control and its mark.
   * @param {HTMLElement} mark
   * @returns {HTMLElement}
   */
  #box(mark) {
    return around(mark, ".field, fieldset:not(.question, .plain), #comment-whole") ?? this.#whole;
  }

  /**
   * Read from the control: questions are renumbered while they are written.
   * @param {HTMLElement} mark
   * @returns {string} "" for the annotation as a whole
   */
  #field(mark) {
    const box = this.#box(mark);
    return box === this.#whole ? "" : maybe("[data-label][name]", box)?.getAttribute("name") ?? "";
  }

  /**
   * @param {HTMLElement} mark
   * @returns {HTMLElement | null}
   */
  #panel(mark) {
    const box = this.#box(mark);
    const panel = box === this.#whole ? box.nextElementSibling : box.querySelector(":scope > .comments-panel");
    return panel instanceof HTMLElement && panel.matches(".comments-panel") ? panel : null;
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = targetOf(event);
    const mark = around(target, "a.comment-mark", HTMLAnchorElement);
    const link = around(target, "[data-opens-comments]");
    const asks = around(target, "[data-asks]");
    const panel = around(target, ".comments-panel");
    if (mark && this.#marks.includes(mark)) {
      event.preventDefault();
      this.#toggle(mark);
    } else if (link) {
      event.preventDefault();
      this.#openField(link.dataset.opensComments ?? "");
      link.closest("li")?.remove();
    } else if (panel && target.closest("[data-closes-comments]")) {
      this.#close(panel);
    } else if (asks) {
      ask(asks.dataset.asks ?? "", textOf(asks));
    }
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return;
    const target = targetOf(event);
    const panel = around(target, ".comments-panel");
    if (event.key === "Escape") {
      const left = panel ?? (isTyping(target) ? null : boxInWriting());
      if (!left?.matches(".comments-panel")) return;
      event.preventDefault();
      this.#close(left);
    } else if (panel && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      // Before the desk submits the tag on this key.
      event.preventDefault();
      const form = around(target, ".comment-form");
      if (form) one("[data-sends]", form).click();
    } else if (keyWithAlt(event) === "KeyC") {
      event.preventDefault();
      if (panel) this.#close(panel);
      else this.#toggle(this.#markAtHand());
    } else if (keyWithAlt(event) === "KeyW") {
      event.preventDefault();
      ask(this.#field(this.#markAtHand()));
    }
  }

  /** @returns {HTMLAnchorElement} the mark of the field that has the focus, or of the whole annotation */
  #markAtHand() {
    const box = focused().closest("#desk-form .field, #desk-form fieldset:not(.question, .plain)");
    return (box && maybe("a.comment-mark", box, HTMLAnchorElement)) ?? one("a.comment-mark", this.#whole, HTMLAnchorElement);
  }

  /** @param {HTMLAnchorElement} mark */
  #toggle(mark) {
    const panel = this.#panel(mark);
    if (panel) this.#close(panel);
    else this.#open(mark);
  }

  /** @param {string} field */
  #openField(field) {
    const mark = this.#marks.find((each) => this.#field(each) === field) ?? this.#marks.at(-1);
    if (!mark) return;
    unfold(mark, "details[data-step]");
    const panel = this.#panel(mark);
    if (panel) panel.focus();
    else this.#open(mark);
  }

  /** @param {HTMLAnchorElement} mark */
  async #open(mark) {
    for (const other of all(".comments-panel")) {
      const isBlank = all("textarea", other, HTMLTextAreaElement).every((text) => !text.value.trim());
      if (isBlank) this.#close(other, { focus: false });
    }
    const box = this.#box(mark);
    const words = selectedIn(box);
    const panel = make("div", { className: "comments-panel", tabIndex: -1 });
    panel.dataset.writing = "";
    this.#opened.set(panel, { mark, came: focused() });
    if (box === this.#whole) box.after(panel);
    else box.append(panel);
    mark.setAttribute("aria-expanded", "true");
    await this.#fill(panel, mark);
    const list = maybe(".comments", panel);
    if (!list) {
      this.#close(panel);
    } else if (panel.isConnected) {
      this.#changed(panel);
      if (words) quote(panel, words);
      one(words || list.dataset.threads === "0" ? "textarea" : ".thread", list).focus({ preventScroll: true });
      panel.scrollIntoView({ block: "nearest" });
    }
  }

  /**
   * Resolves once the comments are shown and their buttons work, or the page says that the server did not answer.
   * @param {HTMLElement} panel
   * @param {HTMLAnchorElement} mark
   */
  async #fill(panel, mark) {
    const address = `${mark.pathname}?${new URLSearchParams({ field: this.#field(mark), inline: "1" })}`;
    await this.#save();
    const isReady = new Promise((resolve) => {
      panel.addEventListener("htmx:afterSettle", resolve, { once: true });
    });
    try {
      await htmx.ajax("GET", address, { target: panel, swap: "innerHTML" });
    } catch {
      return;
    }
    if (panel.querySelector(".comments")) await isReady;
  }

  /**
   * @param {HTMLElement} panel
   * @param {{ focus?: boolean }} [options]
   */
  #close(panel, { focus = true } = {}) {
    const opened = this.#opened.get(panel);
    opened?.mark.removeAttribute("aria-expanded");
    panel.remove();
    if (!focus || !opened) return;
    const { came, mark } = opened;
    (came.isConnected && came !== document.body ? came : mark).focus({ preventScroll: true });
  }

  /**
   * The fragment was loaded again: the mark shows how many comments there are.
   * @param {HTMLElement} panel
   */
  #changed(panel) {
    const list = maybe(".comments", panel);
    const mark = this.#opened.get(panel)?.mark;
    if (!list || !mark) return;
    this.#counts.set(mark, { threads: Number(list.dataset.threads), open: Number(list.dataset.open) });
    this.#show(mark);
  }

  /**
   * htmx has put something into the page.
   * @param {HTMLElement} target
   */
  swapped(target) {
    const panel = around(target, ".comments-panel");
    if (panel) this.#changed(panel);
  }

  // The names of questions have changed.
  #recount() {
    for (const mark of all("#questions a.comment-mark")) this.#show(mark);
  }

  /** @param {HTMLElement} mark */
  #show(mark) {
    const { threads, open } = this.#counts.get(mark) ?? { threads: 0, open: 0 };
    const label = maybe("[data-label]", this.#box(mark))?.dataset.label ?? say("the annotation as a whole");
    mark.classList.toggle("has-threads", threads > 0);
    one("[data-comment-count]", mark).textContent = threads ? String(open || "✓") : "";
    mark.setAttribute("aria-label", say("Comments on {label}: {threads}", { label, threads: threads ? say("{threads}, {open} open", { threads, open }) : say("none") }));
    if (this.#field(mark)) mark.tabIndex = threads ? 0 : -1;
  }
}

/**
 * @param {HTMLElement} box Of a field
 * @returns {string} what is selected in its text
 */
function selectedIn(box) {
  const text = maybe(":scope > textarea, :scope > input[type=text]", box);
  if (!(text instanceof HTMLTextAreaElement || text instanceof HTMLInputElement)) return "";
  return text.value.slice(text.selectionStart ?? 0, text.selectionEnd ?? 0).trim();
}

/**
 * The comment that is begun is about these words.
 * @param {HTMLElement} panel
 * @param {string} words
 */
function quote(panel, words) {
  const field = maybe("[data-quote]", panel);
  if (!(field instanceof HTMLInputElement)) return;
  field.value = words.replace(/\s+/g, " ");
  unfold(field);
}

/**
 * The number of threads that a mark from the server shows.
 * @param {HTMLElement} mark
 */
function shownCount(mark) {
  const [, threads] = /: (\d+),/.exec(mark.getAttribute("aria-label") ?? "") ?? [];
  const open = Number(one("[data-comment-count]", mark).textContent) || 0;
  return { threads: mark.classList.contains("has-threads") ? Number(threads ?? 1) : 0, open };
}

/**
 * Opens the form for asking an admin about a field. A comment that was begun moves into it.
 * @param {string} field
 * @param {HTMLTextAreaElement} [comment]
 */
function ask(field, comment) {
  const dialog = document.getElementById("ask-dialog");
  const opener = maybe("[data-dialog=ask-dialog]");
  if (!dialog || !opener) return;
  opener.click();
  const about = one("select[name=field]", dialog, HTMLSelectElement);
  about.value = [...about.options].some((option) => option.value === field) ? field : "";
  const question = one("textarea", dialog, HTMLTextAreaElement);
  if (comment?.value.trim()) {
    type(question, comment.value);
    type(comment, "");
  }
  question.focus();
}
