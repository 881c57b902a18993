"""Import replies to a benchmark's tasks from a file of JSON Lines, each with the item, task, model and text.

The release determines the benchmark, and the benchmark the tasks and the name of a line's item. All of it or nothing;
importing a file again changes nothing.

manage.py import_task_replies replies.jsonl --release 2
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from annotation.releases.freezing import get_release
from core.files.commands import ImportCommand, add_origin
from core.files.skipping import Skipped

from ...files.task_replies import import_task_replies


class Command(ImportCommand):
    help = __doc__
    file_help = "the file of replies"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_origin(parser)
        parser.add_argument("--release", type=int, required=True, metavar="N", help="the release of the items")
        parser.add_argument("--name", default="", help="the run's name (default: the names of file and release)")
        parser.add_argument(
            "--code-wording",
            action="store_true",
            help="the models were asked with the wording of the released code, not of the paper",
        )

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        release = get_release(options["release"])
        return import_task_replies(
            stream,
            release=release,
            version=2 if options["code_wording"] else 1,
            name=options["name"] or f"{file.name} on release {release.number}",
            check_only=check_only,
            skipped=skipped,
            revision=options["revision"],
            licence=options["licence"],
        )
