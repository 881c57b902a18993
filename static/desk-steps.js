// The six steps: which is open, what the folded ones decided, and what keeps the form from being submitted.
"use strict";

const wordCount = (text) => text.trim().split(/\s+/).filter(Boolean).length;
const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// What a step decided, in a few words; empty while it has decided nothing.
const SAID = {
  1: (c) => [c.wikitag_label_valid, c.valid_comment && `“${shortened(c.valid_comment)}”`].filter(Boolean).join(", "),
  2: (c) => {
    const [one, two] = [wordCount(c.paragraphA_information), wordCount(c.paragraphB_information)];
    if (c.wikitag_label_samepassage === "Same") return one ? `${one} words, the same passage twice` : "";
    if (!one && !two) return "";
    const changed = ["A", "B"].filter((letter) => {
      const standalone = c[`paragraph${letter}_information_standalone`].trim();
      return standalone && standalone !== c[`paragraph${letter}_information`].trim();
    }).length;
    return `${one} + ${two} words${changed ? `, ${changed} reworded to stand alone` : ""}`;
  },
  3: (c) => [c.relevantInfo_comment_A, c.relevantInfo_comment_B].filter((text) => text.trim()).map(shortened).join(" · "),
  4: (c, form) => [1, 2, 3, 4].map((n) => `Contradict type ${["I", "II", "III", "IV"][n - 1]}`)
    .map((name) => form.words(name, c[name])).filter(Boolean).join(" · "),
  5: (c) => {
    const asked = Object.keys(c).filter((name) => /^question\d+$/.test(name) && c[name].trim());
    return asked.length ? `${counted(asked.length, "question")}: ${shortened(c[asked[0]])}` : "";
  },
  6: (c) => c.confidence && `${c.confidence} of 5`,
};

