"""Write responses, or what judge models said of them, as JSON Lines or CSV, with the instances they belong to."""

from collections.abc import Iterator
from typing import TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.files.writing import write_output
from core.refusals import Refusal

from ...files.exports import JUDGMENT_FORMATS, RESPONSE_FORMATS
from ...models import ModelJudgment, Response


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=int, action="append", metavar="N", help="the number of a run; repeatable")
        parser.add_argument("--format", choices=sorted(RESPONSE_FORMATS), default="jsonl")
        parser.add_argument("--judgments", action="store_true", help="the judge models' verdicts instead")
        parser.add_argument("--output", default="-", metavar="FILE", help="- (the default) is the standard output")

    def handle(self, *, run: list[int] | None, format: str, judgments: bool, output: str, **options) -> None:
        chosen = {"run__in": run} if run else {}
        chunks: Iterator[str]
        if judgments:
            chunks = JUDGMENT_FORMATS[format](ModelJudgment.objects.filter(**chosen))
        else:
            chunks = RESPONSE_FORMATS[format](Response.objects.filter(**chosen))
        try:
            write_output(output, chunks, standard_output=cast(TextIO, self.stdout._out))
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
