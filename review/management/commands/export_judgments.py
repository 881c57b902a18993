"""Write judgments or final verdicts, or the answers to other questionnaires, as JSON Lines or CSV; reviewers under
pseudonyms.
"""

from collections.abc import Iterator

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand

from ...files.exports import FORMATS, WHAT, export_chunks


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--what", choices=list(WHAT), default="judgments", help="the table to write (%(default)s)"
        )
        parser.add_argument("--format", choices=FORMATS, default="jsonl", help="the form of the file (%(default)s)")
        parser.add_argument("--names", action="store_true", help="user names in place of pseudonyms")

    def chunks(self, *, what: str, format: str, names: bool, **options: object) -> Iterator[str]:  # type: ignore[override]
        return export_chunks(what, format, names=names)
