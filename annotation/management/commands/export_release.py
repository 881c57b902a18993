"""Write a release to a file or a folder, in one of several forms. A release is frozen, so its content is always the
same.

A file replaces an older one in one step. A folder has the checksums of its files in SHA256SUMS, and replaces an older
one only if that was written by this command in the same form and not changed since.
"""

from typing import TextIO, cast

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...releases.files.formats import FolderFormat
from ...releases.files.writing import all_formats, write_release
from ...releases.freezing import get_release


class Command(RuleCommand):
    help = __doc__
    # Django's checks load every page of the site: half as much memory again as the largest release takes.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        formats = all_formats()
        kinds = {code: "a folder" if isinstance(each, FolderFormat) else "a file" for code, each in formats.items()}
        words = "; ".join(f"{code} ({kinds[code]}): {each.words}" for code, each in formats.items())
        parser.add_argument(
            "target",
            nargs="?",
            default="-",
            metavar="FILE|DIR",
            help="where to write; - (the default) means standard output, for a form that is one file. In an "
            "existing folder, the file gets the name that it has as a download",
        )
        parser.add_argument("--release", type=int, required=True, metavar="N", help="the number of the release")
        parser.add_argument("--format", choices=list(formats), default="json", help=words)

    def handle(self, *, target: str, release: int, format: str, **options: object) -> None:
        output = cast(TextIO, self.stdout._out)
        written = write_release(get_release(release), format, target, standard_output=output)
        if written:
            self.telling.line(f"Release {release} is in {written}.")
