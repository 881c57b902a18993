// Shared by every page: opening dialogs, a keyboard cursor for lists, and errors that htmx would swallow. keys.js
// decides when a key may act.
import { csrfToken, isOldToken, postForm, wordsOf, wordsOfAnswer } from "./api.js";
import { openDialog } from "./dialogs.js";
import { all, around, formOf, make, maybe, onHtmx, one, targetOf } from "./dom.js";
import { keepTypedText } from "./keep.js";
import { mayKeyAct } from "./keys.js";
import { notice } from "./notices.js";
import "./palette.js";
import "./scrolling.js";
import { adviceFor, causeOf, wordsFor } from "./text/failures.js";
import { say } from "./text/say.js";

// Milliseconds, above any system's time between the two clicks.
const DOUBLE_CLICK = 1000;

keepTypedText();

// <button data-opens="id"> opens the dialog with that id; a button with data-closes inside closes it.
document.addEventListener("click", (event) => {
  const opener = around(targetOf(event), "[data-opens]");
  if (opener) {
    event.preventDefault(); // a link leads to the dialog where there is no script
    openDialog(one(`#${opener.dataset.opens}`, document, HTMLDialogElement), opener);
  } else around(targetOf(event), "[data-closes]")?.closest("dialog")?.close();
});

// An open menu closes on Escape and on a click elsewhere.
const openMenus = () => all("details.menu[open]", document, HTMLDetailsElement);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    one("summary", menu).focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    if (!menu.contains(targetOf(event))) menu.open = false;
  }
});

// The theme changes where one is, without loading the page again.
document.addEventListener("submit", async (event) => {
  const form = targetOf(event);
  const button = event.submitter;
  if (!form.matches(".themes") || !(form instanceof HTMLFormElement) || !(button instanceof HTMLButtonElement)) return;
  event.preventDefault();
  const answer = await postForm(form.action, new FormData(form, button));
  if (answer.outcome !== "done") return void notice(say("The theme stays as it was. {why}", { why: wordsOfAnswer(answer) }));
  if (button.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = button.value;
  for (const each of all("button", form)) each.setAttribute("aria-pressed", String(each === button));
});

// j and k move through the rows of a list marked data-cursor; Enter opens the row's first link, x ticks it.
document.addEventListener("keydown", (event) => {
  const list = maybe("[data-cursor]");
  if (!list || !mayKeyAct(event)) return;
  const rows = all("[data-row]", list);
  const at = rows.findIndex((row) => row.classList.contains("at-cursor"));
  if (event.key === "j" || event.key === "k") {
    const next = rows[Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), rows.length - 1)];
    rows[at]?.classList.remove("at-cursor");
    next?.classList.add("at-cursor");
    (next?.querySelector("a") ?? next)?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "x" && at >= 0) {
    maybe("input[type=checkbox]", rows[at])?.click();
  }
});

// The rest of what lists and long choices have in common. The desk has neither.
if (!maybe("main.desk") && maybe("[data-cursor], form.filters, main select, main fieldset")) import("./lists.js");

// The result of the last file must not seem to be that of the next: <... data-result> is emptied when the form is sent.
onHtmx("htmx:beforeRequest", ({ detail }) => {
  if (detail.target?.matches("[data-result]")) detail.target.replaceChildren();
});

// Says when an htmx request failed.
onHtmx("htmx:responseError", ({ detail: { xhr, requestConfig } }) => {
  if (isOldToken(xhr.status, xhr.getResponseHeader("X-Refused")) && sendAgain(requestConfig)) return;
  if (xhr.status === 401) askToSignIn(xhr.responseText);
  else notice(wordsAbout(xhr, requestConfig.verb));
});
onHtmx("htmx:sendError", ({ detail: { requestConfig } }) => notice(unanswered("unreachable", requestConfig.verb)));
onHtmx("htmx:timeout", ({ detail: { requestConfig } }) => notice(unanswered("slow", requestConfig.verb)));

/** @type {WeakSet<Event>} */
const sentAgain = new WeakSet();

/**
 * Submits a form again, once, whose token alone was refused.
 * @param {HtmxDetail["requestConfig"]} request
 * @returns {boolean} whether it was sent
 */
function sendAgain({ elt, triggeringEvent }) {
  if (!(elt instanceof HTMLFormElement && triggeringEvent instanceof SubmitEvent) || sentAgain.has(triggeringEvent)) return false;
  elt.addEventListener("submit", (event) => sentAgain.add(event), { once: true, capture: true });
  elt.requestSubmit(triggeringEvent.submitter);
  return true;
}

