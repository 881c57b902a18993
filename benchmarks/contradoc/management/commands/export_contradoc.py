"""Write a release of ContraDoc in the released shape: imported records are written as equal JSON, in the same
order.
"""

from typing import TextIO, cast

from django.core.management.base import CommandParser

from annotation.releases.files.writing import refuse_unless, write_release
from annotation.releases.freezing import get_release
from core.files.commands import RuleCommand

from ...files import JSON


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

    def handle(self, *, file: str, release: int, **options: object) -> None:
        found = get_release(release)
        refuse_unless(found, "json", JSON)
        output = cast(TextIO, self.stdout._out)
        written = write_release(found, "json", file, standard_output=output)
        if written:
            self.telling.line(f"Release {release} is in {written}.")
