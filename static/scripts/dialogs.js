// Dialogs that a button or link opens.
import { maybe } from "./dom.js";

/**
 * Opens a dialog with the cursor in its first text box, whether by a click or by a key.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} opener Gets the focus back once the dialog is closed
 */
export function openDialog(dialog, opener) {
  dialog.showModal();
  maybe("textarea", dialog)?.focus();
  // The focus could otherwise stay in a field of the closed dialog, and keys would count as typing. The event comes a
  // moment after the closing: whoever has gone on to another field by then stays there.
  dialog.addEventListener("close", () => {
    const focused = document.activeElement;
    if (!focused || focused === document.body || dialog.contains(focused)) opener.focus();
  }, { once: true });
}

/**
 * Whether a dialog is open; the page then ignores its keys.
 * @returns {boolean}
 */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}
