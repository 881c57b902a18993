"""Write the accepted annotations in their current state. `export_release` writes a frozen release.

json is the paper's form, csv has one row per question. work shows how the annotations were made: active time,
where passages come from, which suggestions were taken.
"""

from collections.abc import Iterator

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand, wrong_usage

from ...releases.files.exports import CURRENT_FORMATS, current_records, json_chunks


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--format", choices=sorted(CURRENT_FORMATS), default="json", help="the form, as above (%(default)s)"
        )
        parser.add_argument(
            "--as-imported",
            action="store_true",
            help="json: keep the form's hint texts ('add the answer based on Passage 1') that an imported file had "
            "in place of answers",
        )

    def chunks(self, *, format: str, as_imported: bool, **options: object) -> Iterator[str]:  # type: ignore[override]
        if as_imported and format != "json":
            raise wrong_usage("--as-imported is for --format json.")
        return json_chunks(current_records(as_imported=True)) if as_imported else CURRENT_FORMATS[format](None, None)
