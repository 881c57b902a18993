"""Read judgments from a CSV file with the columns response, reviewer, verdict and comment. All of it or nothing."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refusal
from review.judgment_imports import import_judgments


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the CSV file")
        parser.add_argument("--dry-run", action="store_true", help="list each bad row with its reason, write nothing")
        parser.add_argument("--round", default="", help="name of the round for responses that are in none")

    def handle(self, *, file: Path, dry_run: bool, **options) -> None:
        try:
            with file.open("rb") as stream:
                result = import_judgments(stream, round_name=options["round"], check_only=dry_run)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{file}: {refusal.message}") from refusal
        for line in result.lines():
            self.stdout.write(line)
        if result.bad:
            raise CommandError("Nothing was written.")
