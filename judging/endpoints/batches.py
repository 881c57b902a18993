"""Batches at an OpenAI-compatible endpoint: a file of calls goes up, files of replies come down, within a day.

The protocol is OpenAI's: https://platform.openai.com/docs/guides/batch. Each function makes one request, or several
that only read. They raise NotSent, RateLimited, InDoubt or Rejected as `client.complete_chat` does. Only `create` can
cost anything.
"""

import contextlib
import dataclasses
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import openai

from core.outside import storable

from . import client
from .addresses import Endpoint
from .client import Ask, Options
from .failures import CallFailed, InDoubt, NotDone, Rejected, says_no_money, words_of
from .replies import ChatReply, json_in, read_reply
from .requests import CHAT_URL

KEY = "batch_key"
# The provider's id of a file or a batch; it becomes a part of an address.
ID = re.compile(r"[\w.:=+~-]{1,500}")
PAGE, MOST_PAGES = 100, 200
# Seconds for a request that moves a file, between two signs of life.
FILE_SECONDS = 600.0
# Seconds for the request that creates a batch: if unanswered, the next process waits longer before creating another.
CREATE_SECONDS = 60.0
MOST_RESULT_BYTES = 10_000_000_000
OVER = {"completed", "failed", "expired", "cancelled"}
# The provider takes more once earlier batches are through.
TRY_LATER = {"token_limit_exceeded", "rate_limit_exceeded", "batch_limit_exceeded"}


@dataclass(frozen=True)
class ProviderBatch:
    """A batch as its provider describes it. `status` is one of OpenAI's; `key` is the one passed to `create`."""

    id: str
    status: str
    file_id: str = ""
    key: str = ""
    output_file_id: str = ""
    error_file_id: str = ""
    message: str = ""
    code: str = ""

    @property
    def is_over(self) -> bool:
        return self.status in OVER


@dataclass(frozen=True)
class ResultLine:
    """The outcome of one call of a batch; `key` is its `custom_id`."""

    key: str
    reply: ChatReply | None = None
    failure: CallFailed | None = None


# --- Requests -----------------------------------------------------------------------------------------------------


def upload(endpoint: Endpoint, path: Path, *, name: str, watch: Callable[[], object] = lambda: None) -> str:
    """Upload a file of calls; returns its id. `watch` is called during the upload."""

    def send(api: openai.OpenAI, options: Options) -> bytes:
        with WatchedFile(path, watch) as file:
            sent = api.files.with_raw_response.create(
                file=(name, file, "application/jsonl"), purpose="batch", **options
            )
            return sent.content

    return id_in(asked(patient(endpoint), send), "id")


def create(endpoint: Endpoint, file_id: str, *, key: str) -> ProviderBatch:
    """Have the provider make the calls of an uploaded file. After an attempt, only `find` can tell whether the batch
    exists, unless this has returned it or raised NotSent, RateLimited or Rejected.
    """

    def send(api: openai.OpenAI, options: Options) -> bytes:
        made = api.batches.with_raw_response.create(
            input_file_id=file_id, endpoint=CHAT_URL, completion_window="24h", metadata={KEY: key}, **options
        )
        return made.content

    return batch_in(asked(dataclasses.replace(endpoint, timeout=min(endpoint.timeout, CREATE_SECONDS)), send))


def find(endpoint: Endpoint, *, key: str, file_id: str) -> ProviderBatch | None:
    """The batch created with this key or from this file; None if the provider lists all its batches and it is not
    among them.
    """
    after = ""
    for _ in range(MOST_PAGES):
        page = whole_page(asked(endpoint, list_from(after)))
        batches = [read_batch(each) for each in page["data"]]
        for batch in batches:
            if batch and (batch.key == key or batch.file_id == file_id):
                return batch
        last = batches[-1] if batches else None
        if not page.get("has_more") or last is None or last.id == after:
            return None
        after = last.id
    raise InDoubt(f"{endpoint.base_url} has too many batches to look through.", reason="unknown")


def list_from(after: str) -> Ask:
    def send(api: openai.OpenAI, options: Options) -> bytes:
        listed = api.batches.with_raw_response.list(limit=PAGE, after=after or openai.omit, **options)
        return listed.content

    return send


def look_at(endpoint: Endpoint, batch_id: str) -> ProviderBatch:
    return batch_in(
        asked(endpoint, lambda api, options: api.batches.with_raw_response.retrieve(batch_id, **options).content)
    )


def cancel(endpoint: Endpoint, batch_id: str) -> ProviderBatch:
    """Cancel the remaining calls of a batch. Finished ones keep their results."""
    return batch_in(
        asked(endpoint, lambda api, options: api.batches.with_raw_response.cancel(batch_id, **options).content)
    )


def download(endpoint: Endpoint, file_id: str, path: Path, *, watch: Callable[[], object] = lambda: None) -> None:
    """Download a file of results; it gets its name once it is complete and safe against a power cut. Raises OSError
    if it cannot be written.
    """
    part = path.with_suffix(".part")

    def receive(api: openai.OpenAI, options: Options) -> bytes:
        size = 0
        with api.files.with_streaming_response.content(file_id, **options) as response, open(part, "wb") as file:
            for chunk in response.iter_bytes():
                size += file.write(chunk)
                watch()
                if size > MOST_RESULT_BYTES:
                    raise httpx2.RemoteProtocolError("the file did not end")
            file.flush()
            os.fsync(file.fileno())
        return b""

    asked(patient(endpoint), receive)
    os.rename(part, path)


