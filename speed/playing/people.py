"""Simulated annotators and reviewers: make the requests that the pages' scripts make, remember what the server
acknowledged."""

import asyncio
import itertools
import random
import re
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from .http import PAGE_PATIENCE, Book, Browser

DESK = "/annotation/desk/"


@dataclass(frozen=True, slots=True)
class Saved:
    """An acknowledged save."""

    annotation: int
    version: int
    operation: UUID
    mark: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """An acknowledged submission."""

    annotation: int
    operation: UUID
    mark: str


@dataclass
class Acknowledged:
    """Everything that the server acknowledged."""

    saves: list[Saved] = field(default_factory=list)
    submissions: list[Submitted] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    handed_out: dict[int, set[int]] = field(default_factory=dict)  # annotations, and to whom
    begun_after: int = 0  # the last event of the log before anyone was played


def content_with(mark: str, size: int) -> dict[str, Any]:
    """A complete form. `mark` makes it unique, and `size` is its size in bytes."""
    from speed.requests import complete_form

    text = (mark + " ") * max(1, size // (len(mark) + 1))
    return complete_form() | {"contradict_comment": text.strip()}


class Annotator:
    """One person at the desk."""

    def __init__(self, number: int, port: int, session: str, book: Book, kept: Acknowledged, *, size: int = 0):
        self.number, self.size, self.kept = number, size, kept
        self.browser = Browser(port, session, book)
        self.turns = itertools.count(1)
        self.address, self.version, self.page = "", 0, str(uuid4())

    @property
    def annotation(self) -> int:
        return int(self.address.rstrip("/").rpartition("/")[2])

    @property
    def has_tag(self) -> bool:
        return self.address not in ("", DESK)

    def _at(self, address: str) -> None:
        self.address, self.version, self.page = urllib.parse.urlsplit(address).path, 0, str(uuid4())
        if self.has_tag:
            self.kept.handed_out.setdefault(self.annotation, set()).add(self.number)

    async def claim(self) -> None:
        answer = await self.browser.ask("claim", "POST", f"{DESK}next/", patience=PAGE_PATIENCE)
        self._at(answer.headers["location"])

    async def claim_at(self, due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await self.claim()

    async def open(self) -> None:
        """The whole page, with its form. A tag that was begun earlier has a version."""
        answer = await self.browser.get("page", self.address)
        if found := re.search(r'data-version="(\d+)"', answer.text()):
            self.version = int(found[1])

    def _mark(self) -> str:
        return f"{self.number}-{next(self.turns)}-{self.page[:8]}"

    async def save(self, due: float | None = None) -> None:
        mark, operation = self._mark(), uuid4()
        sent = {"content": content_with(mark, self.size), "operation": str(operation), "tab": self.page}
        answer = await self.browser.post_json("save", f"{self.address}save/", sent, version=self.version, due=due)
        self.version = answer.json()["version"]
        self.kept.saves.append(Saved(self.annotation, self.version, operation, mark))

    async def renew(self) -> None:
        await self.browser.post_json("renew", f"{self.address}renew/", {})

    async def tell_time(self) -> None:
        await self.browser.post_json(
            "time", f"{self.address}time/", {"page": self.page, "seconds": {"1": 5, "2": 20}}
        )

    async def submit(self) -> None:
        mark, operation = self._mark(), uuid4()
        sent = {"content": content_with(mark, self.size), "operation": str(operation), "tab": self.page}
        answer = await self.browser.post_json("submit", f"{self.address}submit/", sent, version=self.version)
        self.kept.submissions.append(Submitted(self.annotation, operation, mark))
        self._at(answer.json()["next"])

    async def submit_without_pause(self, until: float) -> None:
        """Next and submit, again and again: a page and its submission, which brings the next tag."""
        await self.claim()
        await self.open()
        while self.has_tag and time.monotonic() < until:
            await self.submit()
            if self.has_tag:
                await self.open()

    async def annotate(self, until: float, saves: int = 1, think: float = 0.0) -> None:
        """Make all of a browser's requests for a tag; before each save, think for `think` seconds on average."""
        await self.claim()
        while self.has_tag and time.monotonic() < until:
            await self.open()
            await self.renew()
            for _ in range(saves):
                await asyncio.sleep(think * (0.5 + random.random()))
                await self.save()
            await self.tell_time()
            await self.submit()

    async def save_every(self, seconds: float, first: float, until: float) -> None:
        """Save at this interval in seconds. A late save delays those after it, which count from their due time."""
        due = first
        while due < until:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            await self.save(due)
            due += seconds


ITEM = re.compile(r'data-item="([^"]+)"')


class Reviewer:
    """One person who judges."""

    def __init__(self, port: int, session: str, book: Book, kept: Acknowledged, path: str):
        self.browser, self.kept, self.path = Browser(port, session, book), kept, path

    async def open(self) -> list[str]:
        """Open the judging page; returns its items."""
        answer = await self.browser.get("judging page", self.path)
        return ITEM.findall(answer.text())

    async def judge(self, until: float, think: float) -> None:
        """Judge one response after another, each after a time to decide with mean `think` in seconds."""
        await asyncio.sleep(random.random() * think)
        keys = await self.open()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        while keys and time.monotonic() < until:
            if think:
                await asyncio.sleep(random.expovariate(1 / think))
            verdict = "correct" if int(keys[0][:4], 16) % 2 else "incorrect"
            values = {"verdict": verdict, "seconds": "20", "comment": "", "showing": keys[1] if keys[1:] else ""}
            sent = urllib.parse.urlencode(values).encode()
            answer = await self.browser.ask("verdict", "POST", f"/review/judgments/{keys[0]}/", sent, headers)
            self.kept.verdicts[keys[0]] = verdict
            body = answer.text()
            keys = (keys[1:] if 'id="judge-item"' not in body else []) + ITEM.findall(body)
