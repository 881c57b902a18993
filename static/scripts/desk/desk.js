// The annotator's desk: wires the form to its draft, its steps and the keyboard. The page works without it, too.
import { postJSON } from "../api.js";
import { startComments } from "../comments.js";
import { openDialog } from "../dialogs.js";
import { all, around, focused, maybe, one, targetOf } from "../dom.js";
import { newId } from "../ids.js";
import { notice, startNotices } from "../notices.js";
import { Pane } from "../pane/pane.js";
import { Picking } from "../pane/picking.js";
import { clock } from "../text/clock.js";
import { adviceFor, wordsFor } from "../text/failures.js";
import { mergeFields } from "../text/merge.js";
import { say } from "../text/say.js";
import { endVisit, every, goTo, whileHere } from "../visit.js";
import { Ahead } from "./ahead.js";
import { Alerts } from "./alerts.js";
import { Assist } from "./assist.js";
import { Conflict } from "./conflict.js";
import { KeptCopies } from "./copies.js";
import { Counterparts } from "./counterparts.js";
import { listenToKeys } from "./desk-keys.js";
import { Draft } from "./draft.js";
import { Drafts, nameOf } from "./drafts.js";
import { DeskForm } from "./form.js";
import { prepareGuides } from "./guides.js";
import { fillIn } from "./parts.js";
import { Passages } from "./passages.js";
import { keepScriptsOfPasted } from "./paste.js";
import { Questions } from "./questions.js";
import { Steps } from "./steps.js";
import { countActiveTime } from "./time.js";
import { startTypes } from "./types.js";
import { Undo } from "./undo.js";

/** @typedef {import("../text/merge.js").Content} Content */
/** @typedef {import("./draft.js").State} State */

const RENEW_EVERY = 30_000;
const SUBMIT_PATIENCE = 30_000;
/** @type {Record<State, string>} */
const STATES = {
  saved: say("Saved"),
  saving: say("Saving…"),
  offline: say("Offline: kept in this browser"),
  failing: say("Not saved yet: kept in this browser"),
  "signed-out": say("Signed out: kept in this browser"),
  stale: say("Not saved: two versions"),
  refused: say("Not saved"),
  closed: say("Not saved"),
};

/** @param {string} words */
const lowerFirst = (words) => words.charAt(0).toLowerCase() + words.slice(1);

export class Desk {
  #merges = 0; // how often another version came in
  #isBusy = false;
  #alerts;
  #state = one("#saved-state");
  #submitButton = one("#submit");
  /** @type {{ text: string, operation: string } | null} */
  #attempt = null; // the submission that was not answered

