// The draft: what is typed reaches the server once, in order, and is kept in the browser until then.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Draft } from "../../static/scripts/desk/draft.js";
import { browser, html, json, server, timers } from "./fakes.mjs";

function opened(t, answers) {
  const world = browser(t);
  const clock = timers(t);
  const requests = server(t, answers);
  const form = { content: { comment: "" } };
  const states = [];
  const stale = [];
  const draft = new Draft({
    saveUrl: "/save/",
    version: 1,
    name: "7:12",
    read: () => form.content,
    onState: (state, words) => states.push(words ? `${state}: ${words}` : state),
    onStale: (version, content) => stale.push({ version, content }),
    onAnswer: () => {},
  });
  const type = (comment) => {
    form.content = { comment };
    draft.touch();
  };
  const copies = () => [...world.store].filter(([key]) => key.startsWith("draft:7:12:")).map(([, copy]) => JSON.parse(copy).content.comment);
  return { ...world, clock, requests, draft, form, states, stale, type, copies };
}

const saved = (version) => json(200, { version, standing: "held", message: "" });

test("after a pause what was typed is saved once, based on the version of the page", async (t) => {
  const { clock, requests, draft, states, type } = opened(t, [saved(2)]);
  for (const text of ["a", "ab", "abc"]) {
    type(text);
    await clock.pass(300);
  }
  assert.equal(requests.length, 0);
  await clock.pass(600);
  assert.equal(requests.length, 1);
  assert.deepEqual(requests[0].sent.content, { comment: "abc" });
  assert.equal(requests[0].headers["If-Match"], '"1"');
  assert.equal(draft.version, 2);
  assert.equal(states.at(-1), "saved");
});

test("who types on without a pause is saved every few seconds", async (t) => {
  const { clock, requests, type } = opened(t, [saved(2), saved(3), saved(4)]);
  for (let each = 0; each < 20; each += 1) {
    type("x".repeat(each + 1));
    await clock.pass(500);
  }
  assert.ok(requests.length >= 1 && requests.length <= 2, String(requests.length));
});

test("one request is under way at a time; what is typed meanwhile goes with the next", async (t) => {
  let answer;
  const { clock, requests, draft, form } = opened(t, [() => new Promise((resolve) => { answer = resolve; }), saved(3)]);
  form.content = { comment: "first" };
  const isSaved = draft.save();
  await clock.idle();
  form.content = { comment: "second" };
  draft.save();
  await clock.idle();
  assert.equal(requests.length, 1);
  answer(saved(2));
  assert.equal(await isSaved, true);
  assert.deepEqual(requests.map(({ sent }) => sent.content.comment), ["first", "second"]);
  assert.equal(requests[1].headers["If-Match"], '"2"');
});

test("a save whose answer was lost is sent again as the same operation, and the text is kept meanwhile", async (t) => {
  const { clock, requests, draft, states, type, copies } = opened(t, [new TypeError("Failed to fetch"), saved(2)]);
  type("abc");
  await clock.pass(900);
  assert.equal(states.at(-1), "offline: The server cannot be reached.");
  assert.deepEqual(copies(), ["abc"]);
  await clock.pass(2_100);
  assert.equal(requests.length, 2);
  assert.equal(requests[0].sent.operation, requests[1].sent.operation);
  assert.equal(draft.isDirty, false);
  await clock.idle();
  assert.deepEqual(copies(), []);
});

test("a busy server is given the time that it asks for", async (t) => {
  const { clock, requests, type } = opened(t, [json(503, {}, { "Retry-After": "20" }), saved(2)]);
  type("abc");
  await clock.pass(900);
  await clock.pass(18_000);
  assert.equal(requests.length, 1);
  await clock.pass(2_000);
  assert.equal(requests.length, 2);
});

test("a server that stumbles is tried again until it has the text", async (t) => {
  const { clock, requests, draft, states, type } = opened(t, [html(503, ""), html(502, ""), json(500, {}), saved(2)]);
  type("after the restart");
  await clock.pass(60_000);
  assert.equal(new Set(requests.map(({ sent }) => sent.operation)).size, 1);
  // A server that answers is never called a lost connection.
  const told = ["failing: The server is busy.", "failing: Something went wrong on the server.", "failing: Something went wrong on the server.", "saved"];
  assert.deepEqual(states.filter((state) => state !== "saving"), told);
  assert.equal(draft.isDirty, false);
});

test("pauses grow while the server is away, up to half a minute", async (t) => {
  const { clock, draft, type } = opened(t, Array.from({ length: 8 }, () => new TypeError("Failed to fetch")));
  type("abc");
  await clock.pass(900);
  const pauses = [];
  for (let each = 0; each < 7; each += 1) {
    pauses.push(clock.next);
    await clock.pass(clock.next);
  }
  assert.ok(pauses[0] <= 2_000, String(pauses));
  assert.ok(pauses.at(-1) >= 15_000 && Math.max(...pauses) <= 30_000, String(pauses));
  assert.equal(draft.isDirty, true);
});

