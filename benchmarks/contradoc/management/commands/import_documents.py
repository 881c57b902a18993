"""Import clean documents, to be made to contradict themselves, from JSON Lines: id, doc_type and text on each line.

All of it or nothing; importing a file again changes nothing.
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from core.files.commands import ImportCommand, add_revision
from core.files.skipping import Skipped

from ...making.documents import import_documents
from ...making.registry import maker_of


class Command(ImportCommand):
    help = __doc__
    file_help = "the file of JSON Lines"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)
        parser.add_argument(
            "--licence", default="", metavar="TEXT", help="the licence of the texts, for datasheets of releases"
        )
        parser.add_argument(
            "--benchmark", default="contradoc", metavar="CODE", help="the benchmark that they are for (%(default)s)"
        )

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        maker = maker_of(options["benchmark"])
        how = {"check_only": check_only, "skipped": skipped, "revision": options["revision"]}
        how["licence"] = options["licence"]
        return import_documents(stream, maker=maker, **how)
