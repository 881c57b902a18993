"""Import a file of ContraDoc as a new release and print its number: {"pos": {id: record}, "neg": {id: record}}.

All of it or nothing; every bad record is named, and a file that a release already contains changes nothing.
Evidence or ref sentences that are not in their text are imported and listed.
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from core.files.commands import ImportCommand, add_licence, add_revision
from core.files.skipping import Skipped

from ...files import import_documents_of_contradoc


class Command(ImportCommand):
    help = __doc__
    file_help = "the JSON file"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)
        add_licence(parser)
        parser.add_argument("--name", default="", help="the name of the release (“ContraDoc”)")

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        values = {name: options[name] for name in ("name", "revision", "licence")}
        return import_documents_of_contradoc(stream, check_only=check_only, skipped=skipped, **values)
