"""The process that compares the texts of pages, run as a command by `core.killable`."""

import socket
from dataclasses import astuple, replace
from typing import Any

from core.killable import serve
from core.languages.kept import kept

from ..assisting.untagged.candidates import Candidate, candidates_in_page, candidates_in_text
from ..harvesting.dumps.child import section_of, values_of_page
from ..mediawiki import PageRevision


def _plain(candidate: Candidate) -> list[Any]:
    """The values of a candidate as JSON can hold them."""
    return list(astuple(replace(candidate, reason=kept(candidate.reason))))


def in_page(*, title: str, wikitext: str, closely: bool) -> list[list[Any]]:
    return [_plain(each) for each in candidates_in_page(title, wikitext, closely=closely)]


def in_text(*, title: str, text: str) -> list[list[Any]]:
    return [_plain(each) for each in candidates_in_text(title, text)]


def in_section(*, with_tags: bool, **section: Any) -> dict[str, Any] | None:
    """The pages of a section of a dump: values of those that have candidates. Tags are not looked for."""
    return section_of(**section, values_of=_values)


def _values(page: PageRevision) -> tuple | None:
    return (*values_of_page(page), None) if candidates_in_page(page.title, page.wikitext) else None


if __name__ == "__main__":
    serve(socket.socket(fileno=0), {work.__name__: work for work in (in_page, in_text, in_section)})