  /** @param {HTMLFormElement} element */
  constructor(element) {
    const { save = "", version, person, annotation, lease, seconds, time = "" } = element.dataset;
    this.element = element;
    this.#alerts = new Alerts(one("#desk-alerts"), element.dataset.signIn ?? "");
    this.questions = new Questions(() => this.changed());
    this.form = new DeskForm(element, this.questions);
    this.steps = new Steps(this.form);
    this.undo = new Undo(element);
    this.passages = new Passages(element, this.undo, () => this.changed());
    this.conflict = new Conflict(this.form);
    this.draft = new Draft({
      saveUrl: save,
      version: Number(version),
      name: `${person}:${annotation}`,
      read: () => this.form.read(),
      looks: () => this.drafts?.looks,
      onState: (state, words) => this.#showState(state, words),
      onStale: (newer, content) => this.#onStale(newer, content),
      onAnswer: (answer) => this.#onAnswer(answer),
    });
    const { ahead = "", handBack = "" } = element.dataset;
    this.ahead = new Ahead({ claim: ahead, handBack, isLeaving: () => this.draft.isLeaving, onReady: (is) => element.toggleAttribute("data-next-is-ready", is) });
    this.#listen();
    every(Math.min(RENEW_EVERY, (Number(lease) * 1000) / 4), () => {
      this.#renew();
      this.ahead.renew();
    });
    this.#renew();
    this.pane = new Pane(one("#pane"));
    /** @type {Assist | null} */
    this.assist = null;
    /** @type {Counterparts | null} */
    this.counterparts = null;
    /** @type {Drafts | null} */
    this.drafts = null;
    this.picking = new Picking(this, this.pane);
    this.counterparts = new Counterparts(element, this.pane, this.picking);
    this.drafts = new Drafts(element, this.steps, this.undo, () => this.changed());
    this.assist = new Assist(this.form, this.steps, this.drafts, this.undo);
    countActiveTime({ address: time, page: this.draft.page, before: Number(seconds), shownIn: one("#active-time") });
    this.#begin();
    new KeptCopies(this.draft, this.form, this.#alerts, this.conflict, (names) => this.drafts?.watch(names)).bringBack();
  }

  #listen() {
    const { element } = this;
    for (const change of ["input", "change", "applied"]) element.addEventListener(change, () => this.changed());
    element.addEventListener("drafted", () => this.passages.show());
    element.addEventListener("focusout", () => this.draft.save());
    element.addEventListener("submit", (event) => this.#onSubmit(event));
    element.addEventListener("change", (event) => this.#onValidity(targetOf(event)));
    for (const link of all("a[data-dialog]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        openDialog(one(`#${link.dataset.dialog}`, document, HTMLDialogElement), link);
      });
    }
    for (const form of all("form[data-leaves]", document, HTMLFormElement)) {
      form.addEventListener("submit", (event) => this.#onLeave(event, form));
    }
    addEventListener("pageshow", (event) => event.persisted && this.#renew(), { signal: whileHere() });
  }

  /**
   * Text was selected as passage 1 or 2: opens that step, so that its keys work.
   * @param {1 | 2} position
   */
  picked(position) {
    const step = this.steps.step(2);
    step.open = true;
    one(`.passage-${position}`, step).scrollIntoView({ block: "nearest" });
    this.assist?.askNow();
  }

  // Puts the cursor where work continues, before the first key: some keys act on the focused field.
  #begin() {
    const problem = maybe("#problems:not([hidden]) a", document, HTMLAnchorElement);
    if (problem) this.steps.goToField(problem.hash.slice(1));
    else if (focused() === document.body && location.hash.length < 2) {
      const open = this.steps.firstOpen();
      if (open) this.steps.focusIn(open);
      else this.#submitButton.focus({ preventScroll: true });
    }
  }

  /** The content of the form has changed. */
  changed() {
    this.steps.show();
    this.passages.show();
    this.assist?.changed();
    this.drafts?.showButtons();
    this.counterparts?.show();
    this.draft.touch();
    if (this.form.isNearlyComplete) this.ahead.prepare();
  }

  /** @param {HTMLElement} control */
  #onValidity(control) {
    if (!(control instanceof HTMLInputElement) || control.name !== "wikitag_label_valid") return;
    if (control.value === "Valid" && control.checked && !this.steps.firstOpen(2)) this.steps.step(2).open = true;
  }

  // --- the state of the draft ---------------------------------------------------------------------------------

  /**
   * @param {State} state
   * @param {string} [words]
   */
  #showState(state, words) {
    const shown = state === "saved" ? `${STATES.saved} ${clock(Date.now())}` : STATES[state];
    if (this.#state.dataset.state !== state || state === "saved") this.#state.textContent = shown;
    this.#state.dataset.state = state;
    if (state === "signed-out") this.alert("signed-out");
    if (state === "refused" || state === "closed") this.alert("refused", words);
    if ((state === "offline" || state === "failing") && !this.#alerts.find("refused")) this.alert("unsaved", say("{words} Your text is kept in this browser and will be sent again automatically.", { words: words ?? "" }));
    if (state === "saved") this.#alerts.dismiss("signed-out", "refused", "unsaved");
  }

  /**
   * @param {string} name
   * @param {string} [words]
   */
  alert(name, words) {
    return this.#alerts.show(name, words);
  }

  /** @param {{ standing: string, message: string }} answer */
  #onAnswer(answer) {
    if (answer.standing === "held") this.#alerts.dismiss("standing");
    else if (answer.message) this.alert("standing", answer.message);
  }

  // If the browser is offline, the next save says so and keeps the draft.
  async #renew() {
    const answer = await postJSON(this.element.dataset.renew ?? "", {});
    if (answer.outcome === "signed-out") this.alert("signed-out");
    if (answer.outcome !== "done") return;
    this.#onAnswer(answer.data);
    if (this.draft.isDirty) return;
    this.#alerts.dismiss("signed-out");
    if (answer.data.version > this.draft.version) {
      one("[data-reloads]", this.alert("changed")).onclick = () => location.reload();
    }
  }

