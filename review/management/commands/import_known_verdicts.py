"""Import responses with known verdicts, for training and as check items, from a CSV file. All of it or nothing.

Its columns are response, use (training or check), verdict and explanation.
"""

from typing import Any, BinaryIO

from core.files.commands import ImportCommand
from core.files.skipping import Skipped

from ...files.known_verdicts import import_known


class Command(ImportCommand):
    help = __doc__
    file_help = "the CSV file"

    def read(self, stream: BinaryIO, *, check_only: bool, skipped: Skipped | None, **options: object) -> Any:
        return import_known(stream, check_only=check_only, skipped=skipped)
