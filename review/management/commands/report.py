"""Print a table of the paper, or another report, from this project's data."""

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...reports.formats import FORMATS
from ...reports.registry import REPORTS, make_report
from ...reports.scope import Scope
from ...rounds.pairing import complete_pairs


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", choices=sorted(REPORTS))
        parser.add_argument("--format", choices=list(FORMATS), default="text")
        parser.add_argument("--release", type=int, metavar="N", help="of this release, not of how things stand now")
        parser.add_argument("--run", type=int, metavar="N", help="of the responses of this run")
        parser.add_argument("--round", type=int, metavar="N", help="of the responses of this round")
        parser.add_argument("--printed", action="store_true", help="with the numbers that the paper prints")

    def handle(self, *, table: str, format: str, printed: bool, **options) -> None:
        complete_pairs()
        report = make_report(table, Scope.of(options), printed=printed)
        self.stdout.write(FORMATS[format](report), ending="")
