"""Import answers to the items of a release from JSON Lines: item, condition, order, model, and logprobs or text.

Items are counted from 0, in the order of the release. The order, default_first or conflict_first, belongs to the
conditions that show two texts. Answers with logprobs are read by the protocol “option”, those with text by “text”.
All of it or nothing; importing a file again changes nothing.

manage.py import_conflictbank_answers answers.jsonl --release 2
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from annotation.releases.freezing import get_release
from core.files.commands import ImportCommand, add_origin
from core.files.skipping import Skipped

from ...answers import import_answers


class Command(ImportCommand):
    help = __doc__
    file_help = "the file of JSON Lines"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_origin(parser)
        parser.add_argument("--release", type=int, required=True, metavar="N", help="the number of the release")
        parser.add_argument("--name", default="", help="the name of the run (default: the names of file and release)")
        parser.add_argument(
            "--wording",
            type=int,
            choices=(1, 2),
            default=1,
            help="the wording that the models were asked: 1 is the paper's, 2 that of the code (%(default)s)",
        )

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        return import_answers(
            stream,
            release=get_release(options["release"]),
            version=options["wording"],
            name=options["name"] or f"{file.name} on release {options['release']}",
            check_only=check_only,
            skipped=skipped,
            revision=options["revision"],
            licence=options["licence"],
        )
