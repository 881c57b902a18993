"""Import a file of the paper's JSON: articles, tags, and annotations that count as accepted. All of it or nothing."""

from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from core.files.commands import ImportCommand, add_revision
from core.files.skipping import Skipped

from ...releases.files.imports import import_records


class Command(ImportCommand):
    help = __doc__
    file_help = "the JSON file"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)

    def read(self, stream: BinaryIO, *, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        return import_records(stream, check_only=check_only, skipped=skipped, revision=options["revision"])
