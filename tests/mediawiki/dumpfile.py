"""Pages as a MediaWiki XML dump (export format 0.11), which importDump.php and our own dump reader take."""

import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

NAMESPACES = {
    "": 0,
    "Talk": 1,
    "User": 2,
    "User talk": 3,
    "Wikipedia": 4,
    "Template": 10,
    "Template talk": 11,
    "Category": 14,
    "Draft": 118,
}
HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
# Control characters that XML 1.0 cannot hold, escaped or not.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True)
class Revision:
    text: str
    timestamp: str = "2024-03-01T12:00:00Z"
    user: str = "Importer"
    comment: str = "import"


@dataclass(frozen=True)
class Page:
    title: str
    revisions: list[Revision] = field(default_factory=list)

    @classmethod
    def of(cls, title: str, text: str) -> "Page":
        return cls(title, [Revision(text)])

    @property
    def namespace(self) -> int:
        prefix, colon, _ = self.title.partition(":")
        return NAMESPACES.get(prefix, 0) if colon else 0


def read_pages(folder: Path) -> Iterator[Page]:
    """The pages of a folder: `Title.wikitext` is one revision, `Title.history.jsonl` one revision a line.

    The title is the file name, %-decoded, `_` as blank. A line of a history has the fields of `Revision`.
    """
    for path in sorted(folder.rglob("*")):
        name = urllib.parse.unquote(path.name).replace("_", " ")
        if name.endswith(".wikitext"):
            yield Page.of(name.removesuffix(".wikitext"), path.read_text(encoding="utf-8"))
        elif name.endswith(".history.jsonl"):
            lines = path.read_text(encoding="utf-8").splitlines()
            yield Page(name.removesuffix(".history.jsonl"), [Revision(**json.loads(line)) for line in lines if line])


def dump(pages: Iterable[Page], *, siteinfo: str = "") -> Iterator[str]:
    """The dump as pieces of text; `siteinfo` is put in as it is."""
    yield HEAD + siteinfo
    revision_id = 0
    for page_id, page in enumerate(pages, start=1):
        target = re.match(r"#REDIRECT \[\[([^\]|]+)", page.revisions[-1].text)
        yield f"<page><title>{escape(page.title)}</title><ns>{page.namespace}</ns><id>{page_id}</id>\n"
        if target:
            yield f"<redirect title={quoteattr(target[1])} />\n"
        for revision in page.revisions:
            revision_id += 1
            yield (
                f"<revision><id>{revision_id}</id><timestamp>{revision.timestamp}</timestamp>"
                f"<contributor><username>{escape(revision.user)}</username><id>0</id></contributor>"
                f"<comment>{escape(revision.comment)}</comment><model>wikitext</model>"
                '<format>text/x-wiki</format><text xml:space="preserve">'
                f"{escape(NOT_XML.sub('', revision.text))}</text></revision>\n"
            )
        yield "</page>\n"
    yield "</mediawiki>\n"


def write_dump(path: Path, pages: Iterable[Page], *, siteinfo: str = "") -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(dump(pages, siteinfo=siteinfo))
    return path
