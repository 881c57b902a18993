// The annotator's desk: wires the form to its draft, its steps and the keyboard. The page works without it, too.
"use strict";

const RENEW_EVERY = 30_000;

class Desk {
  merges = 0; // how often another version came in

  constructor(element) {
    this.element = element;
    this.alerts = document.getElementById("desk-alerts");
    this.state = document.getElementById("saved-state");
    this.questions = new Questions(() => this.changed());
    this.form = new DeskForm(element, this.questions);
    this.steps = new Steps(this.form);
    this.passages = new Passages(element, () => this.changed());
    this.conflict = new Conflict(this.form);
    this.draft = new Draft({
      saveUrl: element.dataset.save,
      version: Number(element.dataset.version),
      name: `${element.dataset.person}:${element.dataset.annotation}`,
      read: () => this.form.read(),
      onState: (name, words) => this.showState(name, words),
      onStale: (version, content) => this.onStale(version, content),
      onAnswer: (answer) => this.onAnswer(answer),
    });
    element.addEventListener("input", () => this.changed());
    element.addEventListener("change", () => this.changed());
    element.addEventListener("applied", () => this.changed());
    element.addEventListener("focusout", () => this.draft.save());
    element.addEventListener("submit", (event) => this.onSubmit(event));
    element.addEventListener("change", (event) => this.onValidity(event.target));
    for (const link of document.querySelectorAll("a[data-dialog]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        openDialog(document.getElementById(link.dataset.dialog), link);
      });
    }
    for (const form of document.querySelectorAll("form[data-leaves]")) {
      form.addEventListener("submit", (event) => this.onLeave(event, form));
    }
    addEventListener("pageshow", (event) => event.persisted && this.renew());
    const lease = Number(element.dataset.lease) * 1000;
    setInterval(() => this.renew(), Math.min(RENEW_EVERY, lease / 4));
    this.renew();
    this.pane = new Pane(document.getElementById("pane"));
    this.picking = new Picking(this, this.pane);
    this.assist = new Assist(this);
    this.time = new ActiveTime(this);
    this.begin();
    this.restore();
  }

  // Text was selected as passage 1 or 2: the step opens, and the keys that help with it work from here.
  picked(position) {
    const step = this.steps.step(2);
    if (!step.open) step.open = true;
    const box = step.querySelector(`.passage-${position}`);
    box.scrollIntoView({ block: "nearest" });
    this.assist.askNow();
  }

  // The cursor where work goes on: before the first key, as some keys act on the field that has it.
  begin() {
    const problem = document.querySelector("#problems:not([hidden]) a");
    if (problem) this.steps.goToField(problem.hash.slice(1));
    else if (document.activeElement === document.body && location.hash.length < 2) {
      const open = this.steps.all.find((step) => step.open);
      if (open) this.steps.focusIn(open);
      else document.getElementById("submit").focus({ preventScroll: true });
    }
  }

  changed() {
    this.steps.show();
    this.passages.show();
    this.assist?.changed();
    this.draft.touch();
  }

  onValidity(control) {
    if (control.name !== "wikitag_label_valid") return;
    const first = this.steps.all.slice(1).find((step) => step.open);
    if (control.value === "Valid" && !first) this.steps.step(2).open = true;
  }

  // --- the state of the draft ---------------------------------------------------------------------------------

  showState(name, words) {
    const now = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const shown = {
      saved: `Saved ${now}`,
      saving: "Saving…",
      offline: "Offline: kept in this browser",
      "signed-out": "Signed out: kept in this browser",
      stale: "Not saved: two versions",
      refused: "Not saved",
      closed: "Not saved",
    }[name];
    if (this.state.dataset.state !== name || name === "saved") this.state.textContent = shown;
    this.state.dataset.state = name;
    if (name === "signed-out") this.alert("signed-out");
    if (name === "refused" || name === "closed") this.alert("refused", words);
    if (name === "saved") this.dismiss("signed-out", "refused");
  }

  alert(name, words) {
    let shown = this.alerts.querySelector(`[data-alert=${name}]`);
    if (!shown) {
      shown = document.getElementById(`state-${name}`).content.cloneNode(true).firstElementChild;
      shown.dataset.alert = name;
      const link = shown.querySelector("[data-sign-in]");
      if (link) link.href = this.element.dataset.signIn;
      this.alerts.append(shown);
    }
    const line = shown.matches("[data-words]") ? shown : shown.querySelector("[data-words]");
    if (line && line.textContent !== words) line.textContent = words;
    return shown;
  }

  dismiss(...names) {
    for (const name of names) this.alerts.querySelector(`[data-alert=${name}]`)?.remove();
  }

  onAnswer(answer) {
    if (answer.standing === "held") this.dismiss("standing");
    else if (answer.message) this.alert("standing", answer.message);
  }

  async renew() {
    try {
      const response = await fetch(this.element.dataset.renew, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() ?? "" },
        body: "{}",
      });
      if (response.status === 401) this.alert("signed-out");
      if (!response.ok) return;
      const answer = await response.json();
      this.onAnswer(answer);
      if (!this.draft.isDirty) this.dismiss("signed-out");
      if (answer.version > this.draft.version && !this.draft.isDirty) {
        this.alert("changed").querySelector("[data-reloads]").onclick = () => location.reload();
      }
    } catch { /* offline: the next save says so, and the draft is kept */ }
  }

  // The draft was saved from elsewhere. What only one side changed is merged; this page's version of the rest stays in
  // the form until the person has chosen.
  onStale(version, theirs) {
    this.dismiss("changed");
    const { taken, clashing } = mergeFields(this.draft.base, this.form.read(), theirs);
    const names = Object.keys(taken);
    if (names.length || clashing.length) this.merges += 1;
    this.form.apply(taken);
    if (names.length) this.tellMerged(names);
    const goOn = () => {
      this.draft.acknowledge(version, theirs);
      setTimeout(() => this.draft.save()); // once the answer at hand is dealt with
    };
    if (clashing.length) this.conflict.show(clashing, theirs, { onDecided: goOn });
    else goOn();
  }

  tellMerged(names) {
    const labels = [...new Set(names.map((name) => this.form.label(name)))].join("; ");
    const said = this.alerts.querySelector("[data-alert=merged] [data-fields]")?.textContent;
    this.alert("merged").querySelector("[data-fields]").textContent = said ? `${said}; ${labels}` : labels;
  }

  // What earlier pages could not bring to the server before they were closed or killed, the newest first.
  async restore() {
    const saved = this.form.read();
    for (const [key, record] of await this.draft.mirror.left()) {
      await this.bringBack(record, saved);
      this.draft.orphans.push(key);
    }
    if (this.draft.orphans.length) this.draft.save().then((isSaved) => isSaved && this.forget());
  }

  // Resolves once nothing of the record is left to decide.
  bringBack(record, saved) {
    // Kept by a page of the same version without its base: what this page shows is that.
    const base = record.base ?? (record.version === this.draft.version ? saved : null);
    const { taken, clashing } = mergeFields(base, this.form.read(), record.content);
    this.form.apply(taken);
    if (Object.keys(taken).length) this.tellRestored(record, saved);
    if (!clashing.length) return Promise.resolve();
    return new Promise((resolve) => {
      this.conflict.show(clashing, record.content, {
        words: "This browser kept text that had not reached the server, and the draft was saved from elsewhere since. "
          + "Nothing is lost: choose for each field.",
        other: "Kept in this browser",
        onDecided: resolve,
      });
    });
  }

  tellRestored(record, saved) {
    const shown = this.alert("restored");
    shown.querySelector("[data-when]").textContent = `at ${new Date(record.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
    shown.querySelector("[data-undoes-restore]").onclick = () => {
      this.form.apply(saved);
      this.dismiss("restored");
    };
  }

  forget() {
    for (const key of this.draft.orphans.splice(0)) this.draft.mirror.remove(key);
  }

  // --- leaving ------------------------------------------------------------------------------------------------

  async onSubmit(event) {
    event.preventDefault();
    if (event.submitter && !event.submitter.matches("#submit")) {
      await this.draft.save();
      return;
    }
    if (this.busy || this.conflict.isOpen) {
      document.querySelector("#conflict:not([hidden])")?.focus();
      return;
    }
    this.busy = true;
    document.getElementById("submit").setAttribute("aria-busy", "true");
    try {
      await this.submit();
    } finally {
      this.busy = false;
      document.getElementById("submit").removeAttribute("aria-busy");
    }
  }

  async submit() {
    // A save under way may change the version; after this the submission itself carries the text.
    this.dismiss("merged");
    const { merges } = this;
    const isSaved = await this.draft.save();
    if (this.merges !== merges) return this.tellNotSubmitted();
    if (!isSaved && this.draft.halted) return;
    const content = this.form.read();
    let response, answer;
    try {
      response = await fetch(this.element.action, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "If-Match": `"${this.draft.version}"`,
          "X-CSRFToken": csrfToken() ?? "",
        },
        body: JSON.stringify({ operation: this.operationFor(content), tab: this.draft.page, content }),
        redirect: "error",
      });
      answer = await response.json();
    } catch {
      this.alert("refused", "Not submitted: the server does not answer. What you typed is kept in this browser; submit again when the connection is back.");
      return;
    }
    this.attempt = null;
    this.dismiss("refused");
    if (response.ok) {
      this.draft.acknowledge(this.draft.version, content);
      this.draft.isLeaving = true;
      location.assign(answer.next);
    } else if (answer.reason === "problems") {
      this.draft.acknowledge(answer.version, content);
      this.steps.showProblems(answer.problems);
    } else if (answer.reason === "stale") {
      this.draft.halt("stale");
      this.showState("stale");
      this.onStale(answer.version, answer.content);
      this.tellNotSubmitted();
    } else if (answer.reason === "signed_out") {
      this.showState("signed-out");
    } else {
      this.alert("refused", answer.message);
    }
  }

  // Nobody submits what they have not seen: what came in from elsewhere is read first.
  tellNotSubmitted() {
    const line = this.alerts.querySelector("[data-alert=merged] [data-then]");
    if (line) line.textContent = "Not submitted: read these fields first, then submit again.";
  }

  // Submitting the same text again, because the answer was lost, is the same submission.
  operationFor(content) {
    const text = JSON.stringify(content);
    if (this.attempt?.text !== text) this.attempt = { text, operation: newId() };
    return this.attempt.operation;
  }

  // Skip and flag: what was typed is saved first.
  async onLeave(event, form) {
    if (form.dataset.ready) return;
    event.preventDefault();
    if (!(await this.draft.save()) && !this.draft.halted) {
      form.closest("dialog").close();
      this.alert("refused", "Nothing was changed: the server does not answer. What you typed is kept in this browser; try again when the connection is back.");
      return;
    }
    this.draft.isLeaving = true;
    form.dataset.ready = "yes";
    // Not within the event that was just stopped: a browser ignores that.
    setTimeout(() => form.requestSubmit());
  }
}

// --- the keyboard -----------------------------------------------------------------------------------------------

class Keys {
  constructor(desk) {
    this.desk = desk;
    addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return;
    const hasControl = event.ctrlKey || event.metaKey;
    const done = hasControl ? !event.altKey && this.#control(event)
      : event.altKey ? this.#alt(event)
      : this.#among(event) || (mayKeyAct(event) && this.#plain(event));
    if (done) event.preventDefault();
  }

  #control(event) {
    if (event.key === "Enter") {
      document.getElementById("submit").click();
      return true;
    }
    if (event.key.toLowerCase() === "s") {
      this.desk.draft.save();
      return true;
    }
    return false;
  }

  #alt(event) {
    const digit = /^(?:Digit|Numpad)([1-6])$/.exec(event.code)?.[1];
    const act = {
      Enter: () => this.desk.steps.goTo(this.desk.steps.current + 1),
      KeyU: () => {
        this.desk.steps.goTo(2);
        this.desk.picking.takeTagged();
      },
      KeyM: () => this.desk.passages.takeSpan(),
      KeyR: () => this.desk.assist.resolveNext(),
      KeyS: () => this.desk.assist.acceptNext(),
      KeyA: () => this.desk.pane.panel().focus({ preventScroll: true }),
      KeyQ: () => {
        this.desk.steps.goTo(5);
        this.desk.questions.add();
      },
      KeyK: () => document.querySelector("[data-dialog=skip-dialog]").click(),
      KeyL: () => document.querySelector("[data-dialog=flag-dialog]").click(),
      KeyG: () => toggleGuides(),
      ArrowDown: () => this.#group(event, 1),
      ArrowUp: () => this.#group(event, -1),
    }[event.code === "NumpadEnter" ? "Enter" : event.code];
    if (digit) this.desk.steps.goTo(Number(digit));
    else if (act) act();
    return Boolean(digit || act);
  }

  // To the choices after or before those at hand.
  #group(event, by) {
    const step = event.target.closest("[data-step]");
    const groups = [...(step?.querySelectorAll("fieldset.choices, [data-group], fieldset.question") ?? [])];
    const at = groups.indexOf(event.target.closest("fieldset.choices, [data-group], fieldset.question"));
    const group = groups[at + by];
    (group?.querySelector("input:checked, textarea, input"))?.focus();
  }

  #plain(event) {
    if (this.#inPane(event)) return true;
    const step = event.target.closest("[data-step]")?.dataset.step;
    const choose = (selector) => this.desk.element.querySelector(selector).click();
    if (event.key === "?") {
      document.querySelector("[data-opens=keys-dialog]").click();
      return true;
    }
    if ((step === "1" || !step) && event.key.toLowerCase() === "v") {
      choose("[name=wikitag_label_valid][value=Valid]");
      this.desk.steps.goTo(2);
      return true;
    }
    if ((step === "1" || !step) && event.key.toLowerCase() === "i") {
      this.desk.steps.step(1).open = true;
      choose("[name=wikitag_label_valid][value=Invalid]");
      document.getElementById("f-valid_comment").focus();
      return true;
    }
    if (step === "6" && /^[1-5]$/.test(event.key)) {
      const chosen = this.desk.element.querySelector(`[name=confidence][value="${event.key}"]`);
      chosen.click();
      chosen.focus();
      return true;
    }
    return false;
  }

  // Keys of the reading pane: 1 and 2 take what is selected, arrows select sentences, / finds, T goes to the tag.
  #inPane(event) {
    const { pane, picking } = this.desk;
    if (picking.isThere && (event.key === "1" || event.key === "2")) {
      picking.take(Number(event.key));
      return true;
    }
    if (event.key === "/") {
      pane.find.focus();
      return true;
    }
    if (!event.target.closest("[role=tabpanel]")) return false;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) picking.sentence(by, { extend: event.shiftKey });
    else if (event.key.toLowerCase() === "t") pane.toTag();
    else return false;
    return true;
  }

  // Ticking boxes: arrows go from one to the next, a letter to the next that begins with it.
  #among(event) {
    if (!event.target.matches("[type=checkbox][data-list]")) return false;
    const boxes = [...event.target.closest("fieldset").querySelectorAll("[type=checkbox]")];
    const at = boxes.indexOf(event.target);
    const turned = [...boxes.slice(at + 1), ...boxes.slice(0, at + 1)];
    const letter = event.key.toLowerCase();
    const to = { ArrowDown: turned[0], ArrowRight: turned[0], ArrowUp: turned.at(-2), ArrowLeft: turned.at(-2) }[event.key]
      ?? (/^\p{L}$/u.test(letter) ? turned.find((box) => box.dataset.name.toLowerCase().startsWith(letter)) : null);
    to?.focus();
    return Boolean(to);
  }
}

// What the type under the pointer or the cursor means.
function explainTypes() {
  for (const line of document.querySelectorAll("[data-meaning]")) {
    const explain = (event) => {
      const title = event.target.closest("label")?.title;
      if (title) line.textContent = title;
    };
    line.parentElement.addEventListener("mouseover", explain);
    line.parentElement.addEventListener("focusin", explain);
  }
}

document.documentElement.classList.add("scripted");
explainTypes();
prepareGuides();
window.desk = new Keys(new Desk(document.getElementById("desk-form"))).desk;
