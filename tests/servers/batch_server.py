"""Files and batches of the counting server, as OpenAI describes them: https://platform.openai.com/docs/guides/batch

A batch ends `batch_seconds` after its creation, in the way that `batch_end` says. Its calls are made then, each
counted like a call that came by itself: with the `custom_id` as its key, and with the same faults. Those refused with
a status go into the error file. `batch_lines` are added to the output as they are.

`batch_pause` is the time, in seconds, from each request to its answer; what was asked for is done at once.

A fault is `what:kind`, for each request while it is set. What: upload, create, list, look, cancel, content. Kind: a
status (nothing is done), `cut` (nothing is done, no answer comes), `lose` (it is done, and no answer comes).
"""

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from tests.servers.llm_server import LlmServer

Answer = tuple[int, bytes] | None


@dataclass
class Batch:
    id: str
    file_id: str
    metadata: dict[str, str]
    created_at: float
    status: str = "in_progress"
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)

    def described(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "input_file_id": self.file_id,
            "metadata": self.metadata,
            "created_at": int(self.created_at),
            "status": self.status,
            "output_file_id": self.output_file_id,
            "error_file_id": self.error_file_id,
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
        }


class Batches:
    def __init__(self, server: "LlmServer"):
        self.server = server
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.asked: list[str] = []  # what was asked for, in order

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        parts = urlsplit(target).path.strip("/").split("/")
        what = self.what(method, parts)
        self.asked.append(what)
        kinds = [
            kind for name, _, kind in (fault.partition(":") for fault in self.levers.batch_faults) if name == what
        ]
        kind = kinds[0] if kinds else ""
        if kind.isdigit():
            return int(kind), json.dumps({"error": {"message": f"The server says {kind}."}}).encode()
        if kind == "cut":
            return None
        refused = self.server.refusal(headers, {"model": (self.levers.models or [None])[0]})
        answer = (
            (refused[0], json.dumps(refused[1]).encode())
            if refused
            else self.done(what, parts, target, headers, body)
        )
        return None if kind == "lose" else answer

    @property
    def levers(self) -> Any:
        return self.server.levers

    def what(self, method: str, parts: list[str]) -> str:
        if "files" in parts:
            return "upload" if method == "POST" else "content"
        if parts[-1] == "cancel":
            return "cancel"
        if parts[-1] == "batches":
            return "create" if method == "POST" else "list"
        return "look"

    def done(self, what: str, parts: list[str], target: str, headers: dict[str, str], body: bytes) -> Answer:
        if what == "upload":
            id = f"file-{len(self.files) + 1}"
            self.files[id] = file_in(headers, body)
            return whole(self.file_object(id))
        if what == "content":
            content = self.files.get(parts[-2])
            return missing() if content is None else (200, content)
        if what == "create":
            return self.create(json.loads(body))
        if what == "list":
            return self.listed(parse_qs(urlsplit(target).query))
        batch = self.batches.get(parts[-2] if what == "cancel" else parts[-1])
        if batch is None:
            return missing()
        if what == "cancel" and batch.status == "in_progress":
            self.end(batch, "cancelled")
        self.go_on(batch)
        return whole(batch.described())

    def file_object(self, id: str) -> dict[str, Any]:
        described = {"object": "file", "purpose": "batch", "filename": f"{id}.jsonl", "status": "processed"}
        return described | {"id": id, "bytes": len(self.files[id]), "created_at": int(time.time())}

    def create(self, wanted: dict[str, Any]) -> Answer:
        if wanted["input_file_id"] not in self.files:
            return missing()
        batch = Batch(
            f"batch_{len(self.batches) + 1}", wanted["input_file_id"], wanted.get("metadata") or {}, time.time()
        )
        self.batches[batch.id] = batch
        with contextlib.suppress(RuntimeError):  # without a loop, it ends when it is looked at
            asyncio.get_running_loop().call_later(self.levers.batch_seconds + 0.01, self.go_on, batch)
        return whole(batch.described())

    def listed(self, query: dict[str, list[str]]) -> Answer:
        newest_first = list(reversed(self.batches.values()))
        after = query.get("after", [""])[0]
        start = next((n + 1 for n, batch in enumerate(newest_first) if batch.id == after), 0)
        page = newest_first[start : start + 2]
        more = len(newest_first) > start + len(page)
        return whole({"object": "list", "data": [each.described() for each in page], "has_more": more})

    def go_on(self, batch: Batch) -> None:
        if batch.status == "in_progress" and time.time() >= batch.created_at + self.levers.batch_seconds:
            self.end(batch, self.levers.batch_end)

    def end(self, batch: Batch, status: str) -> None:
        """Make the calls that are made by now, and put their results into files."""
        batch.status = status
        if status == "failed":
            batch.errors = [{"code": self.levers.batch_error, "message": "The server does not like it.", "line": 1}]
            return
        output, errors = [], []
        for number, text in enumerate(self.files[batch.file_id].decode().splitlines()):
            line = json.loads(text)
            if number >= self.levers.batch_made:
                if status == "expired":
                    errors.append(result(line, error={"code": "batch_expired", "message": "It took too long."}))
                continue
            response = self.made(line)
            (output if response["status_code"] == 200 else errors).append(result(line, response))
        output += self.levers.batch_lines
        batch.output_file_id = self.add_file(output)
        batch.error_file_id = self.add_file(errors)

    def made(self, line: dict[str, Any]) -> dict[str, Any]:
        request = line["body"]
        call = self.server.call({"x-request-key": line["custom_id"]}, request)
        if call["paid"]:
            return {"status_code": 200, "request_id": call["id"], "body": self.server.completion(call, request)}
        status = 429 if call["kind"] == "quota" else int(call["kind"].partition(":")[0])
        message = f"The server says {status}."
        return {"status_code": status, "request_id": call["id"], "body": {"error": {"message": message}}}

    def add_file(self, lines: list[str]) -> str | None:
        if not lines:
            return None
        id = f"file-{len(self.files) + 1}"
        self.files[id] = "".join(f"{line}\n" for line in lines).encode()
        return id


def result(line: dict[str, Any], response: Any = None, error: Any = None) -> str:
    return json.dumps({"id": "r", "custom_id": line["custom_id"], "response": response, "error": error})


def file_in(headers: dict[str, str], body: bytes) -> bytes:
    """The file in a multipart form."""
    boundary = headers["content-type"].partition("boundary=")[2].encode()
    for part in body.split(b"--" + boundary):
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content[:-2]
    raise ValueError("no file in the form")


def whole(value: dict[str, Any]) -> Answer:
    return 200, json.dumps(value).encode()


def missing() -> Answer:
    return 404, json.dumps({"error": {"message": "There is no such thing."}}).encode()
