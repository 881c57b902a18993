// Dialogs that a button or link opens. One marked "panel" lies beside the page, which stays as it is: it can be read,
// scrolled and selected in meanwhile. The others hold the page until they are closed.
import { all, focused, maybe } from "./dom.js";

/**
 * Opens a dialog with the cursor in its first text box, whether by a click or by a key.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} opener Gets the focus back once the dialog is closed
 */
export function openDialog(dialog, opener) {
  if (dialog.matches(".panel")) openPanel(dialog);
  else dialog.showModal();
  maybe("textarea", dialog)?.focus();
  // The focus could otherwise stay in a field of the closed dialog, and keys would count as typing. The event comes a
  // moment after the closing: a person who has gone on to another field by then stays there, even if the dialog is open again.
  const closed = () => {
    if (dialog.open) return;
    dialog.removeEventListener("close", closed);
    delete dialog.dataset.writing;
    const at = focused();
    if (at === document.body || dialog.contains(at)) opener.focus();
  };
  dialog.addEventListener("close", closed);
}

/** @param {HTMLDialogElement} dialog */
function openPanel(dialog) {
  for (const other of openPanels()) if (other !== dialog) other.close();
  dialog.tabIndex = -1; // a click on its words leaves the focus in it
  if (!dialog.open) dialog.show();
}

const openPanels = () => all("dialog.panel[open]", document, HTMLDialogElement);

/**
 * Whether a dialog has the keys, and the page ignores them: one that holds the page, or a panel with the focus in it.
 * @returns {boolean}
 */
export function isDialogOpen() {
  return document.querySelector("dialog:modal") !== null || focused().closest("dialog[open]") !== null;
}

// Browsers close a dialog on Escape only if it holds the page. Someone typing beside it means something else.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || document.querySelector("dialog:modal")) return;
  const isElsewhere = focused().matches("input, textarea, select, [contenteditable]") && !focused().closest("dialog");
  const panel = openPanels()[0];
  if (!panel || isElsewhere) return;
  event.preventDefault();
  panel.close();
});
