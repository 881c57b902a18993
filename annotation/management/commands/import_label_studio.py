"""Import Label Studio's export, JSON or JSON_MIN: tags, and people's annotations, drafts and skips. All of it or
nothing; importing it again changes nothing.
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError, CommandParser

from core.files.commands import ImportCommand, add_revision
from core.files.skipping import Skipped

from ...label_studio.imports import import_tasks


class Command(ImportCommand):
    help = __doc__
    file_help = "the exported file"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)
        people = parser.add_mutually_exclusive_group()
        people.add_argument(
            "--users",
            type=Path,
            metavar="FILE",
            help="the reply of Label Studio to /api/users, because its exports contain only the numbers of people",
        )
        people.add_argument(
            "--without-people",
            action="store_true",
            help="import annotations without annotators; otherwise all annotators must have accounts here",
        )
        parser.add_argument(
            "--accept-ground-truth",
            action="store_true",
            help="annotations marked as ground truth count as accepted and need no review",
        )

    def read(self, stream: BinaryIO, *, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        values = {name: options[name] for name in ("without_people", "accept_ground_truth", "revision")}
        if options["users"] is None:
            return import_tasks(stream, check_only=check_only, skipped=skipped, **values)
        try:
            with options["users"].open("rb") as users:
                return import_tasks(stream, users=users, check_only=check_only, skipped=skipped, **values)
        except OSError as error:
            raise CommandError(
                f"{options['users']} cannot be read: {error.strerror}. Nothing was written."
            ) from error
