"""The shared part of commands that write a release to a file."""

from typing import TextIO, cast

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...models import Release
from ..freezing import get_release
from .writing import write_release


class ReleaseFileCommand(RuleCommand):
    """Writes a release in the form that `form_of` chooses."""

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

    def form_of(self, release: Release, **options: object) -> str:
        """The code of the form for the command's further options. Raises Refusal if the release has no such form."""
        raise NotImplementedError

    def handle(self, *, file: str, release: int, **options: object) -> None:
        found = get_release(release)
        output = cast(TextIO, self.stdout._out)
        written = write_release(found, self.form_of(found, **options), file, standard_output=output)
        if written:
            self.telling.line(f"Release {release} is in {written}.")
