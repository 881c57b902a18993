// Offsets in a text: words found, sentences cut, the selection moved sentence by sentence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flatScripts, locate, offsetsOf, stepSentences } from "../../static/scripts/text/offsets.js";

test("words are found whatever their case, one after the other", () => {
  assert.deepEqual(offsetsOf("The the THE", "the"), [0, 4, 8]);
  assert.deepEqual(offsetsOf("aaaa", "aa"), [0, 2]);
  assert.deepEqual(offsetsOf("text", ""), []);
});

test("no more is found than a reader looks through", () => {
  assert.equal(offsetsOf("a".repeat(5_000), "a").length, 1_000);
});

test("raised and lowered text is flat as on the page", () => {
  assert.equal(flatScripts("10⁶ and x^2q, a_(n+1), H₂O"), "106 and x2q, an+1, H2O");
  assert.equal(flatScripts("snake _ case"), "snake _ case");
});

test("a spot lies in the piece that begins there, an end in the piece before", () => {
  const starts = [0, 4, 9];
  assert.deepEqual([0, 3, 4, 8, 9, 30].map((at) => locate(starts, at)), [0, 0, 1, 1, 2, 2]);
  assert.deepEqual([0, 4, 5, 9, 10].map((at) => locate(starts, at, { isEnd: true })), [0, 0, 1, 1, 2]);
});

const four = { count: 4, start: 2, extend: false };

test("the first step selects the sentence to begin with", () => {
  assert.deepEqual(stepSentences({ first: -1, last: -1 }, 1, four), { first: 2, last: 2 });
});

test("a step selects the next or the one before, and stays within the text", () => {
  assert.deepEqual(stepSentences({ first: 1, last: 2 }, 1, four), { first: 3, last: 3 });
  assert.deepEqual(stepSentences({ first: 1, last: 2 }, -1, four), { first: 0, last: 0 });
  assert.deepEqual(stepSentences({ first: 3, last: 3 }, 1, four), { first: 3, last: 3 });
});

test("extending moves the end, never before the beginning", () => {
  const extend = { ...four, extend: true };
  assert.deepEqual(stepSentences({ first: 1, last: 1 }, 1, extend), { first: 1, last: 2 });
  assert.deepEqual(stepSentences({ first: 1, last: 1 }, -1, extend), { first: 1, last: 1 });
  assert.deepEqual(stepSentences({ first: 1, last: 3 }, 1, extend), { first: 1, last: 3 });
});
