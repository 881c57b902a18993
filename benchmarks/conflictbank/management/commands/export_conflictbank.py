"""Write a release of ConflictBank in the released shape: imported records are written as equal JSON, in the same
order. With --claims, write its claims with their evidence instead.

The texts of conflict evidence are made to mislead: they are not true.
"""

from typing import TextIO, cast

from django.core.management.base import CommandParser

from annotation.releases.files.writing import refuse_unless, write_release
from annotation.releases.freezing import get_release
from core.files.commands import RuleCommand

from ...files import CLAIMS, OF_CLAIMS, QA, RELEASED


class Command(RuleCommand):
    help = __doc__
    interrupted = "No file was written. An existing file is unchanged."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            default="-",
            metavar="FILE",
            help="where to write; - (the default) means standard output",
        )
        parser.add_argument("--release", type=int, required=True, metavar="N", help="the number of the release")
        parser.add_argument(
            "--claims", action="store_true", help="write id, subject, claim, category and evidence of each claim"
        )

    def handle(self, *, file: str, release: int, claims: bool, **options: object) -> None:
        found = get_release(release)
        code, form = (OF_CLAIMS, CLAIMS) if claims else (RELEASED, QA)
        refuse_unless(found, code, form)
        output = cast(TextIO, self.stdout._out)
        written = write_release(found, code, file, standard_output=output)
        if written:
            self.telling.line(f"Release {release} is in {written}.")
