// The page merges two versions of a draft as the server does: the same cases, and what they promise in general.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { mergeFields } from "../../static/scripts/text/merge.js";

const CASES = JSON.parse(readFileSync(new URL("../annotation/merge_cases.json", import.meta.url), "utf8"));

for (const { name, base, mine, theirs, taken, clashing } of CASES) {
  test(`it merges as the server does: ${name}`, () => {
    const found = mergeFields(base, mine, theirs);
    assert.deepEqual(found.taken, taken);
    assert.deepEqual([...found.clashing].sort(), [...clashing].sort());
  });
}

test("without a base everything that differs clashes", () => {
  const found = mergeFields(null, { a: "1", b: "2" }, { a: "1", b: "3" });
  assert.deepEqual(found, { taken: {}, clashing: ["b"] });
});

test("codes of a dimension in another order are the same", () => {
  assert.deepEqual(mergeFields({ I: [] }, { I: ["A", "B"] }, { I: ["B", "A"] }), { taken: {}, clashing: [] });
});
