"""Write responses with their final verdicts in the shape of the released human evaluation.

Imported records are exported unchanged. Instances that are set aside are left out.
"""

from collections.abc import Iterator

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand
from review.reports.scope import Scope

from ...human_evaluation.exporting import human_evaluation_chunks


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--release", type=int, metavar="N", help="only the instances of this release")
        parser.add_argument("--run", type=int, metavar="N", help="only the responses of this run")
        parser.add_argument("--round", type=int, metavar="N", help="only the responses of this round")

    def chunks(self, **options: object) -> Iterator[str]:
        return human_evaluation_chunks(Scope.of(options))
