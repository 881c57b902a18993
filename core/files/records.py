"""Reads a file of records, one after another: JSON, checked as JSON before its content is looked at.

Only one record at a time is turned into Python values, and the length of a record, the number of records and the list
of problems are limited, so that a file costs little more memory than its text, whatever is in it.
"""

import hashlib
import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, IncrementalDecoder, getincrementaldecoder
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from django.conf import settings

from ..languages import say
from ..outside import STRICT_JSON, strict_json
from ..refusals import Refusal
from .problems import Broken, broken

# Characters in one record, and records in one file, at most.
MOST_CHARACTERS = 5_000_000
MOST_RECORDS = 1_000_000
# A record is looked for in a short part of the text first: few are longer, and text that is not a record is found out
# cheaply.
WINDOWS = (4_000, 60_000, 1_000_000, MOST_CHARACTERS)
# Read this much of a file at a time.
PART_BYTES = 1_000_000
# Whatever ends this close to the end of such a part may continue after it.
MARGIN = 1_100

_BLANKS = re.compile(r"[ \t\n\r]*")


def read_parts(stream: BinaryIO, *, most: int | None = None) -> Iterator[str]:
    """The text of a UTF-8 file, with or without a byte order mark, part by part, so that it need not fit into memory.

    Raises Refusal if the file is longer than `most` or, without it, `settings.IMPORT_MAX_BYTES` bytes, reading no
    more than that, or is not UTF-8.
    """
    most = settings.IMPORT_MAX_BYTES if most is None else most
    decoder = getincrementaldecoder("utf-8-sig")()
    size = 0
    while data := stream.read(min(PART_BYTES, most + 1 - size)):
        # The first bytes of a character whose other bytes come with the next part.
        start = size - len(decoder.getstate()[0])
        size += len(data)
        if size > most:
            raise too_large(most)
        yield _decoded(decoder, data, start)
    yield _decoded(decoder, b"", size - len(decoder.getstate()[0]), final=True)


def too_large(most: int) -> Refusal:
    """The refusal of a file with more than `most` bytes."""
    return Refusal(
        say(
            "The file is larger than {megabytes:,.0f} MB, the largest size allowed. Nothing was written. "
            "Split it, or ask an operator to raise the limit.",
            megabytes=most / 1_000_000,
        ),
        status=413,
    )


def peek(parts: Iterator[str]) -> tuple[str, Iterator[str]]:
    """The beginning of a text, up to the first non-blank part, and all its parts."""
    begun: list[str] = []
    for part in parts:
        begun.append(part)
        if part.strip():
            break
    return "".join(begun), chain(begun, parts)


def _decoded(decoder: IncrementalDecoder, data: bytes, start: int, *, final: bool = False) -> str:
    try:
        return decoder.decode(data, final)
    except UnicodeDecodeError as error:
        is_utf_16 = start == 0 and data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        wrong = (
            say("it is in UTF-16")
            if is_utf_16
            else say("byte {byte:,} is not a valid character", byte=start + error.start + 1)
        )
        raise broken(
            say(
                "It is not text in UTF-8: {wrong}. In a spreadsheet program, save as “CSV UTF-8”, not as “Unicode "
                "text” or “CSV”.",
                wrong=wrong,
            )
        ) from error


def read_records(text: str | Iterator[str]) -> Iterator[Any]:
    """The members, in order, of the JSON list in `text` (or in all its parts together). Raises Refusal, naming the
    record, if one is broken."""
    reader = _Reader(text)
    if reader.next != "[":
        if reader.next != "{":
            reader.value(say("The file"))
        raise broken(say("It must be a list of records, starting with “[”."))
    yield from reader.members("")
    reader.end(say("the end of the list"))


def read_lists(text: str | Iterator[str]) -> Iterator[tuple[str, int, Any]]:
    """The members of the lists in the JSON object in `text`: the list's name, a number from 1, the member.

    If a value is not a list, or is an empty one, the value itself comes with the number 0. Raises Refusal, naming the
    record, if one is broken.
    """
    reader = _Reader(text)
    for name in _names_once(reader, say("It must be an object: the name of a model, then its list of records.")):
        if reader.next != "[":
            yield name, 0, reader.value(say("The value of {name}", name=ascii(name[:80])))
            continue
        number = 0
        for number, value in enumerate(reader.members(f"{name[:80]}, "), start=1):
            yield name, number, value
        if not number:
            yield name, 0, []
    reader.end()


def _names_once(reader: "_Reader", wanted: str) -> Iterator[str]:
    """The names in the file's one object, each of them once; `wanted` describes the expected file."""
    if reader.next != "{":
        reader.value(say("The file"))
        raise broken(wanted)
    names: set[str] = set()
    for name in reader.names():
        if name in names:
            raise broken(say("The name {name} appears twice in it.", name=ascii(name[:80])))
        names.add(name)
        yield name