test("back on the network, it is saved at once", async (t) => {
  const { page, clock, requests, draft, type } = opened(t, [new TypeError("Failed to fetch"), saved(2)]);
  type("abc");
  await clock.pass(900);
  page.dispatchEvent(new Event("online"));
  await clock.idle();
  assert.equal(requests.length, 2);
  assert.equal(draft.isDirty, false);
});

test("signed out, the text stays and is saved once the person is back", async (t) => {
  const { page, clock, draft, states, type, copies } = opened(t, [html(403, "token"), saved(2)]);
  type("abc");
  await clock.pass(900);
  assert.equal(states.at(-1), "signed-out");
  assert.deepEqual(copies(), ["abc"]);
  page.dispatchEvent(new Event("focus"));
  await clock.idle();
  assert.equal(draft.isDirty, false);
});

test("of two versions nothing is sent until the person has decided; then on top of the other one", async (t) => {
  const theirs = { comment: "theirs" };
  const { page, clock, requests, draft, states, stale, type } = opened(t, [json(409, { reason: "stale", message: "", version: 5, content: theirs }), saved(6)]);
  type("mine");
  await clock.pass(900);
  assert.equal(states.at(-1), "stale");
  assert.deepEqual(stale, [{ version: 5, content: theirs }]);
  assert.equal(draft.isHalted, true);
  type("mine, typed on");
  page.dispatchEvent(new Event("focus"));
  await clock.pass(60_000);
  assert.equal(requests.length, 1);
  draft.acknowledge(5, theirs);
  await clock.pass(900);
  assert.equal(requests[1].headers["If-Match"], '"5"');
  assert.deepEqual(requests[1].sent.content, { comment: "mine, typed on" });
});

test("what the server refuses is said in its words, and the next change is tried again", async (t) => {
  const { clock, states, type } = opened(t, [json(400, { reason: "refused", message: "Too long." }), saved(2)]);
  type("abc");
  await clock.pass(900);
  assert.equal(states.at(-1), "refused: Too long.");
  type("ab");
  await clock.pass(900);
  assert.equal(states.at(-1), "saved");
});

test("what is closed is not tried again", async (t) => {
  const { clock, draft, states, type } = opened(t, [json(409, { reason: "closed", message: "It is submitted." })]);
  type("abc");
  await clock.pass(900);
  type("abcd");
  await clock.pass(60_000);
  assert.equal(states.at(-1), "closed: It is submitted.");
  assert.equal(await draft.save(), false);
});

test("a page that closes keeps what is not saved at once", async (t) => {
  const { page, clock, form, copies } = opened(t, [() => new Promise(() => {})]);
  form.content = { comment: "typed in the last moment" };
  page.dispatchEvent(new Event("pagehide"));
  assert.deepEqual(copies(), ["typed in the last moment"]);
  await clock.idle();
});

test("the next page finishes a save that the one before it was waiting for, as the same operation", async (t) => {
  const { page, clock, requests, draft, form, store, type } = opened(t, [() => new Promise(() => {}), saved(2)]);
  type("sent");
  await clock.pass(900);
  form.content = { comment: "sent, typed on" };
  page.dispatchEvent(new Event("pagehide"));
  const [copy] = [...store.values()].map((text) => JSON.parse(text));
  assert.deepEqual([copy.content, copy.sent.content], [{ comment: "sent, typed on" }, { comment: "sent" }]);
  assert.equal(await draft.finish(copy.sent, copy.version), 2);
  const [first, second] = requests;
  assert.deepEqual([second.sent.operation, second.sent.content, second.headers["If-Match"]], [first.sent.operation, { comment: "sent" }, '"1"']);
});

test("what is sent as the page closes is part of the copy, and a save that the server does not have is said so", async (t) => {
  const { page, draft, form, store } = opened(t, [() => new Promise(() => {}), new TypeError("Failed to fetch")]);
  form.content = { comment: "last words" };
  page.dispatchEvent(new Event("pagehide"));
  const [copy] = [...store.values()].map((text) => JSON.parse(text));
  assert.deepEqual(copy.sent.content, { comment: "last words" });
  assert.equal(await draft.finish(copy.sent, copy.version), 0);
});

test("leaving asks only while something is not saved", async (t) => {
  const { page, clock, draft, type } = opened(t, [saved(2)]);
  const asks = () => !page.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  assert.equal(asks(), false);
  type("abc");
  assert.equal(asks(), true);
  await clock.pass(900);
  assert.equal(asks(), false);
  type("abcd");
  draft.isLeaving = true;
  assert.equal(asks(), false);
});

test("what an earlier page could not save is found by the next one, the newest first", async (t) => {
  const { draft, store } = opened(t, []);
  const kept = (at, comment) => JSON.stringify({ at, version: 1, base: null, content: { comment } });
  localStorage.setItem("draft:7:12:older", kept(1, "older"));
  localStorage.setItem("draft:7:12:newer", kept(2, "newer"));
  localStorage.setItem("draft:7:13:other", kept(3, "another draft"));
  localStorage.setItem("draft:7:12:broken", "{");
  const left = await draft.mirror.left();
  assert.deepEqual(left.map(([, copy]) => copy.content.comment), ["newer", "older"]);
  draft.orphans.push("draft:7:12:older");
  draft.forgetOrphans();
  assert.equal(store.has("draft:7:12:older"), false);
});
