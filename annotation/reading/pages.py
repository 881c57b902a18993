"""Prepares a wiki's HTML of a page for the reading pane: arranged, with the tag marked, cut if endless, and
sanitised.

The functions here take and give plain values, so that they can be called through `extraction.in_child`: a wiki may
send a page that keeps any parser busy for hours.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from core.languages import say

from . import sanitise
from .article_html import Arranged, Arranger, finished, own_text
from .page_size import cut_page, cut_tables, holder_of_blocks
from .page_tree import Element, parse
from .tagged_block import TagLocation, mark_tagged, words

CUT = say("The page is too long to be shown completely; its link leads to the whole page.")
NOT_FOUND = say("The tagged paragraph was not found in the page as the wiki shows it.")
_SPEAKS = re.compile(
    r"contradic|inconsist|discrepan|conflicting|disagree|mismatch|incompatib|disput"
    r"|which (?:one )?is (?:right|correct|it)|contraddi|widerspr|incoheren|incohéren",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_NAME = re.compile(r"\b[A-ZÀ-Þ]\w{3,}")
# How similar a section must be to the tag to be put first.
_SPEAKS_OF_IT = 3


def article_page(
    source: str, *, page_url: str, prefix: str, location: dict[str, Any] | None = None
) -> dict[str, Any]:
    """An article, with the paragraph of the tag at `location` (the fields of `tagged_block.TagLocation`) marked.

    `prefix` keeps apart the ids of several pages that are shown together. Returns the fields of `Arranged`.
    """
    arranger = Arranger(page_url, prefix)
    root = arranger.arrange(source)
    result = Arranged()
    if location is not None:
        result.tag_found = mark_tagged(root, TagLocation(**location))
        if not result.tag_found:
            result.notes.append(NOT_FOUND)
    return _finished(root, arranger, result)


def talk_page(source: str, *, page_url: str, prefix: str, said: str, section: str = "") -> dict[str, object]:
    """A talk page with the sections about the contradiction first; `tag_found` says whether there are any.

    `said` is the tag's reason and paragraph. `section` is the heading that the tag names.
    """
    arranger = Arranger(page_url, prefix)
    root = arranger.arrange(source)
    sections = list(_sections(root))
    scores = [_score(one, said, section) for one in sections]
    for one, score in zip(sections, scores, strict=True):
        if score >= _SPEAKS_OF_IT:
            one.add_class(sanitise.MENTIONS)
    order = sorted(range(len(sections)), key=lambda at: -scores[at] if scores[at] >= _SPEAKS_OF_IT else 0)
    result = Arranged(tag_found=max(scores, default=0) >= _SPEAKS_OF_IT)
    if result.tag_found:
        sections[order[0]].add_class(sanitise.TAGGED)
    root.children = [sections[at] for at in order]
    ids = [
        heading.id
        for one in root.elements()
        for heading in arranger.headings
        if heading.id == one.attributes.get("id")
    ]
    arranger.headings.sort(key=lambda heading: ids.index(heading.id) if heading.id in ids else len(ids))
    return _finished(root, arranger, result)


def marked_again(stored: str, *, location: dict[str, Any]) -> dict[str, Any]:
    """A page stored for another tag of the same article, with the mark moved to this tag."""
    root = parse(stored)
    for element in root.elements():
        if not element.classes.isdisjoint((sanitise.TAGGED, sanitise.THIS_TAG)):
            element.set_classes(element.classes - {sanitise.TAGGED, sanitise.THIS_TAG})
    result = Arranged(tag_found=mark_tagged(root, TagLocation(**location)))
    if not result.tag_found:
        result.notes.append(NOT_FOUND)
    result.html = finished(root)
    return asdict(result)


def _finished(root: Element, arranger: Arranger, result: Arranged) -> dict[str, object]:
    cut_tables(root)
    if cut_page(root):
        result.notes.append(CUT)
    result.headings = arranger.headings
    result.html = finished(root)
    return asdict(result)


def _sections(root: Element) -> Iterator[Element]:
    """The sections of a talk page, each in its own element; the text before the first heading is one."""
    section = _section()
    for child in holder_of_blocks(root).children:
        if isinstance(child, Element) and _opens_section(child):
            if _has_text(section):
                yield section
            section = _section()
        section.children.append(child)
    if _has_text(section):
        yield section


def _section() -> Element:
    return Element("section", {"class": sanitise.SECTION})


def _opens_section(element: Element) -> bool:
    """Return whether it is a heading of the second level, or the element that a wiki puts around one."""
    if element.name == "div":
        inner = [child for child in element.children if isinstance(child, Element)]
        return len(inner) == 1 and inner[0].name == "h2"
    return element.name == "h2"


def _has_text(section: Element) -> bool:
    return any(text.strip() for text in section.raw_texts())


def _score(section: Element, said: str, named: str) -> int:
    text = own_text(section)
    heading = next((own_text(one) for one in section.elements() if one.name == "h2"), "")
    if named and words(heading) == words(named):
        return 100
    shared_numbers = set(_NUMBER.findall(text)) & set(_NUMBER.findall(said))
    shared_names = set(_NAME.findall(text)) & set(_NAME.findall(said))
    speaks = len(_SPEAKS.findall(heading)) * 2 + len(_SPEAKS.findall(text))
    return (
        3 * min(speaks, 4) + min(len(shared_numbers), 3) + min(len(shared_names), 2)
        if speaks or len(shared_numbers) > 1
        else 0
    )


def plain(stored: str) -> str:
    """The text of a stored page without marks, tags and banners, one line per paragraph; for comparing."""
    return own_text(parse(stored))