class Doubled(dict):
    """An object of a file with a duplicate key; which of the two values it holds is undefined."""

    @property
    def problem(self) -> str:
        return say("a key appears twice in one object")


def _perhaps_doubled(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    values = dict(pairs)
    return values if len(values) == len(pairs) else Doubled(values)


def read_objects(text: str | Iterator[str]) -> Iterator[tuple[str, str | None, Any]]:
    """The members of the objects in the JSON object in `text`: the object's name, the member's, the member.

    If a value is not an object, or an empty one, the value itself comes with None. A name that appears twice inside
    an object comes twice; an object inside a member that has a key twice is a `Doubled`. Raises Refusal, naming the
    member, if one is broken.
    """
    reader = _Reader(text, decoder=_WITH_DOUBLED)
    for name in _names_once(reader, say("It must be an object of objects, starting with “{”.")):
        if reader.next != "{":
            yield name, None, reader.value(say("The value of {name}", name=ascii(name[:80])))
            continue
        is_empty = True
        for key in reader.names():
            is_empty = False
            reader.records += 1
            check_count(reader.records)
            yield (
                name,
                key,
                reader.value(say("The value of {key} in {name}", key=ascii(key[:80]), name=ascii(name[:80]))),
            )
        if is_empty:
            yield name, None, {}
    reader.end()


@dataclass(frozen=True, slots=True)
class NotJson:
    """A line of JSON Lines that is not JSON; `problem` says why."""

    text: str
    problem: str


def read_lines(text: str | Iterator[str]) -> Iterator[tuple[int, Any]]:
    """The values of JSON Lines, each with its line number; a `NotJson` for each broken line."""
    found = 0
    for number, line in enumerate(_lines([text] if isinstance(text, str) else text), start=1):
        if len(line) > MOST_CHARACTERS:
            raise broken(
                say(
                    "Line {number} has more than {most_characters:,} characters.",
                    number=number,
                    most_characters=MOST_CHARACTERS,
                )
            )
        if line.strip():
            found += 1
            check_count(found)
            try:
                value = _Reader(line, is_line=True).only_value(say("It"))
            except Broken as error:
                value = NotJson(line, error.reason)
            yield number, value


def located_lines(parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The values of JSON Lines, each with its location for messages. Raises Broken if there is no text."""
    begun, parts = peek(parts)
    if not begun.strip():
        raise broken(say("It is empty."))
    return ((say("Line {line}", line=line), record) for line, record in read_lines(parts))


def _lines(parts: Iterable[str]) -> Iterator[str]:
    rest = ""
    for part in parts:
        *lines, rest = (rest + part).split("\n")
        yield from lines
        if len(rest) > MOST_CHARACTERS:
            break
    yield rest


def read_value(text: str) -> Any:
    """The one JSON value in `text`. Raises Refusal if it is not valid JSON."""
    return _Reader(text).only_value(say("The file"))


def check_count(records: int) -> None:
    if records > MOST_RECORDS:
        raise broken(say("It holds more than {most_records:,} records. Split it.", most_records=MOST_RECORDS))


def digest_of(texts: Iterable[str]) -> bytes:
    """A digest of 16 bytes that tells these texts from others."""
    return hashlib.sha256(repr(list(texts)).encode()).digest()[:16]


_WITH_DOUBLED = strict_json(_perhaps_doubled)


class _Reader:
    """A position in a JSON text, always before a non-blank character. Of a text in parts it holds the characters
    needed for the next value. Raises Refusal if only blanks remain.
    """

    def __init__(self, text: str | Iterator[str], *, decoder: json.JSONDecoder = STRICT_JSON, is_line: bool = False):
        self.decoder, self.is_line = decoder, is_line
        self.parts = iter([text] if isinstance(text, str) else text)
        self.text, self.has_all = "", False
        self.at = self.records = 0
        # Counts of the text that was read and is no longer in `text`: its lines, and the characters of the last of
        # them.
        self.lines = self.characters = 0
        self.skip_blanks()
        if self.is_at_end:
            raise broken(say("It is empty."))

    def hold(self, characters: int) -> None:
        """Have this many characters after `at`, or all remaining ones."""
        while not self.has_all and len(self.text) - self.at < characters:
            part = next(self.parts, None)
            if part is None:
                self.has_all = True
                return
            gone = self.text[: self.at]
            if "\n" in gone:
                self.lines += gone.count("\n")
                self.characters = 0
            self.characters += len(gone) - gone.rfind("\n") - 1
            self.text, self.at = self.text[self.at :] + part, 0

    @property
    def next(self) -> str:
        self.hold(1)
        return self.text[self.at : self.at + 1]

    @property
    def is_at_end(self) -> bool:
        return self.next == ""

    def skip_blanks(self) -> None:
        self.hold(1)
        while match := _BLANKS.match(self.text, self.at):
            self.at = match.end()
            if self.at < len(self.text) or self.has_all:
                return
            self.hold(1)

    def step(self) -> None:
        self.at += 1
        self.skip_blanks()

    def end(self, what: str = say("its end")) -> None:
        if not self.is_at_end:
            raise broken(
                say(
                    "It is not JSON: something follows {what}{line_and_column}.",
                    what=what,
                    line_and_column=self.line_and_column(self.at),
                )
            )

    def members(self, name: str) -> Iterator[Any]:
        """The members of the list that begins here."""
        self.step()
        number = 0
        while self.next != "]" or number:
            number += 1
            self.records += 1
            check_count(self.records)
            yield self.value(
                say("{name}record {number}", name=name, number=number)
                if name
                else say("Record {number}", number=number)
            )
            if self.next == "]":
                break
            record = say("{name}record {number}", name=name, number=number)
            self.comma(say("after {record} a comma or the end of the list is missing", record=record))
        self.step()

    def names(self) -> Iterator[str]:
        """The names in the object that begins here; the caller reads the value of one before asking for the next."""
        self.step()
        is_first = True
        while self.next != "}" or not is_first:
            is_first = False
            if self.next != '"':
                raise broken(
                    say(
                        "The file is not JSON: a name in quotation marks is missing{line_and_column}.",
                        line_and_column=self.line_and_column(self.at),
                    )
                )
            name = self.value(say("The file"))
            if self.next != ":":
                raise broken(
                    say(
                        "The file is not JSON: a colon is missing{line_and_column}.",
                        line_and_column=self.line_and_column(self.at),
                    )
                )
            self.step()
            yield name
            if self.next == "}":
                break
            self.comma(say("a comma or the end of the object is missing"))
        self.step()

    def comma(self, missing: str) -> None:
        if self.next != ",":
            raise broken(
                say(
                    "It is not JSON: {missing}{line_and_column}.",
                    missing=missing,
                    line_and_column=self.line_and_column(self.at),
                )
            )
        self.step()

    def only_value(self, what: str) -> Any:
        """The value that begins here, if nothing follows it; `what` names it in errors. Raises Refusal."""
        value = self.value(what)
        self.end()
        return value

    def value(self, what: str) -> Any:
        """The value that begins here; moves past it. `what` names it in errors. Raises Refusal."""
        try:
            value, self.at = self.decoded()
        except json.JSONDecodeError as error:
            if len(self.text) - self.at > MOST_CHARACTERS and self.at + MOST_CHARACTERS - error.pos < MARGIN:
                raise self.too_long(what) from None
            raise broken(
                say(
                    "{what} is not JSON: {msg}{line_and_column}.",
                    what=what,
                    msg=error.msg,
                    line_and_column=self.line_and_column(error.pos),
                )
            ) from error
        except RecursionError:
            raise broken(say("{what} is nested too deep to be read.", what=what)) from None
        except ValueError as error:
            raise broken(say("{what} cannot be read: {error}.", what=what, error=error)) from error
        self.skip_blanks()
        return value

    def decoded(self) -> tuple[Any, int]:
        for window in WINDOWS[:-1]:
            self.hold(window + 1)
            if len(self.text) - self.at <= window:
                break
            try:
                value, end = self.decoder.raw_decode(self.text[self.at : self.at + window])
            except json.JSONDecodeError:
                continue
            if end < window - MARGIN:
                return value, self.at + end
        self.hold(MOST_CHARACTERS + 1)
        if len(self.text) - self.at <= MOST_CHARACTERS:
            return self.decoder.raw_decode(self.text, self.at)
        return self.decoded_in_longest()

    def decoded_in_longest(self) -> tuple[Any, int]:
        part = self.text[self.at : self.at + MOST_CHARACTERS]
        try:
            value, end = self.decoder.raw_decode(part)
        except json.JSONDecodeError as error:
            # A text that is not closed in it is said to be wrong where it begins.
            is_open = error.pos >= len(part) - MARGIN or error.msg.startswith("Unterminated")
            pos = self.at + (len(part) if is_open else error.pos)
            raise json.JSONDecodeError(error.msg, self.text, pos) from None
        return value, self.at + end

    def too_long(self, what: str) -> Refusal:
        return broken(
            say(
                "{what} has more than {most_characters:,} characters, the most that one may have.",
                what=what,
                most_characters=MOST_CHARACTERS,
            )
        )

    def line_and_column(self, at: int) -> str:
        line = self.lines + self.text.count("\n", 0, at) + 1
        line_start = self.text.rfind("\n", 0, at)
        column = at - line_start + (self.characters if line_start < 0 else 0)
        if self.is_line:
            return say(" (column {column:,})", column=column)
        return say(" (line {line:,}, column {column:,})", line=line, column=column)
