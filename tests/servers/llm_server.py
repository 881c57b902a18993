"""A counting OpenAI-compatible server with faults: for the tests, the benchmark and the kill drill.

    python -m tests.servers.llm_server --port 9000 --delay 0.5 --log calls.jsonl --fault 429/10 --fault drop/100

A fault is `kind/n`: every n-th chat call meets it (`kind` alone: every call). The first one that matches wins.

    400..599        that status; 429 carries `Retry-After` where `retry_after` is set; `quota` is a 429 that is final
    400:word        that status with the message `said[word]`, in which {n} is the number of the call
    drop            the connection is cut instead of an answer          half     it is cut in the middle of the answer
    hang            nothing is ever answered                            drip     blanks, one per second, and no answer
    garbage         200 with a page of HTML                             error200 200 with an error inside
    length, empty, refusal, filter, reasoning                           answers that are none, or not whole

Paid is every call that the model worked for: all but those refused with a status. Each call is one JSON line in the
log, written before the answer leaves, so a caller that dies meanwhile is counted:
`{"n", "key", "model", "kind", "paid", "id"}`, where `key` is the header `X-Request-Key`, else a hash of the messages.

Files and batches work as at OpenAI: see `tests.servers.batch_server`.

`GET /calls` tells the counts, `POST /levers` with a JSON object sets any lever while the server runs,
`GET /v1/chat/completions?metadata[request_key]=...` finds what was stored with `store: true`, as OpenAI's does.
"""

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.servers.batch_server import Batches

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
UNREADABLE = b"<html><body><h1>Sign in to the network</h1></body></html>"
PROBABILITIES = {" A": -0.25, " B": -1.75, " C": -3.5, " D": -4.5}


@dataclass
class Levers:
    """Settings of the server; all may be changed while it runs."""

    delay: float = 0.0
    together: int = 1  # chat calls that are answered at once: fewer wait until there are this many
    faults: list[str] = field(default_factory=list)
    retry_after: str = ""
    api_key: str = ""  # empty: any key is good
    models: list[str] = field(default_factory=list)  # empty: any model is known
    said: dict[str, str] = field(default_factory=dict)
    cached_tokens: int = 0  # told with each answer, where it is not 0
    finish: str = "stop"  # the word with which an answer ends
    answer: str = "The answer."
    batch_pause: float = 0.0
    batch_seconds: float = 0.0  # from a batch's creation to its end
    batch_end: str = "completed"  # or failed, expired, cancelled
    batch_made: int = 1_000_000  # how many of its calls are made by then
    batch_error: str = "invalid_json_line"  # the code, where it has failed
    batch_lines: list[str] = field(default_factory=list)  # further lines of its output
    batch_faults: list[str] = field(default_factory=list)  # see tests.servers.batch_server
    probability: str = ""  # of each token of a text, as a logarithm; empty: by its letters
    verdict: str = "Thus, the response is correct.\n\nevaluation: correct"  # the answer to a judge's prompt


