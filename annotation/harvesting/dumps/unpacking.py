"""Unpacks a compressed file piece by piece, with the offsets at which reading can start again.

A gzip or bzip2 file is one or many streams, each of which can be unpacked separately: Wikimedia's “multistream” dumps
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
BZIP2_STEP = 1024  # bytes given to a bzip2 stream at once: small, so that blocks are told apart
MOST_UNCHECKED = 4 * 2**20  # bytes of a bzip2 block held until its checksum was compared; nearly all have 900,000
BZIP2, GZIP = b"BZh", b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Start:
    """A position where unpacking can begin, in bytes into the file and into its unpacked content."""

    packed: int = 0
    unpacked: int = 0


def pieces(file: IO[bytes], start: Start) -> Iterator[tuple[bytes, Start]]:
    """The unpacked content from `start` on, in pieces of bounded size, each with the start of its stream.

    An uncompressed file can be started anywhere. The compression is recognised by the first bytes. Raises `EOFError`
    if a stream ends too early, and `OSError` or `zlib.error` if it is damaged, after the pieces before the damage.
    """
    file.seek(0)
    signature = file.read(3)
    file.seek(start.packed)
    if signature == BZIP2:
        yield from _unpacked(file, start, _Bzip2Stream, BZIP2)
    elif signature.startswith(GZIP):
        yield from _unpacked(file, start, _GzipStream, GZIP)
    else:
        at = start.unpacked
        while piece := file.read(CHUNK):
            yield piece, Start(at, at)
            at += len(piece)


class _GzipStream:
    """One member of a gzip file, with the interface of `BZ2Decompressor`."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self._error: zlib.error | None = None
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._error:
            raise self._error
        before, data = self._inflate.copy(), self._inflate.unconsumed_tail + data
        try:
            piece = self._inflate.decompress(data, max_length)
        except zlib.error as error:
            self._error, self.needs_input = error, False  # raised by the next call
            return _before_the_damage(before, data)
        self.needs_input = not self._inflate.unconsumed_tail and len(piece) < max_length
        return piece


def _before_the_damage(inflate: Any, data: bytes) -> bytes:
    """The unpacked data, byte by byte, up to the byte that raises an error."""
    found = []
    try:
        for at in range(len(data)):
            found.append(inflate.decompress(data[at : at + 1]))
    except zlib.error:
        pass
    return b"".join(found)


class _Bzip2Stream:
    """One stream of a bzip2 file, with the interface of `BZ2Decompressor`; gives only blocks whose checksum is right.

    A block's checksum is compared once all of it has been unpacked. Until then it is held here.
    """

    def __init__(self) -> None:
        self._stream = bz2.BZ2Decompressor()
        self._error: OSError | None = None
        self._data, self._at = b"", 0
        self._held: list[bytes] = []
        self._is_checked = True

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data + self._data[self._at :]

    @property
    def needs_input(self) -> bool:
        return not self._error and self._is_checked and self._stream.needs_input and self._at >= len(self._data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._error:
            raise self._error
        self._data, self._at = self._data[self._at :] + data, 0
        checked: list[bytes] = []
        size = 0
        while size < max_length and not self.eof and not self.needs_input:
            try:
                self._unpack_a_step(max_length)
            except OSError as error:
                self._error = error  # raised by the next call
                break
            if self._is_checked or sum(map(len, self._held)) > MOST_UNCHECKED:
                size += sum(map(len, self._held))
                checked += self._held
                self._held = []
        return b"".join(checked)

    def _unpack_a_step(self, max_length: int) -> None:
        step = b""
        if self._is_checked and self._stream.needs_input:
            step = self._data[self._at : self._at + BZIP2_STEP]
            self._at += len(step)
        piece = self._stream.decompress(step, max_length)
        self._held.append(piece)
        # Without a piece, the stream has given all of a block, compared its checksum and is inside the next.
        self._is_checked = self._stream.eof or (not piece and self._stream.needs_input)


def _unpacked(
    file: IO[bytes], start: Start, new_stream: Callable[[], Any], signature: bytes
) -> Iterator[tuple[bytes, Start]]:
    at = start.unpacked
    data = file.read(CHUNK)
    while data:
        while len(data) < len(signature) and (more := file.read(CHUNK)):
            data += more
        if start.packed and not data.startswith(signature):
            return  # what follows the last stream is padding or garbage, which bzip2 and gzip ignore, too
        stream = new_stream()
        while True:
            piece = stream.decompress(data, MOST_OUT)
            at += len(piece)
            if piece:
                yield piece, start
            if stream.eof:
                break
            data = file.read(CHUNK) if stream.needs_input else b""
            if not data and stream.needs_input:
                raise EOFError
        data = stream.unused_data or file.read(CHUNK)
        start = Start(file.tell() - len(data), at)
