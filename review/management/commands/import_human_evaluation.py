"""Read a human evaluation in the released shape: responses with people's final verdicts. All of it or nothing."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refusal
from review.human_evaluation import import_human_evaluation


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the JSON file")
        parser.add_argument("--check", action="store_true", help="say what would be imported, and write nothing")

    def handle(self, *, file: Path, check: bool, **options) -> None:
        try:
            with file.open("rb") as stream:
                result = import_human_evaluation(stream, check_only=check)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{file}: {refusal.message}") from refusal
        if check:
            self.stdout.write("Only checked, nothing was written. An import would say:")
        for line in result.lines():
            self.stdout.write(line)
