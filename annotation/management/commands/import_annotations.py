"""Read a file of the paper's JSON: articles, tags, and annotations that count as accepted. All of it or nothing."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refusal
from annotation.imports import import_records


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the JSON file")
        parser.add_argument("--check", action="store_true", help="say what would be imported, and write nothing")

    def handle(self, *, file: Path, check: bool, **options) -> None:
        try:
            with file.open("rb") as stream:
                result = import_records(stream, check_only=check)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{file}: {refusal.message}") from refusal
        if check:
            self.stdout.write("Only checked, nothing was written. An import would say:")
        for line in result.lines():
            self.stdout.write(line)