class LlmServer:
    """The server in a thread of its own: `with LlmServer(delay=0.5) as server: server.base_url ...`.

    `answer` may be a function from the request's JSON to the text. All calls are in `calls`, in order of arrival.
    """

    def __init__(self, *, port: int = 0, log: str = "", answer: Callable[[dict], str] | None = None, **levers: Any):
        self.levers = Levers(**levers)
        self.answer = answer
        # The log-probabilities of the first token of a reply and of its alternatives, from the likeliest.
        self.probabilities: Callable[[dict], dict[str, float]] = lambda request: dict(PROBABILITIES)
        self.calls: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []  # headers and JSON of each chat call, as they came in
        self.targets: list[str] = []  # path and query of each chat call
        self.stored: dict[str, list[dict]] = {}
        self.batches = Batches(self)
        self.hanging: list[Any] = []  # connections of calls that are never answered
        self.waiting: list[Callable[[], object]] = []  # answers to calls that others are waited for with
        self.keep_requests = True
        self.port = port
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) if log else None
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def paid(self) -> Counter[str]:
        """Number of paid calls of each request key."""
        return Counter(call["key"] for call in self.calls if call["paid"])

    async def serve(self, ready: Callable[[], object] = lambda: None) -> None:
        server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self), "127.0.0.1", self.port, backlog=500
        )
        self.port = server.sockets[0].getsockname()[1]
        ready()
        async with server:
            await server.serve_forever()

    def __enter__(self) -> "LlmServer":
        ready = threading.Event()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._task = self._loop.create_task(self.serve(ready.set))
            with contextlib.suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._task)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert ready.wait(60)
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        assert self._thread
        self._thread.join(10)
        if self._log is not None:
            os.close(self._log)

    def cut_hanging(self) -> None:
        """Cut the connections of all calls that would never be answered."""
        while self.hanging:
            self._loop.call_soon_threadsafe(self.hanging.pop().abort)

    # --- What is answered -------------------------------------------------------------------------------------

    def fault(self, n: int) -> str:
        for fault in self.levers.faults:
            kind, _, every = fault.partition("/")
            if n % int(every or 1) == 0:
                return kind
        return ""

    def refusal(self, headers: dict[str, str], request: dict) -> tuple[int, dict] | None:
        """The status and body of a call that is refused, whatever the faults."""
        if self.levers.api_key and headers.get("authorization") != f"Bearer {self.levers.api_key}":
            # As careless as some servers are: the key comes back in the message.
            given = headers.get("authorization", "").removeprefix("Bearer ")
            return 401, error(f"Incorrect API key provided: {given}.", "invalid_api_key")
        if self.levers.models and request.get("model") not in self.levers.models:
            return 404, error(f"The model `{request.get('model')}` does not exist.", "model_not_found")
        return None

    def call(self, headers: dict[str, str], request: dict) -> dict[str, Any]:
        """Count a chat call and decide how it goes; it stands in the log when this returns."""
        n = len(self.calls) + 1
        refused = self.refusal(headers, request)
        kind = str(refused[0]) if refused else self.fault(n)
        key = headers.get("x-request-key") or digest(request.get("messages") or request.get("prompt"))
        paid = not (kind[:3].isdigit() or kind == "quota")
        call = {"n": n, "key": key, "model": request.get("model"), "kind": kind, "paid": paid, "id": f"chatcmpl-{n}"}
        self.calls.append(call)
        if self.keep_requests:
            self.requests.append({"headers": headers, "json": request})
        if self._log is not None:
            os.write(self._log, json.dumps(call).encode() + b"\n")
        return call | {"refused": refused}

    def completion(self, call: dict, request: dict) -> dict[str, Any]:
        kind = call["kind"]
        if "prompt" in request:
            return self.text_completion(call, request)
        prompt = "\n".join(str(message.get("content", "")) for message in request.get("messages", []))
        text = self.levers.verdict if "Testing instance" in prompt else self.levers.answer
        text = self.answer(request) if self.answer else text
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        finish_reason = {"length": "length", "filter": "content_filter"}.get(kind, self.levers.finish)
        if kind == "length":
            message["content"] = text[: len(text) // 2]
        elif kind in {"empty", "filter"}:
            message["content"] = None
        elif kind == "refusal":
            message |= {"content": None, "refusal": "I can't help with that."}
        elif kind == "reasoning":
            message["reasoning_content"] = "Let me think."
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish_reason}
        if request.get("logprobs") and (top := self.probabilities(request)):
            content = [{"token": token, "logprob": value, "bytes": None} for token, value in top.items()]
            content = content[: request["top_logprobs"]]
            choice["logprobs"] = {"content": [{**content[0], "top_logprobs": content}], "refusal": None}
        completion = {
            "id": call["id"],
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": request.get("model"),
            "choices": [choice],
            "usage": {
                "prompt_tokens": len(prompt) // 4,
                "completion_tokens": len(text) // 4,
                "total_tokens": (len(prompt) + len(text)) // 4,
            },
        }
        if self.levers.cached_tokens:
            completion["usage"]["prompt_tokens_details"] = {"cached_tokens": self.levers.cached_tokens}
        if request.get("store"):
            self.stored.setdefault((request.get("metadata") or {}).get("request_key", ""), []).append(completion)
        return completion

    def text_completion(self, call: dict, request: dict) -> dict[str, Any]:
        """A text with the log-probabilities of its words as tokens, as vLLM and llama-cpp-python give them; without
        `echo` one more token with its alternatives.
        """
        if not request.get("echo"):
            top = dict(list(self.probabilities(request).items())[: request["logprobs"]])
            token, value = next(iter(top.items()))
            found: dict[str, Any] = {"tokens": [token], "token_logprobs": [value], "top_logprobs": [top]}
            return self.one_text(call, request, token, found)
        tokens = request["prompt"].split(" ")
        told = self.levers.probability
        values = [float(told) if told else -1 - len(token) % 5 / 10 for token in tokens]
        listed = {"tokens": [*tokens, "."], "token_logprobs": [None, *values[1:], -0.5]}
        return self.one_text(call, request, request["prompt"] + ".", listed)

    def one_text(self, call: dict, request: dict, text: str, logprobs: dict[str, Any]) -> dict[str, Any]:
        """A completion of one token."""
        asked = len(request["prompt"].split(" "))
        return {
            "id": call["id"],
            "object": "text_completion",
            "model": request.get("model"),
            "choices": [{"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"}],
            "usage": {"prompt_tokens": asked, "completion_tokens": 1, "total_tokens": asked + 1},
        }

    def counts(self) -> dict[str, Any]:
        paid = self.paid
        kinds = Counter(call["kind"] or "ok" for call in self.calls)
        twice = sorted(key for key, times in paid.items() if times > 1)
        return {"calls": len(self.calls), "paid": paid.total(), "keys": len(paid), "twice": twice, "kinds": kinds}


