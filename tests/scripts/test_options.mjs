// Which of the semantic types a few typed letters may mean.
import assert from "node:assert/strict";
import { test } from "node:test";
import { matching } from "../../static/scripts/text/options.js";

const OPTIONS = [
  { name: "DATE Date/time", aside: "dates, times, durations; named", meaning: "Two named dates exclude each other." },
  { name: "NORP Nationality, religious or political group", aside: "", meaning: "Two nationalities exclude each other." },
  { name: "NP Noun phrase", aside: "", meaning: "Two noun phrases that are not names exclude each other, for example monotypic." },
];

test("the beginning of any word of a name finds it, an abbreviation too", () => {
  assert.deepEqual(matching("poli", OPTIONS), [1]);
  assert.deepEqual(matching("norp", OPTIONS), [1]);
  assert.deepEqual(matching("no", OPTIONS), [1, 2]);
  assert.deepEqual(matching("gr nat", OPTIONS), [1]);
});

test("what no name has is looked for beside it, then in the meanings, and nothing typed shows all", () => {
  assert.deepEqual(matching("na", OPTIONS), [1]);
  assert.deepEqual(matching("dur", OPTIONS), [0]);
  assert.deepEqual(matching("mono", OPTIONS), [2]);
  assert.deepEqual(matching(" ", OPTIONS), [0, 1, 2]);
  assert.deepEqual(matching("zebra", OPTIONS), []);
  assert.deepEqual(matching("(*[", OPTIONS), [0, 1, 2]);
});
