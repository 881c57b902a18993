"""Write judgments or final verdicts as JSON Lines or CSV, reviewers under pseudonyms."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ...files.judgment_exports import FORMATS, WHAT, export_chunks


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="left out, it goes to the standard output")
        parser.add_argument("--what", choices=list(WHAT), default="judgments")
        parser.add_argument("--format", choices=FORMATS, default="jsonl")
        parser.add_argument("--names", action="store_true", help="user names in place of pseudonyms")

    def handle(self, *, file: Path | None, what: str, names: bool, **options) -> None:
        chunks = export_chunks(what, options["format"], names=names)
        if file is None:
            for chunk in chunks:
                self.stdout.write(chunk, ending="")
            return
        try:
            with file.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(chunks)
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}.") from error
