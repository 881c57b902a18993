// The fields that a step still needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingIn } from "../../static/scripts/desk/missing.js";

const whole = {
  wikitag_label_valid: "Valid", paragraphA_article: "A", paragraphA_information: "one", wikitag_label_samepassage: "Different",
  paragraphB_article: "A", paragraphB_information: "other", relevantInfo_comment_A: "x", relevantInfo_comment_B: "y",
  "Contradict type I": ["DATE"], "Contradict type II": ["TEXT"], "Contradict type III": ["SAME"], "Contradict type IV": ["EXPLICIT"],
  question1: "When?", question1_answer1: "1", question1_answer2: "2", question2: "", question2_answer1: "", question2_answer2: "", confidence: "5",
};

test("a complete form lacks nothing", () => {
  for (let step = 1; step <= 6; step += 1) assert.deepEqual(missingIn(step, whole), []);
});

test("each step says what it lacks, in the order of the form", () => {
  assert.deepEqual(missingIn(1, { wikitag_label_valid: "Invalid" }), ["valid_comment"]);
  assert.deepEqual(missingIn(2, { ...whole, paragraphB_information: "  " }), ["paragraphB_information"]);
  assert.deepEqual(missingIn(2, { ...whole, paragraphB_information: "", wikitag_label_samepassage: "Same" }), []);
  assert.deepEqual(missingIn(3, {}), ["relevantInfo_comment_A", "relevantInfo_comment_B"]);
  assert.deepEqual(missingIn(4, { ...whole, "Contradict type II": [] }), ["Contradict type II"]);
  assert.deepEqual(missingIn(4, { ...whole, paragraphB_article: "B" }), ["origin_confirmed"]);
  assert.deepEqual(missingIn(5, { question1: "", question1_answer1: "", question1_answer2: "" })[0], "question1");
  assert.deepEqual(missingIn(5, { ...whole, question2: "Who?" }), ["question2_answer1", "question2_answer2"]);
});
