// A page whose content is exchanged: nothing that was set up for the old content goes on.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { endVisit, every, onceOver, whileHere } from "../../static/scripts/visit.js";

const SCRIPTS = new URL("../../static/scripts/", import.meta.url);

test("listeners, timers and last acts end with the content, and the next one begins anew", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const target = new EventTarget();
  const told = [];
  target.addEventListener("key", () => told.push("key"), { signal: whileHere() });
  every(10, () => told.push("tick"));
  onceOver(() => told.push("over"));
  target.dispatchEvent(new Event("key"));
  t.mock.timers.tick(10);
  endVisit();
  target.dispatchEvent(new Event("key"));
  t.mock.timers.tick(100);
  assert.deepEqual(told, ["key", "tick", "over"]);
  assert.equal(whileHere().aborted, false);
});

test("at the desk, what listens to the document or the window ends with the content", () => {
  const files = ["desk", "pane"].flatMap((folder) => readdirSync(new URL(`${folder}/`, SCRIPTS)).map((name) => `${folder}/${name}`));
  const found = [...files, "comments.js"].filter((name) => name !== "pane/reading.js").map((name) => {
    const text = readFileSync(new URL(name, SCRIPTS), "utf8");
    const listening = text.match(/(?<![\w.#)\]])(?:document\.|window\.)?addEventListener\(/g) ?? [];
    return [name, listening.length - (text.match(/(?<!\.)signal(?:: whileHere\(\))? \}\);/g) ?? []).length];
  });
  assert.deepEqual(found.filter(([, unended]) => unended), []);
  assert.deepEqual(files.filter((name) => readFileSync(new URL(name, SCRIPTS), "utf8").includes("setInterval(")), []);
});
