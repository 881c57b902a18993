"""Print a table of the paper, or another report, from this project's data."""

from collections.abc import Iterator

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand

from ...reports.formats import FORMATS
from ...reports.registry import all_reports, make_report
from ...reports.scope import BY_INSTANCE, BY_UNIT, Scope
from ...rounds.final_verdicts.pairing import complete_pairs


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "table", choices=sorted(all_reports()), help="the report; the page Reports describes each"
        )
        super().add_arguments(parser)
        parser.add_argument(
            "--format",
            choices=list(FORMATS),
            default="text",
            help="text to read, or the form of a file (%(default)s)",
        )
        parser.add_argument("--release", type=int, metavar="N", help="for this release, not for the current state")
        parser.add_argument("--run", type=int, metavar="N", help="for the responses of this run")
        parser.add_argument("--round", type=int, metavar="N", help="for the responses of this round")
        parser.add_argument(
            "--intervals",
            choices=[BY_UNIT, BY_INSTANCE],
            default=BY_UNIT,
            help="resample whole tags or sources, whose instances are related, or single instances (%(default)s)",
        )
        parser.add_argument("--printed", action="store_true", help="also show the numbers that the paper prints")

    def chunks(self, *, table: str, format: str, printed: bool, **options: object) -> Iterator[str]:  # type: ignore[override]
        complete_pairs()
        yield FORMATS[format](make_report(table, Scope.of(options), printed=printed))
