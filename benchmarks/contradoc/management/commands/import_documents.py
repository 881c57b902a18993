"""Import ContraDoc's clean documents, to be made to contradict themselves, from JSON Lines: id, doc_type and text on
each line.

All of it or nothing; importing a file again changes nothing.
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from core.files.commands import ImportCommand, add_revision
from core.files.skipping import Skipped

from ...maker.maker import MAKER
from ...making.documents import import_documents


class Command(ImportCommand):
    help = __doc__
    file_help = "the file of JSON Lines"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)
        parser.add_argument(
            "--licence", default="", metavar="TEXT", help="the licence of the texts, for datasheets of releases"
        )

    def read(
        self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: object
    ) -> Any:
        how = {"check_only": check_only, "skipped": skipped, "revision": options["revision"]}
        how["licence"] = options["licence"]
        return import_documents(stream, maker=MAKER, **how)
