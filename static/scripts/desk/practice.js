// A practice run at the desk: compares a step with its reference, and the tour.
import { send } from "../api.js";
import { all, around, focused, maybe, one } from "../dom.js";
import { keyWithAlt } from "../keys.js";
import { say } from "../text/say.js";
import { whileHere } from "../visit.js";
import { desk } from "./desk.js";
import { Tour } from "./tour.js";

/** @typedef {import("./desk.js").Desk} Desk */

/**
 * Saves the form, then shows how a step compares.
 * @param {Desk} at
 * @param {HTMLElement} button
 */
async function compare(at, button) {
  const step = button.dataset.compares ?? "";
  const holder = one(`#compared-${step}`);
  button.setAttribute("aria-busy", "true");
  try {
    if (!(await at.draft.save())) {
      at.alert("refused", say("Not compared: your text has not reached the server. It is kept in this browser; try again."));
      return;
    }
    const found = await fragmentFor(at, Number(step));
    if (!found) return;
    holder.replaceChildren(found);
    button.textContent = say("Compare again");
    holder.focus({ preventScroll: true });
    holder.scrollIntoView({ block: "nearest" });
  } finally {
    button.removeAttribute("aria-busy");
  }
}

/**
 * @param {Desk} at
 * @param {number} step
 * @returns {Promise<DocumentFragment | null>} null if there is no answer; the page then says so
 */
async function fragmentFor(at, step) {
  const headers = { "Content-Type": "application/json", Accept: "text/html" };
  const answer = await send(at.element.dataset.compare ?? "", () => JSON.stringify({ step }), { headers }).catch(() => null);
  if (answer?.ok) return document.createRange().createContextualFragment(await answer.text());
  const message = answer?.headers.get("Content-Type")?.startsWith("application/json") ? (await answer.json()).message : "";
  at.alert("refused", message || say("Not compared: the server does not answer. Your text is kept; try again."));
  return null;
}

/**
 * The first step up to the one at hand that was not compared yet, else the one at hand: the keys of the desk have gone
 * on to the next step as soon as one is decided.
 * @param {Desk} at
 */
function toCompare(at) {
  const number = Number(around(focused(), "[data-step]")?.dataset.step ?? at.steps.current);
  for (let earlier = 1; earlier < number; earlier += 1) {
    if (!maybe(".compared", at.steps.step(earlier))) return at.steps.step(earlier);
  }
  return at.steps.step(number);
}

/** @param {Desk} at */
function listen(at) {
  for (const button of all("[data-compares]")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      compare(at, button);
    });
  }
  addEventListener("keydown", (event) => {
    if (keyWithAlt(event) !== "KeyV") return;
    event.preventDefault();
    const step = toCompare(at);
    step.open = true;
    one("[data-compares]", step).click();
  }, { signal: whileHere() });
  const stops = all("#tour-stops > li");
  const tour = new Tour(stops, one("#tour-template", document, HTMLTemplateElement));
  for (const button of all("[data-starts-tour]")) button.addEventListener("click", () => tour.start(button));
  if (new URLSearchParams(location.search).has("tour")) tour.start();
}

if (desk) listen(desk);
