// Dialogs that a button or link opens.
import { maybe } from "./dom.js";

/**
 * Opens a dialog with the cursor in its first text box, whether by a click or by a key.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} opener Has the focus again once the dialog is closed
 */
export function openDialog(dialog, opener) {
  dialog.showModal();
  maybe("textarea", dialog)?.focus();
  // Left to itself, the focus may stay in a field of the closed dialog: keys would be taken for typing.
  dialog.addEventListener("close", () => opener.focus(), { once: true });
}

/**
 * Whether a dialog is open, so that keys of the page rest.
 * @returns {boolean}
 */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}
