// What is drawn over a passage that is edited: what was taken out, in the room there is, and the changes in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf, wordChanges } from "../../static/scripts/text/changes.js";
import { changesInWords, labelsOf } from "../../static/scripts/text/marks.js";

const labels = (before, after) => labelsOf(runsOf(wordChanges(before, after)));

test("each change is a run with what was kept behind it, and the runs make up both texts", () => {
  const [before, after] = ["It opened in 1903 to applause.", "The bridge opened in May 1903."];
  const runs = runsOf(wordChanges(before, after));
  assert.equal(runs.map(({ added, kept }) => added + kept).join(""), after);
  assert.deepEqual(runs.map(({ removed }) => removed), ["It ", "", "to applause"]);
});

test("a short word that was taken out is shown whole, a long stretch as far as there is room", () => {
  assert.deepEqual(labels("It opened in 1903.", "The bridge opened in 1903."), ["It"]);
  const [first] = labels("one two three four five six a seven", "a b");
  assert.ok(first.length < "one two three four five six".length && first.endsWith("…"));
});

test("the changes are said in words, with all that was taken out", () => {
  assert.equal(changesInWords(wordChanges("It opened in 1903.", "The bridge opened.")),
    "2 changes: “It” became “The bridge”; “in 1903” was removed.");
  assert.equal(changesInWords(wordChanges("It opened.", "It opened again.")), "1 change: “again” was added.");
  assert.equal(changesInWords(wordChanges("It opened.", "It opened.")), "");
});
