// The contradicted span within the text of its passage.
import assert from "node:assert/strict";
import { test } from "node:test";
import { spanPieces } from "../../static/scripts/text/spans.js";

const TEXT = "It opened in 1903. It is 300 m long.";

test("a span is cut out of its text", () => {
  assert.deepEqual(spanPieces(TEXT, " opened in 1903 "), [["It ", false], ["opened in 1903", true], [". It is 300 m long.", false]]);
});

test("each line of a span is a piece, in the order of the text", () => {
  assert.deepEqual(spanPieces(TEXT, "300 m\n1903"), [
    ["It opened in ", false], ["1903", true], [". It is ", false], ["300 m", true], [" long.", false],
  ]);
});

test("a span that goes over a line break of the text is one piece", () => {
  assert.deepEqual(spanPieces("one\ntwo three", "one\ntwo"), [["one\ntwo", true], [" three", false]]);
});

test("pieces that overlap are marked once, and the text stays whole", () => {
  const pieces = spanPieces("abcdef", "abcd\ncdef");
  assert.equal(pieces.map(([text]) => text).join(""), "abcdef");
  assert.deepEqual(pieces.filter(([, isSpan]) => isSpan), [["abcd", true]]);
});

test("a span that is not found, even in part, gives nothing; nor does a blank one", () => {
  assert.equal(spanPieces(TEXT, "1904"), null);
  assert.equal(spanPieces(TEXT, "1903\n1904"), null);
  assert.equal(spanPieces(TEXT, "  "), null);
});
