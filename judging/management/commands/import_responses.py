"""Read responses from a file: JSON Lines, a JSON list or CSV. All of it or nothing; a second time changes nothing."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refusal
from annotation.releases import get_release
from judging.imports import import_responses


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file, as export_responses writes it, or a simpler one")
        parser.add_argument(
            "--name", default="", help="the run's name for records that name no run (the file's name)"
        )
        parser.add_argument("--release", type=int, metavar="N", help="the release in which question_ID counts")
        parser.add_argument("--check", action="store_true", help="say what would be imported, and write nothing")

    def handle(self, *, file: Path, name: str, release: int | None, check: bool, **options) -> None:
        try:
            with file.open("rb") as stream:
                result = import_responses(
                    stream,
                    name=name or file.name,
                    release=get_release(release) if release is not None else None,
                    check_only=check,
                )
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{file}: {refusal.message}") from refusal
        if check:
            self.stdout.write("Only checked, nothing was written. An import would say:")
        for line in result.lines():
            self.stdout.write(line)
