// What the folded steps of the desk say, and the question about origin and titles.
import assert from "node:assert/strict";
import { test } from "node:test";
import { originProblem, summary } from "../../static/scripts/desk/summaries.js";

const words = (_name, value) => [value].flat().join(", ");
const said = (step, content) => summary(step, content, words);

test("a step that has decided nothing says nothing", () => {
  for (const step of [1, 2, 3, 4, 5, 6]) assert.equal(said(step, {}), "", `step ${step}`);
});

test("validity is said with a shortened comment", () => {
  assert.equal(said(1, { wikitag_label_valid: "Invalid", valid_comment: "solved" }), "Invalid, “solved”");
  const long = said(1, { wikitag_label_valid: "Invalid", valid_comment: "x".repeat(100) });
  assert.ok(long.endsWith(`${"x".repeat(57)}…”`));
});

test("passages are said with their words, and how many were reworded", () => {
  const content = {
    paragraphA_information: "It opened in 1903.",
    paragraphA_information_standalone: "Harbour Bridge opened in 1903.",
    paragraphB_information: "in 1899",
    paragraphB_information_standalone: "in 1899",
  };
  assert.equal(said(2, content), "4 + 2 words, 1 reworded to stand alone");
  assert.equal(said(2, { ...content, wikitag_label_samepassage: "Same" }), "4 words, the same passage twice");
});

test("types, questions and confidence are said in words", () => {
  assert.equal(said(4, { "Contradict type I": ["Date", "Name"], "Contradict type II": [] }), "Date, Name");
  assert.equal(said(5, { question1: "", question2: "When?", question2_answer1: "1903" }), "1 question: When?");
  assert.equal(said(6, { confidence: "4" }), "4 of 5");
});

test("one article with two titles, and two articles with one, are asked about", () => {
  const titles = { paragraphA_article: "harbour_Bridge", paragraphB_article: "Tunnel" };
  assert.match(originProblem({ ...titles, "Contradict type III": ["SAME"] }), /names two: “Harbour Bridge” and “Tunnel”/);
  assert.match(originProblem({ ...titles, paragraphB_article: "Harbour  Bridge", "Contradict type III": ["CROSS"] }), /both passages are from “Harbour Bridge”/);
  assert.match(originProblem({ ...titles, wikitag_label_samepassage: "Same", "Contradict type III": ["CROSS"] }), /both passages/);
});

test("titles that fit, or are not there yet, are not asked about", () => {
  const titles = { paragraphA_article: "Bridge", paragraphB_article: "Tunnel" };
  assert.equal(originProblem({ ...titles, "Contradict type III": ["CROSS"] }), "");
  assert.equal(originProblem({ ...titles, paragraphB_article: "", "Contradict type III": ["SAME"] }), "");
  assert.equal(originProblem({ ...titles, "Contradict type III": [] }), "");
});