  /**
   * The draft was saved elsewhere. Fields that only one side changed are merged. For the others, this page's version
   * stays in the form until the person has chosen.
   * @param {number} version
   * @param {Content} theirs
   */
  #onStale(version, theirs) {
    this.#alerts.dismiss("changed");
    const { taken, clashing } = mergeFields(this.draft.base, this.form.read(), theirs);
    const names = Object.keys(taken);
    if (names.length || clashing.length) this.#merges += 1;
    this.form.apply(taken);
    if (names.length) this.#tellMerged(names);
    const onDecided = () => {
      this.draft.acknowledge(version, theirs);
      setTimeout(() => this.draft.save()); // once the answer at hand is dealt with
    };
    if (clashing.length) this.conflict.show(clashing, theirs, { onDecided });
    else onDecided();
  }

  /** @param {string[]} names */
  #tellMerged(names) {
    const labels = [...new Set(names.map((name) => this.form.label(name)))].join("; ");
    const before = this.#alerts.find("merged");
    const said = before && one("[data-fields]", before).textContent;
    one("[data-fields]", this.alert("merged")).textContent = said ? `${said}; ${labels}` : labels;
  }

  // --- leaving ------------------------------------------------------------------------------------------------

  /** @param {SubmitEvent} event */
  async #onSubmit(event) {
    event.preventDefault();
    if (event.submitter && event.submitter !== this.#submitButton) {
      await this.draft.save();
      return;
    }
    if (this.#isBusy || this.conflict.isOpen) {
      maybe("#conflict:not([hidden])")?.focus();
      return;
    }
    if (this.#showUnseen()) return;
    this.#isBusy = true;
    this.#submitButton.setAttribute("aria-busy", "true");
    try {
      await this.#submit();
    } finally {
      this.#isBusy = false;
      this.#submitButton.removeAttribute("aria-busy");
    }
  }

  /**
   * Shows the first draft that was used and has not been in sight yet, so that nobody submits it unread.
   * @returns {boolean} whether there is one
   */
  #showUnseen() {
    const unseen = this.form.text("wikitag_label_valid") === "Valid" && this.drafts?.firstUnseen();
    const field = unseen && (around(unseen, "fieldset.dimension") ?? unseen);
    if (!unseen || !field) return false;
    this.steps.goToField(field.id);
    unseen.scrollIntoView({ block: "center", behavior: "instant" });
    notice(say("Not submitted: read what was drafted for “{label}”, then submit again.", { label: this.form.label(nameOf(unseen)) }));
    return true;
  }

  async #submit() {
    // A save in progress may change the version. After it, the submission itself carries the text.
    this.#alerts.dismiss("merged");
    const merges = this.#merges;
    const isSaved = await this.draft.save();
    if (this.#merges !== merges) {
      this.#tellNotSubmitted();
      return;
    }
    if (!isSaved && this.draft.isHalted) return;
    const content = this.form.read();
    const guideline = one("[name=guideline]", this.element, HTMLInputElement).value;
    const sent = {
      operation: this.#operationFor(content),
      tab: this.draft.page,
      content,
      guideline,
      ready: this.ahead.offered,
      ...this.drafts?.looks,
    };
    const answer = await postJSON(this.element.action, sent, { version: this.draft.version, patience: SUBMIT_PATIENCE });
    if (answer.outcome === "unanswered") {
      this.#tellUnanswered(answer.cause);
      return;
    }
    this.#attempt = null;
    this.#alerts.dismiss("refused");
    if (answer.outcome === "done") {
      this.draft.acknowledge(this.draft.version, content);
      this.draft.isLeaving = true;
      goOn(answer.data, this.ahead);
    } else if (answer.outcome === "signed-out") {
      this.#showState("signed-out");
    } else {
      this.#onRefusedSubmission(answer, content);
    }
  }

  /**
   * @param {{ reason: string, message: string, data: any }} answer
   * @param {Content} content
   */
  #onRefusedSubmission({ reason, message, data }, content) {
    if (reason === "problems") {
      this.draft.acknowledge(data.version, content);
      this.drafts?.watch(data.problems.flatMap((/** @type {any} */ { field, is_unseen }) => (is_unseen ? [field] : [])));
      this.steps.showProblems(data.problems);
    } else if (reason === "stale") {
      this.draft.halt("stale");
      this.#showState("stale");
      this.#onStale(data.version, data.content);
      this.#tellNotSubmitted();
    } else {
      this.alert("refused", message);
    }
  }

  /** @param {import("../text/failures.js").Cause} cause */
  #tellUnanswered(cause) {
    const values = { cause: lowerFirst(wordsFor(cause)), advice: adviceFor(cause) };
    this.alert("refused", say("Not submitted: {cause} Your text is kept in this browser; {advice}.", values));
  }

  // Nobody submits text they have not seen: changes from elsewhere must be read first.
  #tellNotSubmitted() {
    const merged = this.#alerts.find("merged");
    if (merged) one("[data-then]", merged).textContent = say("Not submitted: read these fields first, then submit again.");
  }

  /**
   * Sending the same text again after a lost answer counts as the same submission.
   * @param {Content} content
   */
  #operationFor(content) {
    const text = JSON.stringify(content);
    if (this.#attempt?.text !== text) this.#attempt = { text, operation: newId() };
    return this.#attempt.operation;
  }

  /**
   * Skips or flags the tag, after saving what was typed.
   * @param {SubmitEvent} event
   * @param {HTMLFormElement} form
   */
  async #onLeave(event, form) {
    if (form.dataset.ready) return;
    event.preventDefault();
    if (!(await this.draft.save()) && !this.draft.isHalted) {
      around(form, "dialog", HTMLDialogElement)?.close();
      this.alert("refused", say("Nothing was changed, because the draft could not be saved first. Your text is kept in this browser; try again once it is saved."));
      return;
    }
    this.draft.isLeaving = true;
    form.dataset.ready = "yes";
    // After this event: browsers ignore a submission within the event that was just stopped.
    setTimeout(() => form.requestSubmit());
  }
}

