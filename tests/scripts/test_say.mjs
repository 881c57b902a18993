// Texts of scripts: English where they stand, and translated on pages of other languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { say, sayCount, translate } from "../../static/scripts/text/say.js";

test("without translations a text is what stands in the script, with its values", () => {
  assert.equal(say("Saved"), "Saved");
  assert.equal(say("{one} + {two} words", { one: 3, two: 0 }), "3 + 0 words");
  assert.equal(sayCount(1, "{count} change", "{count} changes"), "1 change");
  assert.equal(sayCount(0, "{count} change", "{count} changes"), "0 changes");
});

test("a value may look like a name, and a name without a value stays", () => {
  assert.equal(say("“{text}” by {who}", { text: "{who}", who: "ada" }), "“{who}” by ada");
  assert.equal(say("Sign in {link}, then come back."), "Sign in {link}, then come back.");
});

test("with translations it is said in their words, in the form for the number", () => {
  translate({ Saved: "Gespeichert", "{count} change": ["{count} Änderung", "{count} Änderungen"] });
  assert.equal(say("Saved"), "Gespeichert");
  assert.equal(say("Not saved"), "Not saved");
  assert.equal(sayCount(1, "{count} change", "{count} changes"), "1 Änderung");
  assert.equal(sayCount(2, "{count} change", "{count} changes"), "2 Änderungen");
});
