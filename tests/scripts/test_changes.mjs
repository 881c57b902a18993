// The word diff: what was kept, added and removed between two texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wordChanges } from "../../static/scripts/text/changes.js";

const textOf = (pieces, ...kinds) => pieces.filter(([kind]) => kinds.includes(kind)).map(([, text]) => text).join("");

test("a word that was put for another is removed and added once", () => {
  const pieces = wordChanges("It opened in 1903.", "Harbour Bridge opened in 1903.");
  assert.deepEqual(pieces, [["removed", "It "], ["added", "Harbour Bridge "], ["kept", "opened in 1903."]]);
});

test("the same text has one piece, and no text none", () => {
  assert.deepEqual(wordChanges("It opened.", "It opened."), [["kept", "It opened."]]);
  assert.deepEqual(wordChanges("", ""), []);
});

test("changes in two spots are two", () => {
  const kinds = wordChanges("a b c d e f", "a X c d Y f").map(([kind]) => kind);
  assert.deepEqual(kinds, ["kept", "removed", "added", "kept", "removed", "added", "kept"]);
});

test("only blanks differ: the words are kept", () => {
  const pieces = wordChanges("one two  three four", "one two three four");
  assert.equal(textOf(pieces, "removed"), "");
  assert.equal(textOf(pieces, "kept", "added"), "one two three four");
});

test("words of other scripts are words", () => {
  assert.deepEqual(wordChanges("Мост открыт", "Мост закрыт"), [["kept", "Мост "], ["removed", "открыт"], ["added", "закрыт"]]);
});

test("kept and added together are the new text, kept and removed the old words, whatever the texts", () => {
  const words = ["the", "bridge", "opened", "in", "1903", ".", "—", "été", "𝒙", "\n"];
  let seed = 7;
  const next = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const text = () => Array.from({ length: next(14) }, () => words[next(words.length)]).join(" ");
  const plain = (given) => given.replace(/\s+/g, "");
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [text(), text()];
    const pieces = wordChanges(before, after);
    assert.equal(textOf(pieces, "kept", "added"), after);
    assert.equal(plain(textOf(pieces, "kept", "removed")), plain(before));
  }
});

test("texts too long to be compared while typing are one change", () => {
  const pieces = wordChanges("a ".repeat(1_600), "b ".repeat(1_600));
  assert.deepEqual(pieces.map(([kind]) => kind), ["removed", "added"]);
});
