// The fields that a step still needs. Repeats the server's check of what is blank, so that the page can say so at once.
import { originProblem } from "./summaries.js";

/** @typedef {import("../text/merge.js").Content} Content */

const NUMERALS = ["I", "II", "III", "IV"];

/**
 * The names of the fields that a step needs and that are blank, in the order of the form.
 * @param {number} step
 * @param {Content} content
 * @returns {string[]} empty for a step that is complete
 */
export function missingIn(step, content) {
  /** @param {string[]} names */
  const blank = (...names) => names.filter((name) => !String(content[name] ?? "").trim());
  if (step === 1) return blank("wikitag_label_valid", ...(content.wikitag_label_valid === "Invalid" ? ["valid_comment"] : []));
  if (step === 2) {
    const second = content.wikitag_label_samepassage === "Same" ? [] : ["paragraphB_article", "paragraphB_information"];
    return blank("paragraphA_article", "paragraphA_information", "wikitag_label_samepassage", ...second);
  }
  if (step === 3) return blank("relevantInfo_comment_A", "relevantInfo_comment_B");
  if (step === 4) {
    const missing = NUMERALS.map((numeral) => `Contradict type ${numeral}`).filter((name) => !content[name]?.length);
    return originProblem(content) && !content.origin_confirmed ? [...missing, "origin_confirmed"] : missing;
  }
  return step === 5 ? missingQuestions(content, blank) : blank("confidence");
}

/**
 * Questions left blank as a whole do not count, but one is needed.
 * @param {Content} content
 * @param {(...names: string[]) => string[]} blank
 * @returns {string[]}
 */
function missingQuestions(content, blank) {
  const rows = Object.keys(content).filter((name) => /^question\d+$/.test(name)).map((name) => [name, `${name}_answer1`, `${name}_answer2`]);
  const begun = rows.filter((row) => blank(...row).length < row.length);
  return begun.length ? begun.flatMap((row) => blank(...row)) : blank("question1", "question1_answer1", "question1_answer2");
}
