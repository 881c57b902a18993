"""Import judgments from a CSV file with the columns response, reviewer, verdict and comment. All of it or nothing."""

from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from core.files.commands import ImportCommand
from core.files.skipping import Skipped
from core.models import Consensus

from ...files.judgment_imports import import_judgments


class Command(ImportCommand):
    help = __doc__
    file_help = "the CSV file"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--round", default="", help="name of the round for responses without one")
        parser.add_argument(
            "--judgments",
            type=int,
            default=2,
            metavar="N",
            help="judgments of each response, from 2 to 5, if that round is new (%(default)s)",
        )
        parser.add_argument(
            "--consensus",
            choices=Consensus.values,
            default=Consensus.ALL.value,
            help="the rule for a final verdict there (%(default)s)",
        )

    def read(self, stream: BinaryIO, *, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        return import_judgments(
            stream,
            round=options["round"],
            judgments_each=options["judgments"],
            consensus=Consensus(options["consensus"]),
            check_only=check_only,
            skipped=skipped,
        )
