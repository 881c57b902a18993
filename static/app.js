// What every page shares: a dialog opener, a keyboard cursor for lists, and errors that htmx would swallow. When a key
// may act is said in keys.js.
"use strict";

// The cursor is in the dialog's first text box, whether it was opened by a click or by a key.
function openDialog(dialog, opener) {
  dialog.showModal();
  dialog.querySelector("textarea")?.focus();
  // Left to itself, the focus may stay in a field of the closed dialog: keys would be taken for typing.
  dialog.addEventListener("close", () => opener.focus(), { once: true });
}

// <button data-opens="id"> opens the dialog with that id; a button with data-closes inside closes it.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) {
    openDialog(document.getElementById(opener.dataset.opens), opener);
    return;
  }
  const closer = event.target.closest("[data-closes]");
  if (closer) closer.closest("dialog")?.close();
});

// An open menu closes on Escape and on a click elsewhere.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// j and k move through the rows of a list marked data-cursor; Enter opens the row's first link, x ticks it.
document.addEventListener("keydown", (event) => {
  const list = document.querySelector("[data-cursor]");
  if (!list || !mayKeyAct(event)) return;
  const rows = [...list.querySelectorAll("[data-row]")];
  const at = rows.findIndex((row) => row.classList.contains("at-cursor"));
  if (event.key === "j" || event.key === "k") {
    const next = rows[Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), rows.length - 1)];
    rows[at]?.classList.remove("at-cursor");
    next?.classList.add("at-cursor");
    (next?.querySelector("a") ?? next)?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "x" && at >= 0) {
    rows[at].querySelector("input[type=checkbox]")?.click();
  }
});

// What a form said of the last file is not said of the next one: <... data-result> is emptied when it is sent again.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target?.matches("[data-result]")) event.detail.target.replaceChildren();
});

// A failed htmx request says so. The server's own words are shown as text, never as markup of the page.
function notice(text) {
  const notices = document.getElementById("notices");
  if (!notices) return;
  const line = document.createElement("p");
  line.className = "notice error";
  line.setAttribute("role", "alert");
  line.textContent = text;
  notices.replaceChildren(line);
}
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 401) return askToSignIn(event.detail.xhr);
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  const said = page.querySelector(".notice, main p");
  notice(said ? said.textContent.trim() : "The server could not do that. Nothing was changed; try again.");
});
// Signed out: the link opens beside this page, which keeps what was typed.
function askToSignIn(xhr) {
  const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
  notice("You are signed out, so nothing was changed. This page keeps what you typed: ");
  const line = document.querySelector("#notices > .error");
  const link = document.createElement("a");
  link.href = page.querySelector("a")?.getAttribute("href") ?? "/account/login/";
  link.target = "_blank";
  link.textContent = "sign in in a new tab";
  line?.append(link, ", then come back and do it again.");
  line?.scrollIntoView({ block: "nearest" });
}
document.addEventListener("htmx:sendError", () => {
  notice("The server did not answer. Nothing was changed; check the connection and try again.");
});

// A filter form sends itself when a choice changes.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submits]")) event.target.form?.requestSubmit();
});

// "Tick all" ticks every box of the same name in its form.
document.addEventListener("change", (event) => {
  const name = event.target.dataset?.ticksAll;
  if (!name) return;
  const within = event.target.closest("form, table") ?? document;
  for (const box of within.querySelectorAll(`input[type=checkbox][name="${CSS.escape(name)}"]`)) {
    box.checked = event.target.checked;
  }
});

// Signing in renews the token that forms carry. A page that was open before then sends the new one.
function csrfToken() {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
}
document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("input[name=csrfmiddlewaretoken]");
  const token = csrfToken();
  if (field && token) field.value = token;
});
document.addEventListener("htmx:configRequest", (event) => {
  const token = csrfToken();
  if (token) event.detail.headers["X-CSRFToken"] = token;
});

// <button data-copies="id"> copies the value of the field with that id; where the browser refuses, it is selected.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copies);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Selected: press Ctrl+C";
  }
});

// data-key="a": the key presses this button or follows this link.
document.addEventListener("keydown", (event) => {
  const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!control || event.repeat || !mayKeyAct(event)) return;
  event.preventDefault(); // the letter must not land in the field that the dialog focuses
  control.click();
});

// A choice marked data-leads-to="id" hands the cursor on to the field with that id.
document.addEventListener("change", (event) => {
  const next = event.target.dataset?.leadsTo;
  if (next) document.getElementById(next)?.focus();
});

// Ctrl+Enter sends the form of a text field marked data-submits-on-ctrl-enter.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  if (event.target.matches?.("[data-submits-on-ctrl-enter]")) event.target.form.requestSubmit();
});
