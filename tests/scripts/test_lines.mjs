// Lines of a folded text: a fold ends inside no mark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linesToShow } from "../../static/scripts/text/lines.js";

test("without a mark at its end, a fold keeps its lines", () => {
  assert.equal(linesToShow([], { least: 2, all: 9 }), 2);
  assert.equal(linesToShow([[0, 1]], { least: 2, all: 9 }), 2);
  assert.equal(linesToShow([[5, 7]], { least: 2, all: 9 }), 2);
  assert.equal(linesToShow([], { least: 3, all: 1 }), 3);
});

test("a mark that begins before the fold is shown to its end, and so is the next one that this reaches", () => {
  assert.equal(linesToShow([[1, 4]], { least: 2, all: 9 }), 5);
  assert.equal(linesToShow([[4, 6], [1, 4]], { least: 2, all: 9 }), 7);
  assert.equal(linesToShow([[1, 9]], { least: 2, all: 9 }), 9);
});

test("the ellipsis hides no part of a mark that ends on the last line", () => {
  assert.equal(linesToShow([[1, 2]], { least: 2, all: 9 }), 3);
});

test("for any marks, none is cut", () => {
  for (let round = 0; round < 500; round += 1) {
    const all = 1 + Math.floor(Math.random() * 20);
    const marks = Array.from({ length: Math.floor(Math.random() * 4) }, () => {
      const begins = Math.floor(Math.random() * all);
      return [begins, begins + 1 + Math.floor(Math.random() * (all - begins))];
    });
    const least = 1 + Math.floor(Math.random() * 3);
    const lines = linesToShow(marks, { least, all });
    for (const [begins, ends] of marks) assert.ok(begins >= lines || ends <= lines, JSON.stringify({ marks, least, all, lines }));
  }
});
