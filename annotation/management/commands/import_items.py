"""Import a file of a benchmark's items as a new release and print its number.

The file has the benchmark's own shape, or else JSON Lines with an item on each line. All of it or nothing; every bad
item is named, and a file that a release already contains changes nothing.

manage.py import_items facts.jsonl --benchmark facts --dry-run
"""

from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from core.files.commands import ImportCommand, add_licence, add_revision
from core.files.skipping import Skipped

from ...kinds.registry import benchmark, benchmarks
from ...releases.items.files import file_in_of, import_items


class Command(ImportCommand):
    help = __doc__
    file_help = "the file of items"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        there = ", ".join(kind.code for kind in benchmarks() if file_in_of(kind))
        parser.add_argument("--benchmark", required=True, metavar="CODE", help=f"the benchmark ({there})")
        parser.add_argument("--name", default="", help="the name of the release (that of the benchmark)")
        add_revision(parser)
        add_licence(parser)

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        values = {name: options[name] for name in ("name", "revision", "licence")}
        return import_items(benchmark(options["benchmark"]), stream, check_only=check_only, skipped=skipped, **values)
