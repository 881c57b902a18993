"""Files of items: JSON Lines with an item's content on each line, for every benchmark without a format of its own."""

from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from core.files.imports import FileImport
from core.files.problems import ShapeError, check_storable
from core.files.records import located_lines
from core.languages import joined, say
from core.refusals import Refusal

from ...content.instances import canonical
from ...kinds.registry import Benchmark, FileIn
from ...kinds.signatures import Content
from .importing import ContentImport


class ItemImport(ContentImport):
    """An import of items, one on each line. Two lines with one identifier, or the same content, are refused."""

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        return located_lines(parts)

    def check(self, record: object) -> None:
        if not isinstance(record, dict):
            raise ShapeError("", say("is not an object"))
        check_storable(record)
        if problems := self.benchmark.problems(record):
            raise ShapeError("", joined(problems, "; "))

    def called(self, content: Content) -> str:
        return str(content.get(self.benchmark.identifier, "")) or canonical(content)


def import_lines(benchmark: Benchmark, stream: BinaryIO, **how: Any) -> ItemImport:
    """Import a file of items into a new release, with the arguments of `ContentImport`. Raises Refusal, naming every
    bad line, if any item is not valid; with `skipped`, bad lines go there and the others are released.
    """
    return ItemImport(benchmark, **how).bring_in(stream)


def file_in_of(benchmark: Benchmark) -> FileIn | None:
    """The file that becomes a release of this benchmark: its own format, or lines of items. None if its releases are
    made of accepted annotations.
    """
    if benchmark.file_in or benchmark.is_annotated:
        return benchmark.file_in
    return FileIn(
        "Items (JSON Lines)",
        (
            f"Each line is an item of {benchmark.name} as a JSON object. The items become a new release.",
            "A file is imported as a whole or not at all, and every item that cannot be imported is named. A file "
            "that a release holds already changes nothing.",
        ),
        partial(import_lines, benchmark),
        ending="jsonl",
        content_type="application/jsonl",
    )


def import_items(benchmark: Benchmark, stream: BinaryIO, **how: Any) -> FileImport:
    """Import a file of the benchmark's items into a new release, in its own format. Raises Refusal, having written
    nothing, if its releases are made of annotations or the file cannot be imported.
    """
    file_in = file_in_of(benchmark)
    if file_in is None:
        raise Refusal(
            say(
                "Releases of {name} are made of accepted annotations, which import_annotations imports.",
                name=benchmark.name,
            ),
            status=404,
        )
    return file_in.read(stream, **how)
