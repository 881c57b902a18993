"""Remembers on disk which of many digests have been there, so that they need not fit into memory."""

import sqlite3
from types import TracebackType
from typing import Self


class Seen:
    """Digests with a number each, in a temporary file, which disappears with the process."""

    def __init__(self) -> None:
        # An empty name: https://www.sqlite.org/inmemorydb.html#temp_db
        self.database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self.database.execute("PRAGMA journal_mode = OFF")
        self.database.execute("PRAGMA cache_size = -16000")
        self.database.execute("CREATE TABLE seen (digest BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        self.database.execute("BEGIN")

    def add(self, digest: bytes, number: int) -> int | None:
        """Remember a digest; returns the number that it came with before, None if it is new."""
        added = self.database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (digest, number))
        if added.rowcount:
            return None
        found = self.database.execute("SELECT number FROM seen WHERE digest = ?", (digest,))
        return int(found.fetchone()[0])

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()
