// Summarises in a few words what each step decided, for the line of a folded step.
import { say, sayCount } from "../text/say.js";
import { shortened, wordCount } from "../text/words.js";

/** @typedef {import("../text/merge.js").Content} Content */

const NUMERALS = ["I", "II", "III", "IV"];

/**
 * @param {number} step
 * @param {Content} content
 * @param {(name: string, value: string | string[]) => string} words Turns codes of options into their names
 * @returns {string} "" while the step has decided nothing
 */
export function summary(step, content, words) {
  /** @param {string} name */
  const text = (name) => String(content[name] ?? "").trim();
  if (step === 1) return [validity(text("wikitag_label_valid")), text("valid_comment") && say("“{text}”", { text: shortened(text("valid_comment")) })].filter(Boolean).join(", ");
  if (step === 2) return passageSummary(text);
  if (step === 3) return ["A", "B"].map((letter) => text(`relevantInfo_comment_${letter}`)).filter(Boolean).map(shortened).join(" · ");
  if (step === 4) return NUMERALS.map((numeral) => `Contradict type ${numeral}`).map((name) => words(name, content[name] ?? [])).filter(Boolean).join(" · ");
  if (step === 5) {
    const asked = Object.keys(content).filter((name) => /^question\d+$/.test(name)).map(text).filter(Boolean);
    return asked.length ? sayCount(asked.length, "{count} question: {first}", "{count} questions: {first}", { first: shortened(asked[0]) }) : "";
  }
  return text("confidence") && say("{confidence} of 5", { confidence: text("confidence") });
}

/** @param {string} chosen */
function validity(chosen) {
  return chosen && (chosen === "Valid" ? say("Valid") : say("Invalid"));
}

/** @param {(name: string) => string} text */
function passageSummary(text) {
  const [one, two] = ["A", "B"].map((letter) => wordCount(text(`paragraph${letter}_information`)));
  if (text("wikitag_label_samepassage") === "Same") return one ? say("{one} words, the same passage twice", { one }) : "";
  if (!one && !two) return "";
  const reworded = ["A", "B"].filter((letter) => {
    const standalone = text(`paragraph${letter}_information_standalone`);
    return standalone && standalone !== text(`paragraph${letter}_information`);
  }).length;
  const values = { one, two, reworded };
  return reworded ? say("{one} + {two} words, {reworded} reworded to stand alone", values) : say("{one} + {two} words", values);
}

/**
 * Repeats the server's check, so that the page can ask at once instead of after submission.
 * @param {Content} content
 * @returns {string} what does not fit between the origin and the articles' titles; "" if they fit
 */
export function originProblem(content) {
  const one = titleKey(content.paragraphA_article);
  const other = content.wikitag_label_samepassage === "Same" ? one : titleKey(content.paragraphB_article);
  const [origin] = content["Contradict type III"] ?? [];
  if (!one || !other) return "";
  if (origin === "SAME" && one !== other) return say("The origin says one article, but step 2 names two: “{one}” and “{other}”.", { one, other });
  if (origin === "CROSS" && one === other) return say("The origin says different articles, but both passages are from “{one}”.", { one });
  return "";
}

/** @param {string | string[] | undefined} title */
function titleKey(title) {
  const plain = String(title ?? "").normalize("NFC").replace(/_/g, " ").trim().replace(/\s+/g, " ");
  return plain.replace(/^./u, (first) => first.toUpperCase());
}
