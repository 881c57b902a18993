"""Decides which thread and process writes next: one queue for the threads of a process, another for the processes."""

import fcntl
import os
import time
from collections import deque
from contextlib import suppress
from threading import Lock

BETWEEN_LOOKS_SECONDS = 0.0005


class Turns:
    """Gives each thread its turn after the earlier threads of its process, and with it the turn of the process."""

    def __init__(self, database: str) -> None:
        self._guard = Lock()
        self._is_taken = False
        self._waiting: deque[Lock] = deque()
        self._processes = ProcessTurns(f"{database}-turns")

    def take(self, seconds: float) -> bool:
        """Wait for the turn; returns whether it came within the time limit."""
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
    """Locks two bytes of a file beside the database: the current writer and the next one.

    A waiting process is next, and a process that has just written must ask again, so no process overtakes another
    twice. The locks end with the process that holds them. They only set the order: SQLite's own lock keeps writers
    apart, and decides when a turn does not come, for example when a process was stopped during its turn or the file
    system has no such locks. Only one thread of a process may ask at a time.
    """

    WRITES, COMES_NEXT = 0, 1

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = -1

    def take(self, until: float) -> None:
        """Wait for the turn until `until` (monotonic, in seconds)."""
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
