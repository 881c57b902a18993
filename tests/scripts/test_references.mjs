// Words that may need their surroundings: found where they stood, moved along when one is replaced.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, standing, without } from "../../static/scripts/desk/references.js";

const TEXT = "It opened. It is long.";
const FIRST = { start: 0, end: 2, text: "It", replacement: "Harbour Bridge" };
const SECOND = { start: 11, end: 13, text: "It", replacement: "Harbour Bridge" };

test("a word that was typed over is no longer a reference", () => {
  assert.deepEqual(standing(TEXT, [FIRST, SECOND]), [FIRST, SECOND]);
  assert.deepEqual(standing(`X${TEXT}`, [FIRST, SECOND]), []);
});

test("when one is replaced, those behind it move along", () => {
  const after = TEXT.replace("It", FIRST.replacement);
  const left = without([FIRST, SECOND], FIRST);
  assert.deepEqual(standing(after, left), left);
  assert.equal(left.length, 1);
});

test("when a later one is replaced, those before it stay", () => {
  assert.deepEqual(without([FIRST, SECOND], SECOND), [FIRST]);
});

test("a piece is cut where its references stand, those across its border left out", () => {
  assert.deepEqual(cut(TEXT, 0, [FIRST, SECOND]), [["It", FIRST], [" opened. ", null], ["It", SECOND], [" is long.", null]]);
  assert.deepEqual(cut("t opened. I", 1, [FIRST, SECOND]), [["t opened. I", null]]);
});
