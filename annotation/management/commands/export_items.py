"""Write a release in the shape of its benchmark's items: the file that import_items reads.

manage.py export_items facts.jsonl --release 3
"""

from typing import TextIO, cast

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...kinds.registry import benchmark
from ...releases.files.writing import write_release
from ...releases.freezing import get_release


class Command(RuleCommand):
    help = __doc__
    interrupted = "No file was written. An existing file is unchanged."
    # Django's checks load every page of the site: half as much memory again as the largest release takes.
    requires_system_checks = ()

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
        output = cast(TextIO, self.stdout._out)
        written = write_release(found, benchmark(found.benchmark).item_format, file, standard_output=output)
        if written:
            self.telling.line(f"Release {release} is in {written}.")
