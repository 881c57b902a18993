// Edits that a reviewer suggested, shown at their fields. Taking one goes through the ordinary saving of the draft.
import { postJSON, wordsOfAnswer } from "../api.js";
import { all, around, focused, make, one, targetOf, typeUndoably, unfold } from "../dom.js";
import { keyWithAlt } from "../keys.js";
import { notice } from "../notices.js";
import { showChanges } from "../text/changes.js";
import { say } from "../text/say.js";
import { whileHere } from "../visit.js";

/**
 * @typedef {object} Desk
 * @property {HTMLFormElement} element
 * @property {import("./draft.js").Draft} draft
 * @property {(name: string, words?: string) => HTMLElement} alert
 */

export class Edits {
  #desk;

  /** @param {Desk} desk */
  constructor(desk) {
    this.#desk = desk;
    desk.element.addEventListener("click", (event) => {
      const button = around(targetOf(event), "[data-takes-edit], [data-declines-edit]");
      const box = button && around(button, "[data-edit]");
      if (!box) return;
      event.preventDefault();
      if (button.matches("[data-takes-edit]")) this.#take(box);
      else this.#decide(box, "declined");
    });
    desk.element.addEventListener("input", (event) => show(targetOf(event).closest(".field")));
    desk.element.addEventListener("applied", () => show(desk.element));
    addEventListener("keydown", (event) => this.#onKey(event), { signal: whileHere() });
  }

  get #open() {
    return all("[data-edit]", this.#desk.element);
  }

  /** @param {HTMLElement} box */
  async #take(box) {
    const field = fieldOf(box);
    const text = box.dataset.text ?? "";
    if (field.value.trim() !== text) typeUndoably(field, text);
    if (await this.#desk.draft.save()) await this.#decide(box, "taken");
    else notice(say("It is not saved yet, so the suggestion stays open. Take it again once the draft is saved."));
  }

  /**
   * @param {HTMLElement} box
   * @param {"taken" | "declined"} state
   */
  async #decide(box, state) {
    const answer = await postJSON(box.dataset.address ?? "", { state });
    if (answer.outcome === "done") this.#decided(box, state);
    else if (answer.outcome === "signed-out") this.#desk.alert("signed-out");
    else if (answer.outcome === "refused") notice(answer.message);
    else notice(say("The suggestion stays open. {why}", { why: wordsOfAnswer(answer) }));
  }

  /**
   * Moves the focus to the next edit, so that its keys go on working; after the last one, to the field.
   * @param {HTMLElement} box
   * @param {string} state
   */
  #decided(box, state) {
    const open = this.#open;
    const next = open[open.indexOf(box) + 1] ?? open.find((other) => other !== box);
    const field = fieldOf(box);
    const said = make("p", { className: "small muted", textContent: state === "taken" ? say("Suggested edit taken.") : say("Suggested edit declined.") });
    said.setAttribute("role", "status");
    box.replaceWith(said);
    if (next) goTo(next);
    else field.focus({ preventScroll: true });
  }

  /**
   * The first press only moves to a suggestion, so that nothing is taken unread.
   * @param {KeyboardEvent} event
   */
  #onKey(event) {
    const key = keyWithAlt(event);
    const open = this.#open;
    if (!["KeyT", "KeyX"].includes(key) || !open.length) return;
    event.preventDefault();
    const box = around(focused(), "[data-edit]");
    if (!box) goTo(focused().closest(".field")?.querySelector("[data-edit]") ?? open[0]);
    else if (key === "KeyT") this.#take(box);
    else this.#decide(box, "declined");
  }
}

/**
 * @param {HTMLElement} box
 * @returns {import("../dom.js").TextField} the field that the edit is suggested for
 */
function fieldOf(box) {
  return /** @type {import("../dom.js").TextField} */ (one("textarea, input", around(box, ".field") ?? undefined));
}

/**
 * Shows what taking the edit would change in the current text.
 * @param {Element | null} holder
 */
function show(holder) {
  for (const box of holder ? all("[data-edit]", holder) : []) {
    showChanges(one("[data-edit-changes]", box), fieldOf(box).value, box.dataset.text ?? "");
  }
}

/** @param {HTMLElement | Element} box */
function goTo(box) {
  unfold(box, "details[data-step]");
  if (box instanceof HTMLElement) box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "center" });
}
