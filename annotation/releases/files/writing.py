"""Writes a release to a file or a folder, in any of its formats."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from core.files.folders import written_folder
from core.files.writing import write_output
from core.languages import joined, say
from core.refusals import Refusal

from ...kinds.registry import ITEMS, benchmark_codes, item_format_of
from ...models import Release
from ..canonical import content_lines, item_lines
from .formats import FileFormat, FolderFormat, ReleaseFormat, registered_formats

# The text that a release's content hash is computed from. A release of every benchmark has this form, its own or that
# of items as they came.
HASHED = "jsonl"
LINES = FileFormat(say("instances, as the content hash is computed from them"), ".jsonl", content_lines)
ITEM_LINES = FileFormat(say("items as they are imported, one on each line"), ".items.jsonl", item_lines)


def release_formats(benchmark: str) -> dict[str, ReleaseFormat]:
    """All forms of a benchmark's releases by their codes."""
    formats = registered_formats(benchmark)
    if item_format_of(benchmark) == ITEMS:
        formats = {ITEMS: ITEM_LINES, **formats}
    return formats if HASHED in formats else {HASHED: LINES, **formats}


def all_formats() -> dict[str, ReleaseFormat]:
    """The formats of all benchmarks; those of one code are all files or all folders, and the first benchmark's words
    describe them.
    """
    found: dict[str, ReleaseFormat] = {}
    for benchmark in benchmark_codes():
        found = {**found, **{code: each for code, each in release_formats(benchmark).items() if code not in found}}
    return found


def hashed_lines(release: Release) -> Iterable[str]:
    """The text that the release's content hash is computed from."""
    chosen = format_of(release, HASHED)
    if isinstance(chosen, FolderFormat):
        raise TypeError("what is hashed is one text")
    return chosen.chunks(release)


def content_hash_of(release: Release) -> str:
    """The content hash, recomputed from the rows. It equals `release.content_hash` unless they were changed."""
    digest = hashlib.sha256()
    for line in hashed_lines(release):
        digest.update(line.encode())
    return digest.hexdigest()


def write_release(release: Release, code: str, target: str, *, standard_output: TextIO) -> Path | None:
    """Write the release in the form with this code to the file or folder `target`, completely or not at all; "-" is
    the standard output. Returns the written path, and None for the standard output.

    Raises Refusal if there is no such form, or if it cannot be written there.
    """
    chosen = format_of(release, code)
    if isinstance(chosen, FolderFormat):
        if target == "-":
            raise Refusal(say("{code} is a folder of files: name one.", code=code))
        with written_folder(target, kind=code) as folder:
            chosen.write(release, folder)
        return Path(target)
    path = Path(target)
    if path.is_dir():
        path /= file_name(release, chosen)
    write_output(str(path), chosen.chunks(release), standard_output=standard_output)
    return None if target == "-" else path


def format_of(release: Release, code: str) -> ReleaseFormat:
    """The form with this code. Raises Refusal if releases of its benchmark have no such form."""
    formats = release_formats(release.benchmark)
    if code not in formats:
        raise Refusal(
            say(
                "Release {number} is of the benchmark “{benchmark}”: it cannot be written as “{code}”. It can "
                "be written as {formats}.",
                number=release.number,
                benchmark=release.benchmark,
                code=code,
                formats=", ".join(formats),
            ),
            status=404,
        )
    return formats[code]


def refuse_unless(release: Release, code: str, form: ReleaseFormat) -> None:
    """For an endpoint with one format only. Raises Refusal, naming the available ones, unless releases of this
    benchmark have just this format under this code: another benchmark may have its own under the same code.
    """
    if format_of(release, code) is not form:
        forms = release_formats(release.benchmark).items()
        raise Refusal(
            say(
                "Release {number} is of the benchmark “{benchmark}”, and cannot be written in this form "
                "({words}). It can be written as {formats}.",
                number=release.number,
                benchmark=release.benchmark,
                words=form.words,
                formats=joined([joined([code, " (", each.words, ")"], "") for code, each in forms], ", "),
            ),
            status=404,
        )


def file_name(release: Release, chosen: FileFormat) -> str:
    return f"{release.benchmark}-release-{release.number}{chosen.ending}"
