"""What commands that read a file have in common: the file, `--dry-run`, and how a result or a refusal is printed."""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ..refusals import Refusal


class ImportCommand(BaseCommand):
    """A command whose `read` gives a result with `lines()`. It fails with a `Refusal`, and with a result that lists
    bad rows; nothing is written then."""

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

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, **options: Any) -> Any:
        raise NotImplementedError

    def handle(self, *, file: Path, check_only: bool, **options: Any) -> None:
        try:
            with file.open("rb") as stream:
                result = self.read(stream, file=file, check_only=check_only, **options)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{file}: {refusal.message}") from refusal
        if check_only and not getattr(result, "is_check", False):  # such a result says so itself
            self.stdout.write("Only checked, nothing was written. An import would say:")
        for line in result.lines():
            self.stdout.write(line)
        if getattr(result, "bad", None):
            raise CommandError("Nothing was written.")
