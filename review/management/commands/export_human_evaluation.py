"""Write responses with their final verdicts in the shape of the released human evaluation.

What was imported comes out as it came. Instances that are set aside are left out.
"""

from typing import TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.files.writing import write_output
from core.refusals import Refusal

from ...files.human_evaluation_export import human_evaluation_chunks
from ...reports.scope import Scope


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", default="-", metavar="FILE", help="- (the default) is the standard output")
        parser.add_argument("--release", type=int, metavar="N", help="of the instances of this release")
        parser.add_argument("--run", type=int, metavar="N", help="of the responses of this run")
        parser.add_argument("--round", type=int, metavar="N", help="of the responses of this round")

    def handle(self, *, output: str, **options) -> None:
        try:
            chunks = human_evaluation_chunks(Scope.of(options))
            write_output(output, chunks, standard_output=cast(TextIO, self.stdout._out))
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
