// Active time: counted for the step at hand, and not while nobody is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Stopwatch } from "../../static/scripts/desk/stopwatch.js";

test("work is counted for the step that it is done in", () => {
  const watch = new Stopwatch(0);
  watch.sign(10_000);
  watch.goTo("2", 15_000);
  watch.sign(20_000);
  watch.goTo("1", 22_000);
  watch.count(23_000);
  assert.deepEqual(watch.seconds, { 1: 16, 2: 7 });
  assert.equal(watch.total, 23);
});

test("after a minute without a sign of life nothing is counted", () => {
  const watch = new Stopwatch(0);
  watch.sign(30_000);
  for (let now = 31_000; now <= 630_000; now += 1_000) watch.count(now);
  assert.equal(watch.total, 90);
  watch.sign(640_000);
  watch.count(645_000);
  assert.equal(watch.total, 95);
});

test("time in which the page was out of sight does not count", () => {
  const watch = new Stopwatch(0);
  watch.count(5_000);
  watch.resume(50_000);
  watch.count(52_000);
  assert.equal(watch.total, 7);
});

test("asking twice counts nothing twice", () => {
  const watch = new Stopwatch(0);
  watch.count(5_000);
  watch.count(5_000);
  assert.equal(watch.total, 5);
});

test("actions and typed characters are counted for their step, and take at least a second", () => {
  const watch = new Stopwatch(0);
  watch.act();
  watch.goTo("4", 100);
  watch.act();
  watch.act();
  watch.type(3);
  watch.count(300);
  assert.deepEqual([watch.actions, watch.typed], [{ 1: 1, 4: 2 }, { 4: 3 }]);
  assert.deepEqual(watch.seconds, { 1: 1, 4: 1 });
});
