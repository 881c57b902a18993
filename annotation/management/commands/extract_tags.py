"""Print the contradiction tags that wikitext files hold, as a JSON list of records. No database is touched."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from django.conf import settings
from django.core.management.base import CommandParser

from core.files.commands import ExportCommand, opened, partly_done
from core.killable import GivenUp
from core.writing.progress import along

from ...wikitext.extraction import extract_tags
from ...wikitext.tags import FoundTag

ENDINGS = (".wikitext", ".mediawiki", ".wiki", ".txt")


class Command(ExportCommand):
    help = __doc__
    requires_system_checks: list[str] = []
    needs_fitting_database = False  # it uses none

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help="wikitext of one page, in UTF-8; its name is the title. - is the standard input",
        )
        super().add_arguments(parser)
        parser.add_argument("--title", default="", help="the title of the page from the standard input")
        parser.add_argument(
            "--wiki",
            default="https://en.wikipedia.org/wiki/",
            metavar="URL",
            help="the beginning of the articles' addresses (%(default)s); empty for none",
        )
        parser.add_argument(
            "--seconds",
            type=float,
            default=settings.EXTRACTION_SECONDS,
            help="seconds that one page may take (%(default)s)",
        )

    def handle(self, **options: Any) -> None:
        self.unread = 0
        super().handle(**options)
        if self.unread:
            raise partly_done(f"{self.unread} of {len(options['files'])} files could not be read.")

    def chunks(self, *, files: list[str], title: str, wiki: str, seconds: float, **options: object) -> Iterator[str]:  # type: ignore[override]
        records: list[dict[str, object]] = []
        for name in along("Reading pages", files, of=len(files)):
            try:
                with opened(Path(name)) as page:
                    tags = extract_tags(page.read().decode("utf-8-sig"), seconds=seconds)
            except OSError as error:
                self.unread += 1
                self._complain(name, f"could not be read: {error.strerror or error}")
            except UnicodeDecodeError as error:
                self.unread += 1
                self._complain(name, f"is not UTF-8 (byte {error.start})")
            except GivenUp as error:
                self._complain(name, f"was skipped: {error.reason}")
            else:
                records += [record_of(title if name == "-" else title_of(name), tag, wiki) for tag in tags]
        # A terminal without UTF-8 gets the same records, escaped.
        is_plain = (
            options["output"] == "-" and "utf" not in (getattr(self.stdout, "encoding", None) or "utf-8").lower()
        )
        yield json.dumps(records, ensure_ascii=is_plain, indent=2) + "\n"

    def _complain(self, name: str, what: str) -> None:
        self.telling.line(f"{_readable(name)}: {what}")


def title_of(path: str) -> str:
    """The title for a file name: `Tauhinukorokio_%2F_Mount_Pleasant.wikitext`."""
    name = _readable(os.path.basename(path))
    ending = next((ending for ending in ENDINGS if name.endswith(ending)), "")
    return unquote(name.removesuffix(ending)).replace("_", " ").strip()


def record_of(title: str, tag: FoundTag, wiki: str) -> dict[str, object]:
    """A tag with the field names of the released benchmark, and its other known data."""
    path = title.replace(" ", "_").replace("%", "%25").replace("?", "%3F")  # the rest as in the released benchmark
    url = {"url": wiki + path} if wiki else {}
    return {
        "title": title,
        **url,
        "family": tag.family,
        "paragraph_A": tag.paragraph,
        "paragraph_A_clean": tag.paragraph_clean,
        "tag": tag.tag,
        "tagDate": tag.date,
        "tagReason": tag.reason,
        "other_articles": list(tag.other_articles),
        "section": tag.section,
        "placement": tag.placement,
    }


def _readable(name: str) -> str:
    """The name of a file as text, for any bytes."""
    return os.fsencode(name).decode("utf-8", "replace")
