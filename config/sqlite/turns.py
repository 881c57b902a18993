"""Who writes next: a queue of the threads of a process, and one of the processes."""

import fcntl
import os
import time
from collections import deque
from contextlib import suppress
from threading import Lock

BETWEEN_LOOKS_SECONDS = 0.0005


class Turns:
    """Each thread has its turn when those of its process that came before have had theirs, and with it the turn of
    its process."""

    def __init__(self, database: str) -> None:
        self._guard = Lock()
        self._is_taken = False
        self._waiting: deque[Lock] = deque()
        self._processes = ProcessTurns(f"{database}-turns")

    def take(self, seconds: float) -> bool:
        """Wait for the turn; returns whether it came within this time."""
        until = time.monotonic() + seconds
        if not self._comes(seconds):
            return False
        try:
            self._processes.take(until)
        except BaseException:
            self.end()
            raise
        return True

    def _comes(self, seconds: float) -> bool:
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=seconds):
            return True
        with self._guard:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return False
        return True  # it came at the last moment

    def end(self) -> None:
        self._processes.end()
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


class ProcessTurns:
    """Locks on two bytes of a file beside the database: who writes, and who comes next.

    A waiting process is next, and one that has just written has to ask again: so the same process never
    overtakes another one twice. The locks go with the process that has them. They only put in order: SQLite's own
    lock is what keeps writers apart, and it decides where the turn does not come, as when a process was stopped
    within its own, or where the file system has no such locks. Only one thread of a process at a time may ask."""

    WRITES, COMES_NEXT = 0, 1

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = -1

    def take(self, until: float) -> None:
        """Wait for the turn until that time (monotonic, in seconds)."""
        if self._file < 0:
            try:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError:
                return  # SQLite cannot write there either, and says so in a way that pages know
        self._lock(self.COMES_NEXT, until)
        self._lock(self.WRITES, until)
        self._free(self.COMES_NEXT)

    def _lock(self, byte: int, until: float) -> None:
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
                return
            except (BlockingIOError, PermissionError):  # as systems differ
                if time.monotonic() >= until:
                    return
            except OSError:
                return  # there are no such locks here
            time.sleep(BETWEEN_LOOKS_SECONDS)

    def end(self) -> None:
        if self._file >= 0:
            self._free(self.WRITES)

    def _free(self, byte: int) -> None:
        with suppress(OSError):
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
