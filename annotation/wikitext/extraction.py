"""`find_tags` in a process of its own, which is killed when a page takes too long.

Some text keeps the parser busy for hours inside C code, where no exception and no thread can reach it. So a child
process reads the pages, one after the other, and a page on which it hangs or dies is given up. Other work on a wiki's
data is done there, too (`in_child`): no parser is safe from malicious text. The child is started once and reused: a
page costs one message there and back. It is not a `multiprocessing` process, which Celery workers may not start, but
a module run as a command (`CHILD`), with a socket as standard input.

A child never outlives its parent: between pages it sees the end of its input, and while it works, the kernel kills it
when the other end of the socket is closed.
"""

import atexit
import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path
from threading import Lock
from typing import Any

from .tags import FoundTag, find_tags, may_have_tags

SECONDS = 20.0
MEMORY = 2 * 2**30  # bytes; a page of 2 MB takes a tenth of it
_STARTING_SECONDS = 60.0  # a busy machine may take a long time to start Python
_PAGES_A_CHILD = 1_000  # leaked memory goes with the child
_IDLE_CHILDREN = 4
# Run as a command; it knows all the work done there, including that of packages above this one.
CHILD = "annotation.reading.child"
_ROOT = Path(__file__).resolve().parents[2]


class ExtractionGivenUp(Exception):
    """Raised if a page could not be read. `reason` is for the person who reads the list of such pages."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def extract_tags(
    wikitext: str, *, seconds: float = SECONDS, families: Mapping[str, str] | None = None
) -> list[FoundTag]:
    """The contradiction tags of a page, as `wikitext.find_tags` gives them.

    Raises ExtractionGivenUp if the page takes longer than `seconds` seconds or needs too much memory. May be called
    from any thread.
    """
    if not may_have_tags(wikitext, families):
        return []
    answer = _asked([wikitext, dict(families) if families is not None else None], seconds)
    return [_found_tag(values, answer["paragraphs"]) for values in answer["tags"]]


def in_child(work: str, *, seconds: float = SECONDS, **arguments: Any) -> Any:
    """The result of calling one of our functions on a page in the process that can be killed.

    `work` names it, as `annotation.reading.child` lists it; arguments and result are plain values. Raises
    ExtractionGivenUp as `extract_tags` does.
    """
    return _asked({"work": work, "arguments": arguments}, seconds)["result"]


def _asked(what: Any, seconds: float) -> dict[str, Any]:
    request = _packed([what, seconds])
    for _ in range(2):
        with _a_child() as child:
            answer = child.ask(request, seconds)
        if not answer.get("died"):
            break  # One child may die for other reasons; if two in a row did, it was because of the page.
    if "given_up" in answer:
        raise ExtractionGivenUp(answer["given_up"])
    return answer


# --- The parent's side -----------------------------------------------------------------------------------------


class _Child:
    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            # Its own session: Ctrl-C in a terminal is for the parent, which then closes the socket.
            self.process = subprocess.Popen(
                [sys.executable, "-m", CHILD],
                cwd=_ROOT,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.pages = 0
        self.usable = True
        try:
            _receive(self.socket, _STARTING_SECONDS)
        except (OSError, EOFError) as error:
            self.end()
            raise ExtractionGivenUp("The process that reads pages could not be started.") from error

    def ask(self, request: bytes, seconds: float) -> dict[str, Any]:
        """The answer to a request; if the child died or had to be killed after `seconds` seconds, an answer that says
        so."""
        self.pages += 1
        self.usable = False  # until an answer has come in whole
        try:
            _send(self.socket, request, seconds)
            answer = _receive(self.socket, seconds)
        except TimeoutError:
            return {"given_up": f"Reading it took longer than {seconds:g} seconds."}
        except (OSError, EOFError):
            ended = self._how_it_ended()
            return {"given_up": f"Reading it ended the process that reads pages ({ended}).", "died": True}
        self.usable = self.pages < _PAGES_A_CHILD and not answer.get("last")
        return answer

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.process.wait(timeout=5)
            return signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return "no exit code"

    def end(self) -> None:
        self.usable = False
        self.socket.close()
        self.process.kill()
        self.process.wait()


_idle: list[_Child] = []
_lock = Lock()


@contextlib.contextmanager
def _a_child() -> Iterator[_Child]:
    """A child for the caller's exclusive use. Kept for the next caller if it is still usable, otherwise ended."""
    with _lock:
        child = _idle.pop() if _idle else None
    if child is not None and child.process.poll() is not None:
        child.end()
        child = None
    child = child or _Child()
    try:
        yield child
    finally:
        with _lock:
            keep = child.usable and len(_idle) < _IDLE_CHILDREN
            if keep:
                _idle.append(child)
        if not keep:
            child.end()