/**
 * After a submission: shows the next tag at once if its page is here, or else loads it.
 * @param {{ next: string, notices?: string }} submitted
 * @param {Ahead} ahead
 */
function goOn({ next, notices }, ahead) {
  const ready = notices === undefined ? null : ahead.take(next);
  if (!ready) {
    location.assign(next);
    return;
  }
  endVisit();
  goTo(next);
  document.title = ready.title;
  one("main").replaceWith(ready.main);
  htmx.process(ready.main);
  // The server's own words about what was submitted.
  one("#notices").replaceChildren(document.createRange().createContextualFragment(notices ?? ""));
  startNotices();
  if (fillIn()) start();
}

/** @returns {Desk} */
function start() {
  startTypes(one("#desk-form", document, HTMLFormElement));
  prepareGuides();
  keepScriptsOfPasted();
  const desk = new Desk(one("#desk-form", document, HTMLFormElement));
  listenToKeys(desk);
  // Modules that few tags need are loaded only there.
  if (maybe("[data-edit]", desk.element)) import("./edits.js").then(({ Edits }) => new Edits(desk));
  if (document.getElementById("suggested-texts")) import("./model-suggestions.js").then(({ ModelSuggestions }) => new ModelSuggestions(desk.element));
  startComments({ save: () => desk.draft.save() });
  return desk;
}

document.documentElement.classList.add("scripted");
/** The page's desk; null while the page is being loaded again. */
export const desk = fillIn() ? start() : null;