/**
 * The server's own words about a refusal, or a message that it failed.
 * @param {XMLHttpRequest} xhr
 * @param {string} verb
 */
function wordsAbout(xhr, verb) {
  const cause = causeOf(xhr.status);
  if (cause === "failed") return unanswered(cause, verb);
  return wordsOf(xhr.responseText) || (cause ? unanswered(cause, verb) : say("The server refused this. Nothing was changed; reload the page."));
}

/**
 * Without an answer it is not known whether the request was carried out.
 * @param {import("./text/failures.js").Cause} cause
 * @param {string} verb
 */
function unanswered(cause, verb) {
  const values = { cause: wordsFor(cause), advice: adviceFor(cause) };
  if (verb === "get") return say("{cause} Nothing was changed; {advice}.", values);
  return say("{cause} Your text is still here, but the change may or may not have been made: load the page in another tab to check; {advice}.", values);
}

/**
 * Signed out: the link opens in another tab, and this page keeps what was typed.
 * @param {string} source The page that the server answered with
 */
function askToSignIn(source) {
  const page = new DOMParser().parseFromString(source, "text/html");
  const href = page.querySelector("a")?.getAttribute("href") ?? "/account/login/";
  const [before, after] = say("You are signed out, so nothing was changed. This page keeps your text: {link}, then come back and try again.").split("{link}");
  const line = notice(before);
  line?.append(make("a", { href, target: "_blank", textContent: say("sign in in a new tab") }), after);
  line?.scrollIntoView({ block: "nearest" });
}

// A filter form submits itself when a choice changes.
document.addEventListener("change", (event) => {
  const control = targetOf(event);
  if (control.matches("[data-submits]")) formOf(control)?.requestSubmit();
});

// "Select all" ticks every box of the same name in its form, or in its part of the form.
document.addEventListener("change", (event) => {
  const ticker = targetOf(event);
  const name = ticker.dataset.ticksAll;
  if (!name || !(ticker instanceof HTMLInputElement)) return;
  const within = ticker.closest("[data-ticks-within], form, table") ?? document;
  for (const box of all(`input[type=checkbox][name="${CSS.escape(name)}"]`, within, HTMLInputElement)) {
    box.checked = ticker.checked;
  }
});

// Signing in renews the token that forms carry. A page that was open before then sends the new one: put in before any
// other listener reads the form.
document.addEventListener("submit", (event) => {
  const field = maybe("input[name=csrfmiddlewaretoken]", targetOf(event), HTMLInputElement);
  const token = csrfToken();
  if (field && token) field.value = token;
}, true);
onHtmx("htmx:configRequest", ({ detail }) => {
  const token = csrfToken();
  if (!token) return;
  detail.headers["X-CSRFToken"] = token;
  if (detail.parameters.csrfmiddlewaretoken) detail.parameters.csrfmiddlewaretoken = token;
});

// <button data-copies="id"> copies the value of the field with that id; if the browser refuses, it is selected.
document.addEventListener("click", async (event) => {
  const button = around(targetOf(event), "[data-copies]");
  if (!button) return;
  const field = one(`#${button.dataset.copies}`, document, HTMLInputElement);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = say("Copied");
  } catch {
    button.textContent = say("Selected: press Ctrl+C");
  }
});

// data-key="a": the key presses this button or follows this link.
document.addEventListener("keydown", (event) => {
  const control = maybe(`[data-key="${CSS.escape(event.key)}" i]`);
  if (!control || event.repeat || !mayKeyAct(event)) return;
  event.preventDefault(); // the letter must not land in the field that the dialog focuses
  control.click();
});

// A choice marked data-leads-to="id" hands the cursor on to the field with that id.
document.addEventListener("change", (event) => {
  const next = targetOf(event).dataset.leadsTo;
  if (next) document.getElementById(next)?.focus();
});

// Ctrl+Enter sends the form of a text field marked data-submits-on-ctrl-enter.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const field = targetOf(event);
  if (field.matches("[data-submits-on-ctrl-enter]")) formOf(field)?.requestSubmit();
});

// A double click sends a form once: two would plan two runs, and the second refusal would hide that the first one was
// accepted. At the window, where a script that sends the form itself has said so.
/** @type {{ form?: Element, button?: Element | null, at: number }} */
let lastSent = { at: 0 };
addEventListener("submit", (event) => {
  const form = targetOf(event);
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
  const isAgain = form === lastSent.form && event.submitter === lastSent.button && event.timeStamp - lastSent.at < DOUBLE_CLICK;
  if (isAgain) event.preventDefault();
  else lastSent = { form, button: event.submitter, at: event.timeStamp };
});
