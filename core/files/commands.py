"""What the project's commands have in common: how they fail, read a file, and write one."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ..refusals import Refusal
from .skipping import Skipped
from .writing import write_output


class RuleCommand(BaseCommand):
    """A command that fails with the message of any Refusal."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal


class ExportCommand(RuleCommand):
    """A command whose `chunks` are written to a file."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", default="-", metavar="FILE", help="- (the default) is the standard output")

    def chunks(self, **options: Any) -> Iterable[str]:
        raise NotImplementedError

    def handle(self, *, output: Any, **options: Any) -> None:
        write_output(str(output), self.chunks(**options), standard_output=cast(TextIO, self.stdout._out))


class ImportCommand(BaseCommand):
    """A command whose `read` returns a result with `lines()`. It fails if `read` raises Refusal or the result lists
    bad rows; nothing is written then. With --skip-bad, `read` gets the `Skipped` for the bad records."""

    file_help = "the file"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help=self.file_help)
        parser.add_argument(
            "--dry-run",
            "--check",
            action="store_true",
            dest="check_only",
            help="say what would be imported and what could not be, and write nothing",
        )

        parser.add_argument(
            "--skip-bad",
            metavar="FILE",
            dest="skip_bad",
            help="import the good records and write the bad ones to FILE: on each line a JSON object with where the "
            "record is, its problem, and the record",
        )

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        raise NotImplementedError

    def handle(self, *, file: Path, check_only: bool, skip_bad: str | None, **options: Any) -> None:
        skipped = None if skip_bad is None else Skipped(skip_bad, standard_output=cast(TextIO, self.stdout._out))
        try:
            with file.open("rb") as stream:
                result = self.read(stream, file=file, check_only=check_only, skipped=skipped, **options)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{file}: {refusal.message}") from refusal
        if check_only and not getattr(result, "is_check", False):  # such a result says so itself
            self.stdout.write("Only checked, nothing was written. An import would say:")
        for line in result.lines():
            self.stdout.write(line)
        if skipped is not None:
            self.stdout.write(str(skipped))
        if getattr(result, "bad", None):
            raise CommandError("Nothing was written.")