def asked(endpoint: Endpoint, ask: Ask) -> bytes:
    """The result of `ask`, without the endpoint's key."""
    secrets = client.prepare(endpoint)
    return client.scrub(client.through_client(endpoint, secrets, ask), secrets)


def patient(endpoint: Endpoint) -> Endpoint:
    return dataclasses.replace(endpoint, timeout=max(endpoint.timeout, FILE_SECONDS))


class WatchedFile(io.BufferedReader):
    """A file that notifies `watch` of each read."""

    def __init__(self, path: Path, watch: Callable[[], object]):
        super().__init__(io.FileIO(path))
        self.watch = watch

    def read(self, size: int | None = -1, /) -> bytes:
        self.watch()
        return super().read(size)


# --- What came back -----------------------------------------------------------------------------------------------


def value_in(body: bytes) -> dict[str, Any]:
    value = json_in(body)
    if isinstance(value, dict):
        return value
    said = words_of(body[:4000].decode(errors="replace"))
    raise InDoubt(f"This is not an answer about a batch: {said}", reason="unreadable", status=200)


def id_in(body: bytes, name: str) -> str:
    found = id_of(value_in(body).get(name))
    if not found:
        raise InDoubt("The answer names no id.", reason="unreadable", status=200)
    return found


def batch_in(body: bytes) -> ProviderBatch:
    batch = read_batch(value_in(body))
    if batch is None:
        raise InDoubt("The answer describes no batch.", reason="unreadable", status=200)
    return batch


def whole_page(body: bytes) -> dict[str, Any]:
    page = value_in(body)
    if not isinstance(page.get("data"), list):
        raise Rejected("The provider does not list its batches.", reason="no list", status=200)
    return page


def read_batch(value: object) -> ProviderBatch | None:
    """The batch in a JSON value; None without one."""
    if not isinstance(value, dict) or not id_of(value.get("id")):
        return None
    metadata = value.get("metadata")
    code, message = first_error(value.get("errors"))
    return ProviderBatch(
        id=id_of(value["id"]),
        status=text(value.get("status"))[:40],
        file_id=id_of(value.get("input_file_id")),
        key=text(metadata.get(KEY)) if isinstance(metadata, dict) else "",
        output_file_id=id_of(value.get("output_file_id")),
        error_file_id=id_of(value.get("error_file_id")),
        message=message,
        code=code,
    )


def first_error(errors: object) -> tuple[str, str]:
    """Code and message of the first error of a batch that the provider did not accept."""
    data = errors.get("data") if isinstance(errors, dict) else None
    first = data[0] if isinstance(data, list) and data else None
    if not isinstance(first, dict):
        return "", ""
    line = first.get("line")
    at = f" (line {line} of the file)" if isinstance(line, int) else ""
    return text(first.get("code"))[:40], words_of(first) + at


def id_of(value: object) -> str:
    return value if isinstance(value, str) and ID.fullmatch(value) else ""


def text(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""


# --- Results ------------------------------------------------------------------------------------------------------


def result_lines(path: Path, endpoint: Endpoint) -> Iterator[bytes]:
    """The lines of a file of results, without empty ones and without the endpoint's key. A line longer than any reply
    comes in pieces, which are not results.
    """
    secrets: list[str] = []
    with contextlib.suppress(CallFailed):
        secrets = list(client.prepare(endpoint))
    with open(path, "rb") as file:
        while line := file.readline(client.MAX_REPLY_BYTES):
            if line.strip():
                yield client.scrub(line, secrets)


def read_line(line: bytes, endpoint: Endpoint) -> ResultLine:
    """The outcome of a call, from its line in a file of results. Raises ValueError for any other line."""
    value = json_in(line)
    if not isinstance(value, dict) or not isinstance(value.get("custom_id"), str):
        raise ValueError("no result")
    key, response, error = value["custom_id"], value.get("response"), value.get("error")
    try:
        if isinstance(response, dict):
            return ResultLine(key, reply=reply_in(response, endpoint))
        raise explain_error(error)
    except CallFailed as failure:
        return ResultLine(key, failure=failure)


def reply_in(response: dict[str, Any], endpoint: Endpoint) -> ChatReply:
    """The reply in the response of a line. Raises the call's failure, if it failed."""
    status, body = response.get("status_code"), response.get("body")
    raw = json.dumps(body).encode()
    if status == 200:
        return read_reply(raw, seconds=None)
    if not isinstance(status, int) or isinstance(status, bool) or not 300 <= status < 600:
        raise InDoubt(f"The result is not a chat completion: {words_of(body)}", reason="unreadable", raw=raw)
    request = httpx2.Request("POST", endpoint.base_url)
    inner = body.get("error", body) if isinstance(body, dict) else body
    raise client.explain_status(
        openai.APIStatusError("", response=httpx2.Response(status, content=raw, request=request), body=inner),
        endpoint,
    )


def explain_error(error: object) -> CallFailed:
    """The failure of a call that the provider did not make, or whose server did not answer the provider."""
    code = text(error.get("code"))[:40] if isinstance(error, dict) else ""
    said = words_of(error) if error else "no message"
    if code == "batch_expired":
        return NotDone(f"The batch ran out of time: {said}", reason="expired")
    if code == "batch_cancelled":
        return NotDone(f"The batch was cancelled: {said}", reason="batch cancelled")
    if says_no_money(error, said):
        return Rejected(f"No money or quota is left: {said}", reason="quota")
    return InDoubt(f"The provider has no reply: {said}", reason=code or "unknown")