def _end_idle_children() -> None:
    with _lock:
        children = _idle[:]
        _idle.clear()
    for child in children:
        child.end()


def _forget_children() -> None:
    """In a forked process: the children are the parent's, and must see their input end when the parent does."""
    global _lock
    _lock = Lock()
    for child in _idle:
        child.socket.close()
        child.process.returncode = 0  # nobody waits for it here
    _idle.clear()


atexit.register(_end_idle_children)
os.register_at_fork(after_in_child=_forget_children)

# --- Messages: a length and JSON, which keeps lone surrogates and cannot run anything ----------------------------

_LENGTH = struct.Struct("!Q")


def _packed(message: object) -> bytes:
    return json.dumps(message).encode("ascii")


def _send(connection: socket.socket, message: bytes, seconds: float | None) -> None:
    connection.settimeout(seconds)
    connection.sendall(_LENGTH.pack(len(message)))
    connection.sendall(message)


def _receive(connection: socket.socket, seconds: float | None) -> Any:
    """The next message. Raises TimeoutError if it does not come within `seconds` seconds, EOFError if the other side
    is gone."""
    deadline = None if seconds is None else time.monotonic() + seconds
    (length,) = _LENGTH.unpack(_read(connection, _LENGTH.size, deadline))
    return json.loads(_read(connection, length, deadline))


def _read(connection: socket.socket, length: int, deadline: float | None) -> bytes:
    received = bytearray()
    while len(received) < length:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            connection.settimeout(left)
        piece = connection.recv(min(length - len(received), 1 << 20))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)


# Tags of one paragraph share its text, so each text is sent once.


def _answer(tags: list[FoundTag]) -> dict[str, Any]:
    paragraphs: dict[tuple[str, str], int] = {}
    rows = []
    for tag in tags:
        values = list(astuple(tag))
        text = paragraphs.setdefault((tag.paragraph, tag.paragraph_clean), len(paragraphs))
        rows.append([*values[:8], text, *values[10:]])
    return {"tags": rows, "paragraphs": list(paragraphs)}


def _found_tag(values: list[Any], paragraphs: list[tuple[str, str]]) -> FoundTag:
    tag, name, family, date, reason, other_articles, section, placement, text, start, end = values
    paragraph, clean = paragraphs[text]
    return FoundTag(
        tag, name, family, date, reason, tuple(other_articles), section, placement, paragraph, clean, start, end
    )


# --- The child's side ------------------------------------------------------------------------------------------


def serve(connection: socket.socket, works: Mapping[str, Callable[..., Any]]) -> None:
    """Read requests and run the named `works` until the other side is gone."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # A signal on input or hang-up, with no handler: the kernel ends the process whatever it is doing.
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _send(connection, _packed("ready"), None)
    while True:
        try:
            what, seconds = _receive(connection, None)
        except (EOFError, ConnectionError):
            return
        with _mortal(connection, seconds):
            if isinstance(what, dict):
                answer = _guarded(_do, work=works[what["work"]], arguments=what["arguments"])
            else:
                answer = _read_page(*what)
        with contextlib.suppress(BrokenPipeError):
            _send(connection, _packed(answer), None)
        if answer.get("last"):
            return


def _read_page(wikitext: str, families: Mapping[str, str] | None) -> dict[str, Any]:
    return _guarded(lambda: _answer(find_tags(wikitext, families=families)))


def _do(work: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    return {"result": work(**arguments)}


def _guarded(function: Callable[..., dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    try:
        return function(**arguments)
    except MemoryError:
        return {"given_up": f"Reading it needs more than {MEMORY // 2**20} MB of memory.", "last": True}
    except RecursionError:
        return {"given_up": "Its markup is nested too deeply to be read."}
    except Exception as error:  # a bug of ours must not end a harvest of thousands of pages
        return {"given_up": f"Reading it failed: {type(error).__name__}: {error}."}


@contextlib.contextmanager
def _mortal(connection: socket.socket, seconds: float) -> Iterator[None]:
    """Inside the block, the process ends with its parent, and once the time that the parent waits is over."""
    flags = fcntl.fcntl(connection, fcntl.F_GETFL)
    fcntl.fcntl(connection, fcntl.F_SETFL, flags | os.O_ASYNC)
    signal.setitimer(signal.ITIMER_REAL, seconds + 5)
    try:
        if connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b"":
            sys.exit()  # it was gone before the signal was set up
    except BlockingIOError:
        pass
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        fcntl.fcntl(connection, fcntl.F_SETFL, flags)
