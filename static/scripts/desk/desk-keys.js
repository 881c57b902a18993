// The desk's keys. ../keys.js decides whether a single key may act now.
import { isDialogOpen } from "../dialogs.js";
import { all, around, maybe, one, targetOf } from "../dom.js";
import { keyWithAlt, mayKeyAct } from "../keys.js";
import { showSide } from "../pane/sides.js";
import { whileHere } from "../visit.js";
import { toggleGuides } from "./guides.js";
import { beginFilter, chooseAt, toBlank } from "./types.js";

/** @typedef {import("./desk.js").Desk} Desk */
/** @typedef {(event: KeyboardEvent, desk: Desk) => boolean} Handler Whether the key did something */

const GROUPS = "fieldset.choices, [data-group], fieldset.question";

/**
 * Connects the keyboard to this desk.
 * @param {Desk} desk
 */
export function listenToKeys(desk) {
  listenToClicks(desk);
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return;
    if (handlerOf(event)(event, desk)) event.preventDefault();
  }, { signal: whileHere() });
}

/**
 * @param {KeyboardEvent} event
 * @returns {Handler}
 */
function handlerOf(event) {
  if (event.ctrlKey || event.metaKey) return event.altKey ? () => false : withControl;
  return event.altKey ? withAlt : alone;
}

/** @type {Handler} */
function withControl(event, desk) {
  const key = event.key.toLowerCase();
  if (key === "enter") one("#submit").click();
  else if (key === "s") desk.draft.save();
  else if (key === "z" && !event.shiftKey && desk.undo.mayUndo(targetOf(event))) desk.undo.undo();
  else return false;
  return true;
}

/** @type {Handler} */
function withAlt(event, desk) {
  const key = keyWithAlt(event);
  const digit = /^(?:Digit|Numpad)([1-6])$/.exec(key)?.[1];
  if (digit) {
    desk.steps.goTo(Number(digit));
    return true;
  }
  /** @type {Record<string, () => void>} */
  const acts = {
    Enter: () => desk.steps.goOn(),
    NumpadEnter: () => desk.steps.goOn(),
    KeyU: () => {
      desk.steps.goTo(2);
      desk.picking.takeTagged();
    },
    KeyM: () => desk.passages.takeSpan(),
    KeyO: () => desk.passages.toOriginal(),
    KeyR: () => desk.assist?.resolveNext(),
    KeyS: () => desk.assist?.acceptNext(),
    KeyB: () => {
      desk.steps.goTo(2);
      desk.counterparts?.takeBest();
    },
    KeyE: () => desk.assist?.acceptAll(),
    KeyA: () => {
      showSide("article");
      desk.pane.panel().focus({ preventScroll: true });
    },
    KeyQ: () => {
      desk.steps.goTo(5);
      desk.questions.add();
    },
    KeyK: () => maybe("[data-dialog=skip-dialog]")?.click(),
    KeyL: () => maybe("[data-dialog=flag-dialog]")?.click(),
    KeyG: () => toggleGuides(),
    ArrowDown: () => toGroup(event, 1),
    ArrowUp: () => toGroup(event, -1),
  };
  const act = acts[key];
  act?.();
  return Boolean(act);
}

/** @type {Handler} */
function alone(event, desk) {
  return amongBoxes(event) || (mayKeyAct(event) && plain(event, desk));
}

/**
 * Moves the focus to the next or previous group of choices.
 * @param {KeyboardEvent} event
 * @param {1 | -1} by
 */
function toGroup(event, by) {
  const step = around(targetOf(event), "[data-step]");
  const group = around(targetOf(event), GROUPS);
  if (!step) return;
  const groups = all(GROUPS, step);
  const next = groups[(group ? groups.indexOf(group) : -1) + by];
  if (next) (maybe("input:checked", next) ?? maybe("textarea, input", next))?.focus();
}

/** @type {Handler} */
function plain(event, desk) {
  if (onChoice(event, desk) || inPane(event, desk)) return true;
  if (event.key === "?") {
    one("[data-opens=keys-dialog]").click();
    return true;
  }
  const step = around(targetOf(event), "[data-step]")?.dataset.step ?? "1";
  return step === "1" && onValidity(event, desk);
}

/**
 * Digits where the cursor is at choices: of step 4, or the confidence. They choose there, also while text is selected
 * in the article.
 * @type {Handler}
 */
