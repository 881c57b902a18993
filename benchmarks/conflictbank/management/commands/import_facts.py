"""Import facts for ConflictBank: from a table (CSV or JSON Lines), from entities of Wikidata as JSON, or from a JSON
dump of Wikidata, packed or not.

A table has the columns relation, subject, subject_description, object, object_description, and perhaps ids, aliases,
types, rank, started, ended. A table or a file of entities is read as a whole before anything is stored. A dump is
stored while it is read; import it again to continue after an interruption, and again to find names of objects.

manage.py import_facts facts.csv

manage.py import_facts latest-all.json.bz2 --names-from www.wikidata.org
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from annotation.harvesting.wikis import allow_wiki, find_wiki
from annotation.mediawiki import WikiError
from core.files.commands import ImportCommand, add_revision, partly_done
from core.files.skipping import Skipped
from core.words import plural

from ...facts.dumps import import_dump, is_dump
from ...facts.importing import import_facts, lines_of_facts
from ...facts.names import fetch_names_from, waiting_for_names


class Command(ImportCommand):
    help = __doc__
    file_help = "the file"
    interrupted = "Stored rows are kept. Import the same file again: it continues, and existing rows do not change."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_revision(parser)
        parser.add_argument("--licence", default="", metavar="TEXT", help="the licence of the facts, for datasheets")
        parser.add_argument(
            "--names-from",
            metavar="WIKI",
            help="the wiki to ask for names and descriptions that the file lacks, such as www.wikidata.org; without "
            "it, facts wait for them",
        )
        parser.add_argument("--allow", action="store_true", help="allow the wiki first, if it is not allowed yet")

    def handle(self, *, file: Path, check_only: bool, **options: Any) -> None:
        self.is_dump = str(file) != "-" and file.is_file() and is_dump(file)
        super().handle(file=file, check_only=check_only, **options)
        if self.result.problem:
            raise partly_done(
                f"{self.result.problem} What precedes it is stored. Correct the file and import it again to "
                "continue, or add --skip-bad FILE."
            )
        if options["names_from"] and not check_only:
            self.fetch(options["names_from"], allow=options["allow"])

    def read(self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: Any) -> Any:
        how: dict[str, Any] = {"check_only": check_only, "skipped": skipped}
        how |= {name: options[name] for name in ("revision", "licence")}
        self.result: Any = Imported(import_dump(file, **how) if self.is_dump else import_facts(stream, **how))
        return self.result

    def fetch(self, address: str, *, allow: bool) -> None:
        wiki = allow_wiki(address=address) if allow else find_wiki(address)
        try:
            found = fetch_names_from(wiki)
        except WikiError as error:
            left = len(waiting_for_names())
            raise partly_done(f"{error} {plural(left, 'entity', 'entities')} still without a name.") from error
        self.stdout.write(f"{plural(found, 'name')} fetched.")
        for line in lines_of_facts():
            self.stdout.write(line)


class Imported:
    """The result of either import."""

    def __init__(self, result: Any):
        self.result, self.problem = result, getattr(result, "problem", "")

    def lines(self) -> Iterator[str]:
        yield from self.result.lines()
