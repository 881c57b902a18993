"""A browser's requests without a browser: one connection that stays open, with retries when no answer comes."""

import asyncio
import gzip
import json
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from speed.laboratory import percentile

TOKEN = "a" * 32
LONGEST_PAUSE = 30.0
PAGE_PATIENCE = 300.0  # of a browser that loads a page; that of the desk's script is shorter


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def text(self) -> str:
        packed = self.headers.get("content-encoding") == "gzip"
        return (gzip.decompress(self.body) if packed else self.body).decode()

    def json(self) -> dict:
        return json.loads(self.text())


class Connection:
    """A connection to this machine, for one request at a time."""

    def __init__(self, port: int, headers: dict[str, str]):
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Answer:
        """Send a request. Raises OSError or EOFError without an answer."""
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{self.head}{more}{length}\r\n"
        was_open = self.streams is not None
        try:
            return await self._send(head.encode() + body)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            # As browsers do: the server may have closed a connection that was open for long.
            if not was_open or getattr(error, "partial", b""):
                raise
            return await self._send(head.encode() + body)

    async def _send(self, request: bytes) -> Answer:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
        reader, writer = self.streams
        try:
            writer.write(request)
            await writer.drain()
            return await self._read(reader)
        except BaseException:
            self.close()
            raise

    async def _read(self, reader: asyncio.StreamReader) -> Answer:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for name, _, value in (line.partition(":") for line in lines[1:] if line):
            before = headers.get(name.lower())
            headers[name.lower()] = f"{before}, {value.strip()}" if before else value.strip()
        if headers.get("transfer-encoding") == "chunked":
            parts = []
            while size := int(await reader.readline(), 16):
                parts.append(await reader.readexactly(size))
                await reader.readline()
            await reader.readline()
            body = b"".join(parts)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(int(lines[0].split()[1]), headers, body)

    def close(self) -> None:
        if self.streams:
            self.streams[1].close()
        self.streams = None


@dataclass
class Book:
    """A record of all requests: milliseconds by kind, missing answers, refusals."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    ended: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unanswered: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    # Of those, milliseconds in the application, and of CPU of its thread.
    served: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    longest: float = 0.0  # seconds from the first try to the answer

    def note(self, kind: str, ms: float, timing: str) -> None:
        """Record a request, with the header that gives the server's time."""
        self.times[kind].append(ms)
        self.ended[kind].append(time.monotonic())
        if timing:
            served, cpu = (float(part.split("dur=")[1]) for part in timing.split(","))
            self.served[kind].append((served, cpu))

    def per_second(self, kind: str, since: float, until: float) -> float:
        return sum(since <= at <= until for at in self.ended[kind]) / (until - since)

    def percentile(self, kind: str, share: int) -> float:
        return percentile(self.times[kind], share) if self.times[kind] else float("nan")


class Refused(Exception):
    """Raised if the server refused: nothing was done, and repeating would not help."""

    def __init__(self, kind: str, answer: Answer):
        super().__init__(f"{kind}: {answer.status} {answer.text()[:300]}")
        self.answer = answer


class Browser:
    """One person's browser. Without an answer it repeats after a pause that doubles, as static/scripts/desk/draft.js
    does; a person who reloads a page or presses a button again is simulated the same way.
    """

    def __init__(self, port: int, session: str, book: Book, *, token: str = TOKEN):
        cookie = f"sessionid={session}; csrftoken={token}"
        headers = {"Cookie": cookie, "X-CSRFToken": token, "Accept-Encoding": "gzip", "Accept": "*/*"}
        self.connection = Connection(port, headers)
        self.book = book

    async def get(self, kind: str, path: str) -> Answer:
        return await self.ask(kind, "GET", path, patience=PAGE_PATIENCE)

    async def post_json(self, kind: str, path: str, data: object, *, version: int | None = None, **more) -> Answer:
        headers = {"Content-Type": "application/json"} | ({} if version is None else {"If-Match": f'"{version}"'})
        return await self.ask(kind, "POST", path, json.dumps(data).encode(), headers, **more)

    async def ask(
        self, kind: str, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, *,
        patience: float = 30.0, due: float | None = None,
    ) -> Answer:  # fmt: skip
        """The answer, after as many repetitions as needed. Its time counts from `due`, if that was earlier.

        Raises Refused.
        """
        first, attempts = time.monotonic(), 0
        while True:
            started = time.monotonic()
            try:
                async with asyncio.timeout(patience):
                    answer = await self.connection.ask(method, path, body, headers)
                told = str(answer.status)
            except (OSError, EOFError) as error:  # a time limit that has passed is an OSError, too
                answer, told = None, type(error).__name__
            if answer and answer.status < 500 and answer.status != 429:
                break
            attempts += 1
            self.book.unanswered[f"{kind} {told}"] += 1
            wait = float(answer.headers.get("retry-after", 0)) if answer else 0.0
            pause = min(LONGEST_PAUSE, 2.0 ** min(attempts, 6)) * (0.5 + random.random() / 2)
            await asyncio.sleep(max(pause, wait))
        now = time.monotonic()
        self.book.longest = max(self.book.longest, now - first)
        self.book.note(kind, (now - (due or started)) * 1000, answer.headers.get("server-timing", ""))
        if answer.status >= 400:
            self.book.refused[f"{kind} {answer.status}"] += 1
            raise Refused(kind, answer)
        return answer
