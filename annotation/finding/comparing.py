"""Compares the texts of pages and documents in processes that are killed when they take too long."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings

from core.killable import Children
from core.languages.kept import said

from ..assisting.untagged.candidates import Candidate, candidates_in_page
from ..harvesting.dumps.sections import CORES, SECONDS, read_wanted_pages
from ..mediawiki import MissingPage, PageRevision

_children = Children("annotation.finding.child")


class WithCandidates:
    """The choice of a dump's pages that have candidates, as `harvesting.dumps.sections` takes it."""

    children = _children
    work = "in_section"
    seconds = SECONDS

    @property
    def arguments(self) -> dict[str, Any]:
        return {}


def compared_page(title: str, wikitext: str) -> list[Candidate]:
    """The candidates of a page, with any two sentences compared. Raises GivenUp."""
    found = _children.run(
        "in_page", seconds=settings.EXTRACTION_SECONDS, title=title, wikitext=wikitext, closely=True
    )
    return [_candidate(*values) for values in found]


def compared_text(title: str, text: str) -> list[Candidate]:
    """The candidates of a document in plain text. Raises GivenUp."""
    found = _children.run("in_text", seconds=settings.EXTRACTION_SECONDS, title=title, text=text)
    return [_candidate(*values) for values in found]


def _candidate(*values: Any) -> Candidate:
    found = Candidate(*values)
    return replace(found, reason=said(found.reason))


def compared_dump(
    path: Path | str, *, closely: bool = False, processes: int | None = None
) -> Iterator[tuple[PageRevision | MissingPage, list[Candidate]]]:
    """The pages of a dump in its order, each with its candidates; pages without any may come without text.

    `closely` also compares any two sentences of each page, in this process. Raises `DumpError` and OSError.
    """
    # To compare any two sentences, all pages are needed whole: one reader gives them.
    number = 1 if closely else processes or CORES
    for read in read_wanted_pages(path, WithCandidates(), checkpoint=None, processes=number):
        page = read.page
        if isinstance(page, PageRevision) and page.wikitext:
            yield page, candidates_in_page(page.title, page.wikitext, closely=closely)
        else:
            yield page, []
