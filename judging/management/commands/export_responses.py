"""Write responses, or judge models' judgments of them, as JSON Lines or CSV, with the instances they belong to."""

from collections.abc import Iterator

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand

from ...files.exports import JUDGMENT_FORMATS, RESPONSE_FORMATS
from ...models import ModelJudgment, Response


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--run", type=int, action="append", metavar="N", help="the number of a run; repeatable")
        parser.add_argument(
            "--format", choices=sorted(RESPONSE_FORMATS), default="jsonl", help="the form of the file (%(default)s)"
        )
        parser.add_argument("--judgments", action="store_true", help="the judge models' verdicts instead")

    def chunks(self, *, run: list[int] | None, format: str, judgments: bool, **options: object) -> Iterator[str]:  # type: ignore[override]
        chosen = {"run__in": run} if run else {}
        if judgments:
            return JUDGMENT_FORMATS[format](ModelJudgment.objects.filter(**chosen))
        return RESPONSE_FORMATS[format](Response.objects.filter(**chosen))
