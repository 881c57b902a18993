// The text of a passage of several selections: in the article's order, and what was edited stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withParts } from "../../static/scripts/text/passage-parts.js";

const part = (start, text, evidence = 1) => ({ evidence, start, end: start + text.length, text });

const CROSSES = part(0, "The bridge crosses the river.");
const OPENED = part(100, "It opened in 1903.");
const LONG = part(119, "It is 300 m long.");
const BOTH = part(100, "It opened in 1903. It is 300 m long.");

test("parts stand on lines of their own, in the order of the article", () => {
  assert.equal(withParts([], [OPENED], ""), OPENED.text);
  assert.equal(withParts([OPENED], [CROSSES, OPENED], OPENED.text), `${CROSSES.text}\n${OPENED.text}`);
});

test("a part that adjoins another becomes one text with it, on either side", () => {
  assert.equal(withParts([OPENED], [BOTH], OPENED.text), BOTH.text);
  assert.equal(withParts([CROSSES, LONG], [CROSSES, BOTH], `${CROSSES.text}\n${LONG.text}`), `${CROSSES.text}\n${BOTH.text}`);
});

test("a part that fills a gap joins the two beside it", () => {
  const [first, last] = [part(0, "A dog."), part(13, "A dog.")];
  assert.equal(withParts([first, last], [part(0, "A dog. Cats. A dog.")], "A dog.\nOne dog."), "A dog. Cats. One dog.");
});

test("words that were edited stay as they are", () => {
  assert.equal(withParts([OPENED], [BOTH], "Harbour Bridge opened in 1903."), "Harbour Bridge opened in 1903. It is 300 m long.");
  assert.equal(withParts([LONG], [BOTH], "Harbour Bridge is 300 m long."), "It opened in 1903. Harbour Bridge is 300 m long.");
  assert.equal(
    withParts([CROSSES, LONG], [CROSSES, BOTH], "The old bridge crosses the wide river.\nIt is long. It is red."),
    "The old bridge crosses the wide river.\nIt opened in 1903. It is long. It is red.",
  );
  assert.equal(
    withParts([CROSSES, OPENED], [CROSSES, OPENED, part(300, "Cars came.")], "The bridge crosses the river. It is old.\nHarbour Bridge opened in 1903."),
    "The bridge crosses the river. It is old.\nHarbour Bridge opened in 1903.\nCars came.",
  );
});

test("lines that were joined by hand stay joined, and a part that was deleted by hand stays away", () => {
  assert.equal(
    withParts([CROSSES, OPENED], [CROSSES, BOTH], "The bridge crosses the river. It opened in 1903."),
    "The bridge crosses the river. It opened in 1903. It is 300 m long.",
  );
  assert.equal(withParts([CROSSES, OPENED], [CROSSES, OPENED, part(300, "Cars came.")], OPENED.text), `${OPENED.text}\nCars came.`);
});

test("what was typed before anything was selected stays in front", () => {
  assert.equal(withParts([], [OPENED], " Typed by hand. "), `Typed by hand.\n${OPENED.text}`);
});

test("parts of several pages are not mixed up", () => {
  const talk = part(0, "It opened in 1905.", 2);
  assert.equal(withParts([OPENED, talk], [BOTH, talk], "It opened in 1903.\nIt opened in 1905."), `${BOTH.text}\n${talk.text}`);
});
