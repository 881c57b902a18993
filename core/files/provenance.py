"""The origin of imported records: the file's name, its SHA-256, and the revision that the importer names."""

import hashlib
from pathlib import PurePath
from typing import BinaryIO

from django.utils import timezone

PART_BYTES = 1 << 20
NAME_LENGTH = 200


class Hashed:
    """A stream that is hashed while it is read."""

    def __init__(self, stream: BinaryIO):
        self.stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.digest.update(data)
        return data

    def source(self, *, revision: str = "") -> dict[str, object]:
        """The record of this file, once the rest is read: `file`, `sha256`, `revision` and `imported_at`. A missing
        name or revision is empty.
        """
        while self.read(PART_BYTES):
            pass
        return {
            "file": name_of(self.stream),
            "sha256": self.digest.hexdigest(),
            "revision": revision.strip()[:NAME_LENGTH],
            "imported_at": timezone.now().isoformat(timespec="seconds"),
        }


def name_of(stream: object) -> str:
    """The file's name without its folder; empty if the stream has none, as with the standard input."""
    name = getattr(stream, "name", "")
    if not isinstance(name, str) or name.startswith("<"):
        return ""
    return PurePath(name.replace("\\", "/")).name[:NAME_LENGTH]
