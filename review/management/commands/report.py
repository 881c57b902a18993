"""Print a table of the paper, or another report, from this project's data."""

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...reports.formats import FORMATS
from ...reports.registry import REPORTS
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

    def handle(self, *, table: str, format: str, **options) -> None:
        complete_pairs()
        scope = Scope.of(options)
        self.stdout.write(FORMATS[format](REPORTS[table].make(scope)), ending="")
