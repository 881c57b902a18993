// Requests to the server: what is sent along, and what each kind of answer means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { postForm, postJSON } from "../../static/scripts/api.js";
import { browser, html, json, server, stub } from "./fakes.mjs";

/** A page of words, read as far as the scripts read it. */
function parser(t, words) {
  stub(t, { DOMParser: class { parseFromString() { return { querySelector: () => words && { textContent: words } }; } } });
}

test("JSON goes out with the token of the moment and the version it is based on, and comes back", async (t) => {
  const { document } = browser(t);
  const requests = server(t, [json(200, { version: 2 }), json(200, {})]);
  assert.deepEqual(await postJSON("/save/", { text: "é" }, { version: 1 }), { outcome: "done", data: { version: 2 } });
  document.cookie = "csrftoken=token-2";
  await postJSON("/save/", {});
  const [first, second] = requests;
  assert.deepEqual(first.sent, { text: "é" });
  assert.equal(first.headers["If-Match"], '"1"');
  assert.equal(first.headers["X-CSRFToken"], "token-1");
  assert.equal(second.headers["X-CSRFToken"], "token-2");
  assert.ok(!("If-Match" in second.headers));
  assert.equal(first.redirect, "error");
});

test("a form goes out as htmx would send it, and a fragment comes back", async (t) => {
  browser(t);
  const requests = server(t, [html(200, "<p>next</p>")]);
  const fields = new FormData();
  fields.append("verdict", "correct");
  fields.append("comment", "a & b");
  assert.deepEqual(await postForm("/judge/", fields), { outcome: "done", data: "<p>next</p>" });
  assert.equal(requests[0].body, "verdict=correct&comment=a+%26+b");
  assert.equal(requests[0].headers["HX-Request"], "true");
});

test("a refusal comes with its words", async (t) => {
  browser(t);
  parser(t, " It is not yours. ");
  server(t, [json(409, { reason: "stale", message: "Two versions", version: 3 }), html(403, "<p>…</p>")]);
  const stale = await postJSON("/save/", {});
  assert.deepEqual([stale.outcome, stale.status, stale.reason, stale.message, stale.data.version], ["refused", 409, "stale", "Two versions", 3]);
  const refused = await postForm("/judge/", new FormData());
  assert.deepEqual([refused.outcome, refused.message], ["refused", "It is not yours."]);
});

test("a refusal without words says something all the same", async (t) => {
  browser(t);
  parser(t, null);
  server(t, [html(400, "")]);
  assert.equal((await postForm("/judge/", new FormData())).message, "The server could not do that. Try again.");
});

test("signed out, or with the token of a person who is, nothing was done", async (t) => {
  browser(t);
  server(t, [json(401, { reason: "signed_out" }), html(403, "<p>CSRF</p>"), html(401, "<p>sign in</p>")]);
  assert.deepEqual(await postJSON("/save/", {}), { outcome: "signed-out" });
  assert.deepEqual(await postJSON("/save/", {}), { outcome: "signed-out" });
  assert.deepEqual(await postForm("/judge/", new FormData()), { outcome: "signed-out" });
});

test("a server that is busy says how long to wait", async (t) => {
  browser(t);
  server(t, [json(503, {}, { "Retry-After": "7" }), html(503, "", { "Retry-After": "soon" }), json(429, {}), html(502, "")]);
  const waits = [];
  for (let each = 0; each < 4; each += 1) waits.push(await postJSON("/save/", {}));
  const causes = ["busy", "busy", "busy", "failed"];
  assert.deepEqual(waits, [7_000, 0, 0, 0].map((wait, at) => ({ outcome: "unanswered", wait, cause: causes[at] })));
});

test("no answer, one that is cut off, and one that is no JSON are all unanswered", async (t) => {
  browser(t);
  const cut = new Response('{"version"', { headers: { "Content-Type": "application/json" } });
  server(t, [new TypeError("Failed to fetch"), cut, html(200, "<html>a proxy")]);
  for (let each = 0; each < 3; each += 1) assert.deepEqual(await postJSON("/save/", {}), { outcome: "unanswered", wait: 0, cause: "unreachable" });
});

test("a request that takes too long is unanswered", async (t) => {
  browser(t);
  server(t, [({ signal }) => new Promise((resolve, reject) => {
    if (signal) signal.addEventListener("abort", () => reject(signal.reason));
    else resolve(json(200, {}));
  })]);
  const alive = setInterval(() => {}, 1_000); // the time-out itself keeps no process going
  t.after(() => clearInterval(alive));
  assert.deepEqual(await postJSON("/save/", {}, { patience: 20 }), { outcome: "unanswered", wait: 0, cause: "slow" });
});

test("only a small request outlives its page", async (t) => {
  browser(t);
  const requests = server(t, [json(200, {}), json(200, {}), json(200, {})]);
  await postJSON("/save/", { text: "short" }, { keepalive: true });
  await postJSON("/save/", { text: "x".repeat(30_000) }, { keepalive: true });
  await postJSON("/save/", { text: "short" });
  assert.deepEqual(requests.map(({ keepalive }) => keepalive), [true, false, false]);
});

test("a request whose token was renewed on the way is sent again with the token of now", async (t) => {
  const { document } = browser(t);
  parser(t, "The page is older");
  const refuse = () => {
    document.cookie = "csrftoken=token-2";
    return html(403, "<p>The page is older</p>", { "X-Refused": "token" });
  };
  const requests = server(t, [refuse, html(200, "next"), refuse, json(200, {}), refuse, refuse]);
  const fields = new FormData();
  fields.append("csrfmiddlewaretoken", "token-0");
  fields.append("verdict", "correct");
  assert.equal((await postForm("/judge/", fields)).outcome, "done");
  assert.deepEqual(requests.map(({ body }) => new URLSearchParams(body).get("csrfmiddlewaretoken")), ["token-1", "token-2"]);
  assert.equal((await postJSON("/save/", {})).outcome, "done");
  // Where that does not help, it is not tried for ever.
  assert.equal((await postForm("/judge/", fields)).outcome, "refused");
  assert.equal(requests.length, 6);
});
