"""Look for contradictions where no editor left a tag: in documents, a dump, articles of a wiki or stored articles.

Each candidate is stored, to be decided on the page Find, and printed as a JSON object per line, the likeliest of a
page first. No tag is made. Most candidates are none: a person has to look. With --dry-run, nothing is stored, and
documents and dumps need no database.

manage.py find_contradictions --dry-run notes.txt
manage.py find_contradictions --dump enwiki.xml.bz2 --wiki en.wikipedia.org
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand, add_dry_run, opened, partly_done, wrong_usage
from core.files.writing import json_lines
from core.refusals import Refusal
from core.schema.checking import check_for_command
from core.writing.progress import along

from ...assisting.counterparts.pairs import FLOOR
from ...assisting.untagged.candidates import MOST, Candidate
from ...finding.looking import Look, look_at_document, look_at_dump, look_at_stored, look_at_titles
from ...harvesting.wikis import find_wiki
from ...models import Wiki


class Command(ExportCommand):
    help = __doc__
    requires_system_checks: list[str] = []
    needs_fitting_database = False  # a dry run uses none; any other is checked below
    interrupted = "The candidates stored before are kept. Look again: nothing is stored twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="*",
            metavar="FILE",
            help="plain text of one document, in UTF-8; its name is the title. - is the standard input",
        )
        super().add_arguments(parser)
        parser.add_argument(
            "--dump", metavar="FILE", help="articles of an XML dump (.xml, .xml.gz, .xml.bz2) of --wiki"
        )
        parser.add_argument("--titles", nargs="+", metavar="TITLE", help="these articles of --wiki, as they are now")
        parser.add_argument(
            "--stored", nargs="*", metavar="TITLE", help="the stored articles with these titles; without any, all"
        )
        parser.add_argument("--wiki", metavar="HOST|API_URL", help="an allowed wiki, such as en.wikipedia.org")
        parser.add_argument(
            "--closely",
            action="store_true",
            help="with --dump: also compare any two sentences, in one process and at a fraction of the speed",
        )
        parser.add_argument("--processes", type=int, metavar="N", help="with --dump: as in harvest_articles")
        parser.add_argument("--most", type=int, default=MOST, metavar="N", help="candidates of a page (%(default)s)")
        parser.add_argument(
            "--score", type=float, default=FLOOR, help="the least score of a candidate, 0 to 1.5 (%(default)s)"
        )
        parser.add_argument("--contact", default="", help="contact details for the wiki, instead of WIKI_CONTACT")
        add_dry_run(parser, "print the candidates, and store nothing")

    def handle(self, **options: Any) -> None:
        sources = [bool(options["files"]), *(options[name] is not None for name in ("dump", "titles", "stored"))]
        if sum(sources) != 1:
            raise wrong_usage("Say where to look: FILE, --dump, --titles or --stored.")
        if not options["dry_run"]:
            check_for_command()
        self.found: list[dict[str, object]] = []
        self.unread = 0
        self.look = Look(
            check_only=options["dry_run"], least=options["score"], most=options["most"], on_found=self._keep
        )
        super().handle(**options)
        for line in self.look.lines():
            self.telling.line(line)
        if self.unread:
            raise partly_done(f"{self.unread} of {len(options['files'])} files could not be used.")

    def chunks(self, **options: Any) -> Iterator[str]:
        if options["files"]:
            for name in along("Reading documents", options["files"], of=len(options["files"])):
                self._look_at_file(name)
                yield from self._lines()
            return
        wiki = self._wiki(options)
        if options["dump"] is not None:
            how = {"closely": options["closely"], "processes": options["processes"]}
            look_at_dump(self.look, wiki=wiki, path=options["dump"], **how)
        elif options["titles"] is not None:
            if wiki is None:
                raise wrong_usage("Say which wiki: --wiki en.wikipedia.org.")
            look_at_titles(self.look, wiki=wiki, titles=options["titles"], contact=options["contact"])
        else:
            look_at_stored(self.look, titles=options["stored"])
        yield from self._lines()

    def _wiki(self, options: dict[str, Any]) -> Wiki | None:
        """The wiki that is named; None if none is, which a dry run over a dump can do without."""
        return find_wiki(options["wiki"]) if options["wiki"] else None

    def _look_at_file(self, name: str) -> None:
        try:
            with opened(Path(name)) as document:
                text = document.read().decode("utf-8-sig")
            look_at_document(self.look, title=Path(name).stem, text=text)
            return
        except OSError as error:
            self.telling.line(f"{name} could not be read: {error.strerror or error}")
        except UnicodeDecodeError as error:
            self.telling.line(f"{name} is not UTF-8 (byte {error.start})")
        except Refusal as refusal:
            self.telling.line(f"{name}: {refusal.message}")
        self.unread += 1

    def _keep(self, title: str, found: Sequence[Candidate]) -> None:
        self.found += [{"title": title, "found_by": "the program"} | asdict(each) for each in found]

    def _lines(self) -> Iterator[str]:
        found, self.found = self.found, []
        yield from json_lines(found)
