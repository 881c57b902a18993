"""Inspect's `.eval` logs: ZIP archives with a file for each sample, which are read as its `.json` logs are."""

import json
import sys
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import chain
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from django.conf import settings

from core.files.problems import broken
from core.files.records import MOST_CHARACTERS, MOST_RECORDS, PART_BYTES, read_value
from core.languages import say

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile  # Inspect packs with Zstandard

DAMAGED = (zipfile.BadZipFile, zlib.error, ZstdError, EOFError, NotImplementedError, RuntimeError, OSError)
ZIPPED = b"PK\x03\x04"
PIECE = 64_000


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The JSON text of an `.eval` log; any other stream unchanged, to be read once. It is unpacked as it is read, so
    that a limit on reading limits the unpacked content. Raises Refusal if the archive cannot be read.
    """
    begun = stream.read(len(ZIPPED))
    rest = iter(partial(stream.read, PART_BYTES), b"")
    pieces = log_text(chain([begun], rest)) if begun == ZIPPED else chain([begun], rest)
    return cast(BinaryIO, Pieces(pieces))


class Pieces:
    """A stream over pieces of text."""

    def __init__(self, pieces: Iterator[bytes]):
        self.pieces, self.rest = pieces, b""

    def read(self, size: int) -> bytes:
        while len(self.rest) < size and (piece := next(self.pieces, None)) is not None:
            self.rest += piece
        data, self.rest = self.rest[:size], self.rest[size:]
        return data


def log_text(packed: Iterator[bytes]) -> Iterator[bytes]:
    """The text in an archive, which has to be on disk: its list of files is at its end."""
    with TemporaryFile() as file:
        for piece in packed:
            file.write(piece)
            if file.tell() > settings.IMPORT_MAX_BYTES:
                raise broken(
                    say("It has more than {megabytes:,.0f} MB.", megabytes=settings.IMPORT_MAX_BYTES / 1_000_000)
                )
        try:
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
                if len(names) > MOST_RECORDS:
                    raise broken(say("It holds more than {most_records:,} samples.", most_records=MOST_RECORDS))
                yield from members(archive, names)
        except DAMAGED as error:
            raise broken(say("It is a ZIP archive that cannot be read: {error}.", error=str(error)[:200])) from error


def members(archive: Any, names: list[str]) -> Iterator[bytes]:
    if "header.json" not in names:
        raise broken(
            say("It is a ZIP archive without header.json: no log of Inspect, or one of a run that never ended.")
        )
    with archive.open("header.json") as file:
        header = read_value(file.read(MOST_CHARACTERS).decode("utf-8", "replace"))
    shown = {name: header.get(name) for name in ("version", "status", "eval")} if isinstance(header, dict) else {}
    yield f'{json.dumps(shown)[:-1]}, "samples": ['.encode()
    comma = b""
    for name in names:
        if name.startswith("samples/") and name.endswith(".json"):
            yield comma
            with archive.open(name) as file:
                while piece := file.read(PIECE):
                    yield piece
            comma = b","
    yield b"]}"