def error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


class Connection(asyncio.Protocol):
    """One kept-alive connection: requests with a Content-Length, one after the other."""

    def __init__(self, server: LlmServer):
        self.server = server
        self.buffer = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            lines = self.buffer[:end].decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            length = int(headers.get("content-length", 0))
            if len(self.buffer) < end + 4 + length:
                return
            body = bytes(self.buffer[end + 4 : end + 4 + length])
            del self.buffer[: end + 4 + length]
            method, target, _ = lines[0].split(" ", 2)
            self.handle(method, target, headers, body)

    def handle(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        path = urlsplit(target).path
        if method == "POST" and path.endswith("/completions"):
            self.server.targets.append(target)
            self.chat(headers, json.loads(body))
        elif method == "GET" and path.endswith("/chat/completions"):
            query = parse_qs(unquote(urlsplit(target).query))
            found = self.server.stored.get(query.get("metadata[request_key]", [""])[0], [])
            self.send(200, {"object": "list", "data": found, "has_more": False})
        elif "/files" in path or "/batches" in path:
            answer = self.server.batches.answer(method, target, headers, body)
            asyncio.get_running_loop().call_later(self.server.levers.batch_pause, self.send_batch_answer, answer)
        elif method == "POST" and path == "/levers":
            known = {lever.name for lever in fields(Levers)}
            for name, value in json.loads(body).items():
                assert name in known, name
                setattr(self.server.levers, name, value)
            self.send(200, {"levers": vars(self.server.levers)})
        elif path == "/calls":
            self.send(200, self.server.counts())
        else:
            self.send(404, error(f"There is nothing at {path}.", "not_found"))

    def send_batch_answer(self, answer: tuple[int, bytes] | None) -> None:
        """None: the connection is cut."""
        if answer is None or self.transport.is_closing():
            self.transport.abort()
        else:
            self.transport.write(self.packet(*answer))

    def chat(self, headers: dict[str, str], request: dict) -> None:
        call = self.server.call(headers, request)
        if call["refused"]:
            self.send(*call["refused"])
            return
        completion = self.server.completion(call, request) if call["paid"] else {}
        waiting = self.server.waiting
        waiting.append(partial(self.answer, call["kind"], completion, call["n"]))
        if len(waiting) >= self.server.levers.together:
            for answer in waiting:
                asyncio.get_running_loop().call_later(self.server.levers.delay, answer)
            waiting.clear()

    def answer(self, kind: str, completion: dict, n: int) -> None:
        if kind[:3].isdigit():
            status, _, word = kind.partition(":")
            said = self.server.levers.said.get(word, f"The server says {status}.").replace("{n}", str(n))
            self.send(int(status), error(said, "rate_limit_exceeded" if kind == "429" else "fault"))
        elif kind == "quota":
            self.send(429, error("You exceeded your current quota.", "insufficient_quota"))
        elif kind == "drop":
            self.transport.abort()
        elif kind == "half":
            whole = self.packet(200, json.dumps(completion).encode())
            self.transport.write(whole[: len(whole) - 40])
            self.transport.close()
        elif kind == "drip":
            self.transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
            )
            self.drip()
        elif kind == "garbage":
            self.transport.write(self.packet(200, UNREADABLE, "text/html"))
        elif kind == "error200":
            self.send(200, error("The provider behind this one failed.", "upstream"))
        elif kind == "hang":
            self.server.hanging.append(self.transport)
        else:
            self.send(200, completion)

    def drip(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(b" ")
            asyncio.get_running_loop().call_later(1.0, self.drip)

    def send(self, status: int, value: dict) -> None:
        self.transport.write(self.packet(status, json.dumps(value).encode()))

    def packet(self, status: int, body: bytes, content_type: str = "application/json") -> bytes:
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", f"Content-Type: {content_type}"]
        if status == 429 and self.server.levers.retry_after:
            lines.append(f"Retry-After: {self.server.levers.retry_after}")
        lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode() + body


def main() -> None:
    parser = argparse.ArgumentParser(description="A counting OpenAI-compatible server with faults.")
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--log", default="", help="file that gets a line for each call")
    parser.add_argument("--fault", action="append", default=[], dest="faults", help="kind/n, see the module")
    parser.add_argument("--retry-after", default="", help="the Retry-After of a 429")
    parser.add_argument("--api-key", default="", help="the only key that is good")
    parser.add_argument("--model", action="append", default=[], dest="models", help="a model that is known")
    options = vars(parser.parse_args())
    server = LlmServer(**options)
    server.keep_requests = False
    asyncio.run(server.serve(ready=lambda: print(server.base_url, flush=True)))


if __name__ == "__main__":
    main()
