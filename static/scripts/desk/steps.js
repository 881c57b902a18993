// The six steps: which one is open, what the folded ones decided, and the problems that prevent submission.
import { all, around, focused, make, maybe, one, redraw, targetOf, unfold } from "../dom.js";
import { notice } from "../notices.js";
import { showSide } from "../pane/sides.js";
import { say } from "../text/say.js";
import { missingIn } from "./missing.js";
import { originProblem, summary } from "./summaries.js";
import { toBlank } from "./types.js";

/** @typedef {{ step: number, target: string, message: string }} Problem */

export class Steps {
  #problems = one("#problems");
  #heldAt = ""; // the step that was left incomplete, and what it lacks
  /** @type {HTMLElement | null} */
  #said = null;
  #form;
  #steps;

  /** @param {import("./form.js").DeskForm} form */
  constructor(form) {
    this.#form = form;
    this.#steps = all("[data-step]", form.element, HTMLDetailsElement);
    for (const button of all("[data-goes-to]", form.element)) {
      button.addEventListener("click", () => this.goOn(Number(button.dataset.goesTo) - 1));
    }
    this.#problems.addEventListener("click", (event) => {
      const link = around(targetOf(event), "a[href^='#']", HTMLAnchorElement);
      if (!link) return;
      event.preventDefault();
      this.goToField(link.hash.slice(1));
    });
    form.element.addEventListener("input", (event) => this.#mended(targetOf(event)));
    for (const step of this.#steps) step.addEventListener("toggle", () => this.show());
    this.show();
  }

  /**
   * @param {number} number
   * @returns {HTMLDetailsElement}
   */
  step(number) {
    return one(`[data-step="${number}"]`, this.#form.element, HTMLDetailsElement);
  }

  /** @returns {HTMLDetailsElement | undefined} the first step that is open, among those from this number on */
  firstOpen(from = 1) {
    return this.#steps.slice(from - 1).find((step) => step.open);
  }

  /** The number of the current step. */
  get current() {
    const step = around(focused(), "[data-step]") ?? this.firstOpen() ?? this.#steps[0];
    return Number(step.dataset.step);
  }

  get #reachable() {
    return this.#form.text("wikitag_label_valid") === "Valid" ? 6 : 1;
  }

  /**
   * Opens one step, folds the others that are complete, and puts the cursor where there is something to do.
   * @param {number} number
   * @param {{ folds?: boolean, block?: ScrollLogicalPosition }} [options] `block`: where the step is scrolled to
   */
  goTo(number, { folds = true, block = "start" } = {}) {
    const step = this.step(Math.min(Math.max(number, 1), this.#reachable));
    showSide("form");
    for (const other of this.#steps) {
      if (folds && other !== step && !other.querySelector("[aria-invalid=true]")) other.open = false;
    }
    step.open = true;
    this.focusIn(step);
    step.scrollIntoView({ block, behavior: "instant" });
    // On a low screen the field may still be further down, and the footer must not cover it.
    if (step.contains(focused())) focused().scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /**
   * Continues from a step, by button or by key. From an incomplete one only at the second press: the first puts the
   * cursor where something is missing, and says so.
   * @param {number} [from]
   */
  goOn(from = this.current) {
    // A passage whose text the server is still sending is not missing.
    const { taking = "" } = this.#form.element.dataset;
    const [missing] = missingIn(from, this.#form.read()).filter((name) => !taking || !name.startsWith(`paragraph${taking}_`));
    const control = missing && maybe(`[name="${CSS.escape(missing)}"]`, this.#form.element);
    this.#said?.remove();
    if (!control || this.#heldAt === `${from} ${missing}`) {
      this.#heldAt = "";
      this.goTo(from + 1);
      return;
    }
    this.#heldAt = `${from} ${missing}`;
    this.goToField(control.closest("fieldset.dimension, fieldset.choices")?.id || control.id);
    const line = notice(say("Step {step} is not complete: “{label}” is missing. Continue again to leave it for later.", { step: from, label: this.#form.label(missing) }));
    this.#said = line?.parentElement ?? null;
  }

  /**
   * Puts the cursor into the first blank text field or group of types, or on the first choice.
   * @param {HTMLElement} step
   */
  focusIn(step) {
    if (toBlank(step)) return;
    const fields = /** @type {import("../dom.js").TextField[]} */ (all(".step-fields :is(textarea, input)[data-label]", step)).filter((field) => field.checkVisibility());
    const texts = fields.filter((field) => field.matches("textarea"));
    const blank = texts.find((field) => !field.value.trim());
    const group = fields.find((field) => field.matches("input:not([type=text])"));
    const chosen = group && maybe(`[name="${CSS.escape(group.name)}"]:checked`, step);
    const first = fields[0]?.matches("input:not([type=text])") ? chosen ?? fields[0] : blank ?? texts[0] ?? fields[0];
    first?.focus({ preventScroll: true });
  }

  /** @param {string} id Of a field or a group of choices */
  goToField(id) {
    const named = document.getElementById(id);
    if (!named) return;
    showSide("form");
    const target = textInstead(named);
    unfold(target, "details[data-step]");
    reveal(target);
    const field = target.matches("fieldset") ? maybe("input:checked", target) ?? maybe("input[data-label]", target) : target;
    field?.focus({ preventScroll: true });
    (target.closest(".field") ?? target).scrollIntoView({ block: "center" });
  }

  /** Updates the summaries of folded steps, and whatever depends on choices. */
  show() {
    const content = this.#form.read();
    for (const step of this.#steps) {
      if (step.open) continue; // its line is not seen
      redraw(one("[data-said]", step), summary(Number(step.dataset.step), content, (name, value) => this.#form.words(name, value)));
    }
    const words = originProblem(content);
    const check = one("[data-origin-check]", this.#form.element);
    check.hidden = !words;
    if (words) redraw(one("[data-origin-words]", check), words);
  }

  /**
   * Shows the problems that the server found: a list at the top, a mark and a message at each field, the
   * cursor at the first.
   * @param {Problem[]} problems
   */
  showProblems(problems) {
    this.#clearProblems();
    const list = make("ul");
    for (const problem of problems) {
      for (const element of marked(problem)) element.setAttribute("aria-invalid", "true");
      const error = document.getElementById(`${problem.target}-error`);
      if (error && !error.querySelector("[data-origin-words]")) {
        error.textContent = problem.message;
        error.hidden = false;
      }
      const line = make("li");
      const { step, message } = problem;
      line.append(make("a", { href: `#${problem.target}`, textContent: say("Step {step}: {message}", { step, message }) }));
      list.append(line);
      this.step(problem.step).open = true;
    }
    const head = make("p");
    head.append(make("strong", { textContent: `${say("Not submitted yet.")} ` }), problems.length === 1 ? say("Fix one problem:") : say("Fix {problems} problems:", { problems: problems.length }));
    this.#problems.replaceChildren(head, list);
    this.#problems.hidden = false;
    this.goToField(problems[0].target);
  }

  #clearProblems() {
    this.#problems.hidden = true;
    this.#problems.replaceChildren();
    for (const element of all("[aria-invalid]", this.#form.element)) element.removeAttribute("aria-invalid");
    for (const error of all(".field-error", this.#form.element)) error.hidden = true;
  }

  /**
   * A field loses its mark when the person edits it; the next submission checks it again.
   * @param {HTMLElement} control
   */
  #mended(control) {
    const invalid = control.closest("[aria-invalid=true]");
    if (!invalid) return;
    const group = control.closest("fieldset.dimension, fieldset.choices");
    for (const element of [invalid, ...(group?.querySelectorAll("[aria-invalid]") ?? [])]) element.removeAttribute("aria-invalid");
    const { id } = group ?? control;
    const error = document.getElementById(`${id}-error`);
    if (error?.classList.contains("field-error")) error.hidden = true;
    maybe(`a[href="#${CSS.escape(id)}"]`, this.#problems)?.parentElement?.classList.add("mended");
  }
}

/**
 * A passage that is missing is written into its one text; the field for what was found is for corrections.
 * @param {HTMLElement} field
 * @returns {HTMLElement}
 */
function textInstead(field) {
  const isEmpty = field.closest("[data-as-found]") && field instanceof HTMLTextAreaElement && !field.value.trim();
  return (isEmpty && document.getElementById(`${field.id}_standalone`)) || field;
}

/**
 * Shows what was found where the field for it is put away.
 * @param {HTMLElement} target
 */
function reveal(target) {
  target.closest("[data-as-found]")?.classList.add("is-shown");
}

/**
 * The controls that a problem refers to.
 * @param {Problem} problem
 * @returns {Element[]}
 */
function marked(problem) {
  const target = document.getElementById(problem.target);
  if (!target) return [];
  if (!target.matches("fieldset") || target.getAttribute("role") === "radiogroup") return [target];
  return all("input", target);
}
