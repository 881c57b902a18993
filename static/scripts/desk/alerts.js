// The desk's messages while it is open, one of each kind at a time: shown when needed, hidden once over.
import { copyOf, maybe } from "../dom.js";
import { dismissal } from "../notices.js";

// Kinds that are repeated until they are over; a dismissed one is not shown again.
const REPEATED = new Set(["unsaved", "standing"]);

export class Alerts {
  #element;
  #signIn;

  /**
   * @param {HTMLElement} element
   * @param {string} signIn The address of the page to sign in
   */
  constructor(element, signIn) {
    this.#element = element;
    this.#signIn = signIn;
  }

  /**
   * Shows one of the page's alerts, unless it is shown already.
   * @param {string} name
   * @param {string} [words] Its text, if the alert has room for one
   * @returns {HTMLElement}
   */
  show(name, words = "") {
    const shown = this.find(name) ?? this.#make(name);
    shown.hidden = REPEATED.has(name) && shown.dataset.read === words;
    const holder = maybe("[data-words]", shown);
    if (holder && holder.textContent !== words) holder.textContent = words;
    return shown;
  }

  /**
   * @param {string} name
   * @returns {HTMLElement | null}
   */
  find(name) {
    return maybe(`[data-alert=${name}]`, this.#element);
  }

  /**
   * The causes of these messages are over.
   * @param {string[]} names
   */
  dismiss(...names) {
    for (const name of names) this.find(name)?.remove();
  }

  /** @param {string} name */
  #make(name) {
    const shown = copyOf(`state-${name}`);
    shown.dataset.alert = name;
    maybe("[data-sign-in]", shown)?.setAttribute("href", this.#signIn);
    const button = dismissal();
    if (REPEATED.has(name)) {
      delete button.dataset.dismisses;
      button.addEventListener("click", () => {
        shown.dataset.read = maybe("[data-words]", shown)?.textContent ?? "";
        shown.hidden = true;
      });
    }
    shown.append(button);
    this.#element.append(shown);
    return shown;
  }
}
