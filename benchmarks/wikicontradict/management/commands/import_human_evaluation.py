"""Import a human evaluation in the released shape: responses with people's final verdicts. All of it or nothing."""

from typing import Any, BinaryIO

from core.files.commands import ImportCommand
from core.files.skipping import Skipped

from ...human_evaluation.importing import import_human_evaluation


class Command(ImportCommand):
    help = __doc__
    file_help = "the JSON file"

    def read(self, stream: BinaryIO, *, check_only: bool, skipped: Skipped | None, **options: object) -> Any:
        return import_human_evaluation(stream, check_only=check_only, skipped=skipped)
