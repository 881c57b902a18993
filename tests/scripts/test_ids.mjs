// Numbers that nothing else has.
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import { newHex, newId } from "../../static/scripts/ids.js";

globalThis.crypto ??= webcrypto;

test("an id is a UUID of version 4, and no two are alike", () => {
  const ids = Array.from({ length: 1_000 }, newId);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, 1_000);
  assert.match(newHex(), /^[0-9a-f]{32}$/);
});
