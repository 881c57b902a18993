"""Print candidates for contradictions within documents that carry no tag, one JSON object per line, the likeliest
first. No database is touched, and no tag is made. Most candidates are none: a person has to look.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand, opened, partly_done
from core.files.writing import json_lines
from core.writing.progress import along

from ...assisting.counterparts.pairs import FLOOR, pairs_in
from ...assisting.counterparts.reasons import reason_for
from ...reading.sentences import sentences


class Command(ExportCommand):
    help = __doc__
    requires_system_checks: list[str] = []
    needs_fitting_database = False  # it uses none

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help="plain text of one document, in UTF-8; its name is the title. - is the standard input",
        )
        super().add_arguments(parser)
        parser.add_argument(
            "--most", type=int, default=10, metavar="N", help="candidates of a document (%(default)s)"
        )
        parser.add_argument(
            "--score", type=float, default=FLOOR, help="the least score of a candidate, 0 to 1.3 (%(default)s)"
        )

    def handle(self, **options: Any) -> None:
        self.unread = 0
        super().handle(**options)
        if self.unread:
            raise partly_done(f"{self.unread} of {len(options['files'])} files could not be read.")

    def chunks(self, *, files: list[str], most: int, score: float, **options: object) -> Iterator[str]:  # type: ignore[override]
        for name in along("Reading documents", files, of=len(files)):
            text = self._read(name)
            if text is not None:
                yield from json_lines(candidates_in(Path(name).stem, text, most=most, score=score))

    def _read(self, name: str) -> str | None:
        try:
            with opened(Path(name)) as document:
                return document.read().decode("utf-8-sig")
        except OSError as error:
            self.stderr.write(f"{name} could not be read: {error.strerror or error}")
        except UnicodeDecodeError as error:
            self.stderr.write(f"{name} is not UTF-8 (byte {error.start})")
        self.unread += 1
        return None


def candidates_in(title: str, text: str, *, most: int, score: float) -> Iterator[dict[str, object]]:
    """The pairs of sentences of a document that may contradict each other, with both texts and the reason."""
    texts = [span.of(text) for span in sentences(text)]
    for pair in pairs_in(texts)[: max(most, 0)]:
        if pair.score >= score:
            yield {
                "title": title,
                "found_by": "the program",
                "score": round(pair.score, 3),
                "reason": reason_for(texts[pair.one], texts[pair.two]),
                "text_1": texts[pair.one],
                "text_2": texts[pair.two],
            }
