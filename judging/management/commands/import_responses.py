"""Import responses from a file: JSON Lines, a JSON list, CSV, or a log of Inspect or lm-evaluation-harness.

All of it or nothing; importing a file again changes nothing.
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from annotation.releases.freezing import get_release
from core.files.commands import ImportCommand, add_origin
from core.files.skipping import Skipped

from ...files.imports import import_responses


class Command(ImportCommand):
    help = __doc__
    file_help = "the file, as export_responses writes it, a simpler one, or a log"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_origin(parser)
        parser.add_argument(
            "--name", default="", help="the run's name for records that name no run (the file's name)"
        )
        parser.add_argument(
            "--model",
            default="",
            help="the model's name, for samples of lm-evaluation-harness, which do not contain it",
        )
        parser.add_argument(
            "--release",
            type=int,
            metavar="N",
            help="the release of question_ID, for records without one",
        )

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        number = options["release"]
        release = get_release(number) if number is not None else None
        return import_responses(
            stream,
            name=options["name"] or file.name,
            release=release,
            model=options["model"],
            check_only=check_only,
            skipped=skipped,
            revision=options["revision"],
            licence=options["licence"],
        )
