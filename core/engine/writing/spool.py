"""Stores plain values on disk between planning and writing, so that the plan need not fit into memory."""

import pickle
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import Any

# In front of each value stands its length in bytes.
LENGTH_BYTES = 4


class Spool:
    """Plain values in a temporary file, which disappears with the process."""

    def __init__(self) -> None:
        self.file = TemporaryFile()  # noqa: SIM115 - closed with the spool
        self.count = self.length = 0

    def add(self, value: Any) -> int:
        """Store the value; returns its offset."""
        offset, data = self.length, pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        self.length += self.file.write(len(data).to_bytes(LENGTH_BYTES) + data)
        self.count += 1
        return offset

    def at(self, offset: int) -> Any:
        if self.file.tell() != offset:
            self.file.seek(offset)
        return self.next()

    def next(self) -> Any:
        length = int.from_bytes(self.file.read(LENGTH_BYTES))
        return pickle.loads(self.file.read(length))  # noqa: S301 - no other process can write this file

    def __iter__(self) -> Iterator[Any]:
        """All values in their order."""
        self.file.seek(0)
        for _ in range(self.count):
            yield self.next()

    def close(self) -> None:
        self.file.close()
