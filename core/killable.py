"""Work in a process of its own, which is killed when it takes too long.

Some text keeps a parser busy for hours inside C code, where no exception and no thread can reach it, and no parser
is safe from malicious text. So a child process does the work, one piece after the other, and a piece on which it
hangs or dies is given up. The child is started once and reused: a piece costs one message there and back. It is not
a `multiprocessing` process, which Celery workers may not start, but a module run as a command that calls `serve`,
with a socket as standard input.

A child never outlives its parent: between pieces it sees the end of its input, and while it works, the kernel kills
it when the other end of the socket is closed.
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
from pathlib import Path
from threading import Lock
from typing import Any

from .languages import say
from .languages.kept import kept, said

SECONDS = 20.0
MEMORY = 2 * 2**30  # bytes; a page of 2 MB takes a tenth of it
_STARTING_SECONDS = 60.0  # a busy machine may take a long time to start Python
_PIECES_PER_CHILD = 1_000  # leaked memory goes with the child
_IDLE_CHILDREN = 4
_ROOT = Path(__file__).resolve().parents[1]


class GivenUp(Exception):
    """Raised if a piece of work was not finished. `reason` is for the person who reads the list of such pieces."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class Children:
    """The processes that do the work which one module lists.

    Args:
        module: is run as a command; it calls `serve` with the functions that it can call, by name.
        most_idle: the maximum number of processes that wait for the next work.
    """

    def __init__(self, module: str, *, most_idle: int = _IDLE_CHILDREN) -> None:
        self.module = module
        self._most_idle = most_idle
        self._idle: list[_Child] = []
        self._lock = Lock()
        atexit.register(self.end_idle)
        os.register_at_fork(after_in_child=self._forget)

    def run(self, work: str, *, seconds: float = SECONDS, **arguments: Any) -> Any:
        """The result of one of the module's functions. May be called from any thread.

        Args:
            work: the name of the function.
            seconds: the time after which the process is killed.
            arguments: plain values, as JSON can hold them; so is the result.

        Raises:
            GivenUp: it took longer, needed more than `MEMORY` or failed.
        """
        request = _packed([work, arguments, seconds])
        for _ in range(2):
            with self._child() as child:
                answer = child.ask(request, seconds)
            if not answer.get("died"):
                break  # One child may die for other reasons; if two in a row did, it was because of the work.
        if "given_up" in answer:
            raise GivenUp(said(answer["given_up"]))
        return answer["result"]

    @contextlib.contextmanager
    def _child(self) -> Iterator["_Child"]:
        """A child for the caller's exclusive use. Kept for the next caller if it is still usable, otherwise ended."""
        with self._lock:
            child = self._idle.pop() if self._idle else None
        if child is not None and child.process.poll() is not None:
            child.end()
            child = None
        child = child or _Child(self.module)
        try:
            yield child
        finally:
            with self._lock:
                keep = child.usable and len(self._idle) < self._most_idle
                if keep:
                    self._idle.append(child)
            if not keep:
                child.end()

    def end_idle(self) -> None:
        """End the processes that wait for work."""
        with self._lock:
            children = self._idle[:]
            self._idle.clear()
        for child in children:
            child.end()

    def _forget(self) -> None:
        """In a forked process: the children are the parent's, and must see their input end when the parent does."""
        self._lock = Lock()
        for child in self._idle:
            child.socket.close()
            child.process.returncode = 0  # nobody waits for it here
        self._idle.clear()


# --- The parent's side -----------------------------------------------------------------------------------------


class _Child:
    def __init__(self, module: str) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            # Its own session: Ctrl-C in a terminal is for the parent, which then closes the socket.
            self.process = subprocess.Popen(
                [sys.executable, "-m", module],
                cwd=_ROOT,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.pieces = 0
        self.usable = True
        try:
            _receive(self.socket, _STARTING_SECONDS)
        except (OSError, EOFError) as error:
            self.end()
            raise GivenUp(say("The process that reads pages could not be started.")) from error

    def ask(self, request: bytes, seconds: float) -> dict[str, Any]:
        """The answer to a request; if the child died or had to be killed after `seconds` seconds, an answer that says
        so."""
        self.pieces += 1
        self.usable = False  # until an answer has come in whole
        try:
            _send(self.socket, request, seconds)
            answer = _receive(self.socket, seconds)
        except TimeoutError:
            return {"given_up": kept(say("Reading it took longer than {seconds:g} seconds.", seconds=seconds))}
        except (OSError, EOFError):
            died = say("Reading it ended the process that reads pages ({ended}).", ended=self._how_it_ended())
            return {"given_up": kept(died), "died": True}
        self.usable = self.pieces < _PIECES_PER_CHILD and not answer.get("last")
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
            work, arguments, seconds = _receive(connection, None)
        except (EOFError, ConnectionError):
            return
        with _mortal(connection, seconds):
            answer = _guarded(works[work], arguments)
        with contextlib.suppress(BrokenPipeError):
            _send(connection, _packed(answer), None)
        if answer.get("last"):
            return


def _guarded(work: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to the parent: the `result`, or why the work was `given_up`."""
    try:
        return {"result": work(**arguments)}
    except MemoryError:
        needs = say("Reading it needs more than {most} MB of memory.", most=MEMORY // 2**20)
        return {"given_up": kept(needs), "last": True}
    except RecursionError:
        return {"given_up": kept(say("Its markup is nested too deeply to be read."))}
    except Exception as error:  # a bug of ours must not end a harvest of thousands of pages
        failed = say("Reading it failed: {error}.", error=f"{type(error).__name__}: {error}")
        return {"given_up": kept(failed)}


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
