"""The bytes inside a compressed file, piece by piece, with the offsets at which reading can start again.

A gzip or bzip2 file is one or many streams, each of which can be unpacked by itself: Wikimedia's “multistream” dumps
begin one every hundred pages, parallel compressors one every megabyte or less. Reading cannot begin inside a stream:
what precedes the wanted text is unpacked and thrown away, but not parsed.
"""

import bz2
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

CHUNK = 128 * 1024
MOST_OUT = 512 * 1024  # bytes in one piece: a few bytes can unpack to any number


@dataclass(frozen=True, slots=True)
class Start:
    """Where unpacking can begin, in bytes into the file and into its unpacked content."""

    packed: int = 0
    unpacked: int = 0


def pieces(file: IO[bytes], start: Start) -> Iterator[tuple[bytes, Start]]:
    """What the file holds from `start` on, in pieces of bounded size, each with the start of its stream.

    An uncompressed file can be started anywhere. The compression is recognised by the first bytes. Raises `EOFError`
    if a stream ends too early, and `OSError` or `zlib.error` if it is damaged.
    """
    file.seek(0)
    signature = file.read(3)
    file.seek(start.packed)
    if signature == b"BZh":
        yield from _unpacked(file, start, bz2.BZ2Decompressor)
    elif signature.startswith(b"\x1f\x8b"):
        yield from _unpacked(file, start, _GzipStream)
    else:
        at = start.unpacked
        while piece := file.read(CHUNK):
            yield piece, Start(at, at)
            at += len(piece)


class _GzipStream:
    """One member of a gzip file, with the interface of `BZ2Decompressor`."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        piece = self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)
        self.needs_input = not self._inflate.unconsumed_tail and len(piece) < max_length
        return piece


def _unpacked(file: IO[bytes], start: Start, new_stream: Callable[[], Any]) -> Iterator[tuple[bytes, Start]]:
    at = start.unpacked
    data = file.read(CHUNK)
    while data:
        stream = new_stream()
        try:
            piece = stream.decompress(data, MOST_OUT)
        except (OSError, zlib.error):
            if start.packed:
                return  # what follows the last stream is padding or garbage, which bzip2 and gzip ignore, too
            raise
        while True:
            at += len(piece)
            if piece:
                yield piece, start
            if stream.eof:
                break
            data = file.read(CHUNK) if stream.needs_input else b""
            if not data and stream.needs_input:
                raise EOFError
            piece = stream.decompress(data, MOST_OUT)
        data = stream.unused_data or file.read(CHUNK)
        start = Start(file.tell() - len(data), at)