function onChoice(event, desk) {
  const options = around(targetOf(event), ".dimension");
  if (options) return /^[1-9]$/.test(event.key) && onDigit(options, Number(event.key), desk);
  if (!targetOf(event).closest("[data-step='6']") || !/^[1-5]$/.test(event.key)) return false;
  const chosen = one(`[name=confidence][value="${event.key}"]`, desk.element);
  chosen.click();
  chosen.focus();
  return true;
}

/**
 * After an answer in a group of step 4 in which one is all there is to give: the cursor goes on to what is still blank,
 * then to step 5, with step 4 still in sight. For a digit and for a click alike; the arrow keys and Space look at options without leaving them.
 * @param {Desk} desk
 */
function afterAnswer(desk) {
  const isDoubtful = !one("[data-origin-check]", desk.element).hidden;
  if (!isDoubtful && !toBlank(desk.element)) desk.steps.goTo(5, { folds: false, block: "nearest" });
}

/** @param {Element} group Whether an answer to it may move the cursor */
const isUnanswered = (group) => group.matches("[role=radiogroup]") && !group.querySelector(":checked");

/**
 * Has clicks go on as digits do.
 * @param {Desk} desk
 */
function listenToClicks(desk) {
  for (const group of all(".dimension[role=radiogroup]", desk.element)) {
    let isFirst = false;
    group.addEventListener("pointerdown", () => { isFirst = isUnanswered(group); });
    group.addEventListener("keydown", () => { isFirst = false; });
    group.addEventListener("change", () => {
      // After the click itself, which puts the focus on what was clicked.
      if (isFirst) setTimeout(() => afterAnswer(desk));
      isFirst = false;
    });
  }
}

/**
 * Chooses by number.
 * @param {HTMLElement} group
 * @param {number} digit
 * @param {Desk} desk
 */
function onDigit(group, digit, desk) {
  const isFirst = isUnanswered(group);
  if (!chooseAt(group, digit)) return false;
  if (isFirst) afterAnswer(desk);
  return true;
}

/** @type {Handler} */
function onValidity(event, desk) {
  const key = event.key.toLowerCase();
  if (key !== "v" && key !== "i") return false;
  if (key === "i") desk.steps.step(1).open = true;
  one(`[name=wikitag_label_valid][value=${key === "v" ? "Valid" : "Invalid"}]`, desk.element).click();
  if (key === "v") desk.steps.goTo(2);
  else one("#f-valid_comment").focus();
  return true;
}

/**
 * Keys of the reading pane: 1 and 2 take what is selected, arrows select sentences, / finds, T goes to the tag.
 * @type {Handler}
 */
function inPane(event, { pane, picking }) {
  if (picking.isThere && (event.key === "1" || event.key === "2")) {
    picking.take(event.key === "1" ? 1 : 2);
    return true;
  }
  if (event.key === "/") {
    pane.toFind();
    return true;
  }
  if (!targetOf(event).closest("[role=tabpanel]")) return false;
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") picking.sentence(event.key === "ArrowRight" ? 1 : -1, { extend: event.shiftKey });
  else if (event.key.toLowerCase() === "t") pane.toTag();
  else return false;
  return true;
}

/**
 * In a group of tick boxes, arrows go to the next box, and a letter begins to filter them.
 * @param {KeyboardEvent} event
 */
function amongBoxes(event) {
  const box = targetOf(event);
  const group = box.matches("[type=checkbox][data-list]") ? box.closest("fieldset") : null;
  if (!group) return false;
  if (/^\p{L}$/u.test(event.key)) {
    beginFilter(group, event.key);
    return true;
  }
  const boxes = all("[data-choice]:not([hidden]) [type=checkbox]", group);
  const at = boxes.indexOf(box);
  const turned = [...boxes.slice(at + 1), ...boxes.slice(0, at + 1)];
  const to = boxFor(event.key, turned);
  to?.focus();
  return Boolean(to);
}

/**
 * @param {string} key
 * @param {HTMLElement[]} turned All boxes, starting after the current one and wrapping around
 */
function boxFor(key, turned) {
  if (key === "ArrowDown" || key === "ArrowRight") return turned[0];
  return key === "ArrowUp" || key === "ArrowLeft" ? turned.at(-2) : undefined;
}
