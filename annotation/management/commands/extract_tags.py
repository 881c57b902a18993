"""What is found in wikitext files, as a JSON list of records. No database is touched."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from ...wikitext.extraction import ExtractionGivenUp, extract_tags
from ...wikitext.tags import FoundTag

ENDINGS = (".wikitext", ".mediawiki", ".wiki", ".txt")


class Command(BaseCommand):
    help = "Print the contradiction tags that wikitext files hold, as a JSON list of records."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help="wikitext of one page, in UTF-8; the title is taken from the name of the file",
        )
        parser.add_argument(
            "--wiki",
            default="https://en.wikipedia.org/wiki/",
            metavar="URL",
            help="what the addresses of the articles begin with (%(default)s); empty for none",
        )
        parser.add_argument(
            "--seconds",
            type=float,
            default=settings.EXTRACTION_SECONDS,
            help="how long one page may take (%(default)s)",
        )

    def handle(self, *, files: list[str], wiki: str, seconds: float, **options: Any) -> None:
        records: list[dict[str, Any]] = []
        unread = 0
        for name in files:
            try:
                wikitext = Path(name).read_bytes().decode("utf-8-sig")
                tags = extract_tags(wikitext, seconds=seconds)
            except OSError as error:
                unread += 1
                self._complain(name, f"could not be read: {error.strerror or error}")
            except UnicodeDecodeError as error:
                unread += 1
                self._complain(name, f"is not UTF-8 (byte {error.start})")
            except ExtractionGivenUp as error:
                self._complain(name, f"was given up on: {error.reason}")
            else:
                title = title_of(name)
                records += [record_of(title, tag, wiki) for tag in tags]
        # A terminal without UTF-8 gets the same records, escaped.
        plain = "utf" not in (getattr(self.stdout, "encoding", None) or "utf-8").lower()
        self.stdout.write(json.dumps(records, ensure_ascii=plain, indent=2))
        if unread:
            raise CommandError(f"{unread} of {len(files)} files could not be read.")

    def _complain(self, name: str, what: str) -> None:
        self.stderr.write(f"{_readable(name)}: {what}")


def title_of(path: str) -> str:
    """The title that a file name stands for: `Tauhinukorokio_%2F_Mount_Pleasant.wikitext`."""
    name = _readable(os.path.basename(path))
    ending = next((ending for ending in ENDINGS if name.endswith(ending)), "")
    return unquote(name.removesuffix(ending)).replace("_", " ").strip()


def record_of(title: str, tag: FoundTag, wiki: str) -> dict[str, Any]:
    """A tag with the field names of the released benchmark, and what else is known about it."""
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
    """The name of a file as text, whatever bytes it consists of."""
    return os.fsencode(name).decode("utf-8", "replace")
