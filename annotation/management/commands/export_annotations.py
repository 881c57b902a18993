"""Write the accepted annotations as they stand now, or a release as it was frozen.

json is the paper's form, csv one row a question; jsonl is the text that a release's content hash is taken of. work
tells how the annotations were made: active time, where passages come from, which suggestions were taken.
"""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand
from core.refusals import Refusal

from ...releases.exports import CURRENT_FORMATS, RELEASE_FORMATS, current_records, json_chunks
from ...releases.freezing import get_release


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", choices=sorted({*RELEASE_FORMATS, *CURRENT_FORMATS}), default="json")
        parser.add_argument("--release", type=int, metavar="N", help="the number of a release")
        parser.add_argument(
            "--as-imported",
            action="store_true",
            help="json without a release: keep the form's hint texts ('add the answer based on Passage 1') that an "
            "imported file had in place of answers",
        )

    def chunks(self, *, format: str, release: int | None, as_imported: bool, **options: Any) -> Iterator[str]:  # type: ignore[override]
        kind, number = format, release
        if as_imported and (number is not None or kind != "json"):
            raise Refusal("--as-imported is for --format json without a release.")
        if number is not None and kind not in RELEASE_FORMATS:
            raise Refusal(f"{kind} tells of the work as it stands now: leave --release out.")
        if number is not None:
            return RELEASE_FORMATS[kind](get_release(number))
        if kind == "jsonl":
            raise Refusal("jsonl is the form that a release is hashed in: give --release N.")
        return json_chunks(current_records(as_imported=True)) if as_imported else CURRENT_FORMATS[kind](None)
