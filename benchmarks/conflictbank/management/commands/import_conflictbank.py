"""Import a file of ConflictBank as a new release and print its number: JSON Lines with the 26 fields of an item.

All of it or nothing; every bad line is named, and a file that a release already contains changes nothing. Items are
written in batches, and become a release when the last batch is in.
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.management.base import CommandParser

from core.files.commands import ImportCommand, add_licence, add_revision
from core.files.skipping import Skipped

from ...files import import_items

# The released file has some 2.9 GB.
MOST_BYTES = 5_000_000_000


class Command(ImportCommand):
    help = __doc__
    file_help = "the file of JSON Lines"
    interrupted = "Items written so far are in no release. Import the same file again to continue."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)
        add_licence(parser)
        parser.add_argument("--name", default="", help="the name of the release (“ConflictBank”)")

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        values = {name: options[name] for name in ("name", "revision", "licence")}
        most_bytes = max(MOST_BYTES, settings.IMPORT_MAX_BYTES)
        return import_items(stream, check_only=check_only, skipped=skipped, most_bytes=most_bytes, **values)
