"""Import a file of the paper's JSON: articles, tags, and annotations that count as accepted. All of it or nothing."""

from typing import Any, BinaryIO

from core.files.commands import ImportCommand
from core.files.skipping import Skipped

from ...releases.imports import import_records


class Command(ImportCommand):
    help = __doc__
    file_help = "the JSON file"

    def read(self, stream: BinaryIO, *, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        return import_records(stream, check_only=check_only, skipped=skipped)