function shortened(text) {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

class Steps {
  #problems = document.getElementById("problems");

  constructor(form) {
    this.form = form;
    this.all = [...form.element.querySelectorAll("[data-step]")];
    for (const button of form.element.querySelectorAll("[data-goes-to]")) {
      button.addEventListener("click", () => this.goTo(Number(button.dataset.goesTo)));
    }
    this.#problems.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (!link) return;
      event.preventDefault();
      this.goToField(link.hash.slice(1));
    });
    form.element.addEventListener("input", (event) => this.#mended(event.target));
    this.show();
  }

  step(number) {
    return this.all.find((step) => Number(step.dataset.step) === number);
  }

  get current() {
    const focused = document.activeElement.closest("[data-step]");
    return Number((focused ?? this.all.find((step) => step.open) ?? this.all[0]).dataset.step);
  }

  get reachable() {
    return this.form.read().wikitag_label_valid === "Valid" ? 6 : 1;
  }

  // Opens one step, folds the others that need nothing more, and puts the cursor where there is something to do.
  goTo(number) {
    const step = this.step(Math.min(number, this.reachable));
    for (const other of this.all) {
      if (other !== step && !other.querySelector("[aria-invalid=true]")) other.open = false;
    }
    step.open = true;
    this.focusIn(step);
    step.scrollIntoView({ block: "start", behavior: "instant" });
    // On a low screen the field may still be below: the foot must not lie over it.
    if (step.contains(document.activeElement)) document.activeElement.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  focusIn(step) {
    const fields = [...step.querySelectorAll(".step-fields :is(textarea, input)[data-label]")].filter((field) => field.checkVisibility());
    const texts = fields.filter((field) => field.matches("textarea"));
    const blank = texts.find((field) => !field.value.trim());
    const group = fields.find((field) => field.matches("input:not([type=text])"));
    const chosen = group && step.querySelector(`[name="${CSS.escape(group.name)}"]:checked`);
    const first = fields[0]?.matches("input:not([type=text])") ? chosen ?? fields[0] : blank ?? texts[0] ?? fields[0];
    first?.focus({ preventScroll: true });
  }

  goToField(id) {
    const target = document.getElementById(id);
    if (!target) return;
    const step = target.closest("[data-step]");
    if (step) step.open = true;
    const field = target.matches("fieldset") ? target.querySelector("input:checked, input") : target;
    field.focus({ preventScroll: true });
    (target.closest(".field") ?? target).scrollIntoView({ block: "center" });
  }

  // The folded lines, and what depends on choices.
  show() {
    const content = this.form.read();
    for (const step of this.all) {
      step.querySelector("[data-said]").textContent = SAID[step.dataset.step](content, this.form) ?? "";
    }
    this.#checkOrigin(content);
  }

  // As the server's check has it; here only to ask at once rather than after submitting.
  #checkOrigin(content) {
    const key = (title) => title.normalize("NFC").replace(/_/g, " ").trim().replace(/\s+/g, " ").replace(/^./u, (c) => c.toUpperCase());
    const one = key(content.paragraphA_article);
    const other = content.wikitag_label_samepassage === "Same" ? one : key(content.paragraphB_article);
    const [origin] = content["Contradict type III"];
    let words = "";
    if (one && other && origin === "SAME" && one !== other) {
      words = `The origin says one article, but step 2 names two: “${one}” and “${other}”.`;
    } else if (one && other && origin === "CROSS" && one === other) {
      words = `The origin says different articles, but both passages are from “${one}”.`;
    }
    const line = this.form.element.querySelector("[data-origin-check]");
    line.hidden = !words;
    if (words) line.querySelector("[data-origin-words]").textContent = words;
  }

  #marked(problem) {
    const target = document.getElementById(problem.target);
    if (!target) return [];
    if (!target.matches("fieldset") || target.getAttribute("role") === "radiogroup") return [target];
    return [...target.querySelectorAll("input")];
  }

  // Shows what the server found: a list on top, a mark and a message at each field, the cursor at the first.
  showProblems(problems) {
    this.clearProblems();
    const list = document.createElement("ul");
    for (const problem of problems) {
      for (const element of this.#marked(problem)) element.setAttribute("aria-invalid", "true");
      const error = document.getElementById(`${problem.target}-error`);
      if (error && !error.querySelector("[data-origin-words]")) {
        error.textContent = problem.message;
        error.hidden = false;
      }
      const link = document.createElement("a");
      link.href = `#${problem.target}`;
      link.textContent = `Step ${problem.step}: ${problem.message}`;
      const line = document.createElement("li");
      line.append(link);
      list.append(line);
      this.step(problem.step).open = true;
    }
    const head = document.createElement("p");
    const strong = document.createElement("strong");
    strong.textContent = "Not submitted yet. ";
    head.append(strong, problems.length === 1 ? "One thing is to be mended:" : `${problems.length} things are to be mended:`);
    this.#problems.replaceChildren(head, list);
    this.#problems.hidden = false;
    this.goToField(problems[0].target);
  }

  clearProblems() {
    this.#problems.hidden = true;
    this.#problems.replaceChildren();
    for (const element of this.form.element.querySelectorAll("[aria-invalid]")) element.removeAttribute("aria-invalid");
    for (const error of this.form.element.querySelectorAll(".field-error")) error.hidden = true;
  }

  // A field that is being mended loses its mark; the next submission says whether it is mended.
  #mended(control) {
    const marked = control.closest("[aria-invalid=true]");
    if (!marked) return;
    const group = control.closest("fieldset.dimension, fieldset.choices");
    for (const element of [marked, ...(group?.querySelectorAll("[aria-invalid]") ?? [])]) element.removeAttribute("aria-invalid");
    const error = document.getElementById(`${(group ?? control).id}-error`);
    if (error?.classList.contains("field-error")) error.hidden = true;
    const link = this.#problems.querySelector(`a[href="#${CSS.escape((group ?? control).id)}"]`);
    link?.parentElement.classList.add("mended");
  }
}
