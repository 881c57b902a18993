"""The tags of a page, and other work on a wiki's data, in a process that is killed when it takes too long."""

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from core.killable import SECONDS, Children

from .tags import FoundTag, find_tags, may_have_tags

# `annotation.reading.child` lists all the work done there, including that of packages above this one.
_readers = Children("annotation.reading.child")
in_child = _readers.run


def extract_tags(
    wikitext: str, *, seconds: float = SECONDS, families: Mapping[str, str] | None = None
) -> list[FoundTag]:
    """The contradiction tags of a page, as `wikitext.find_tags` gives them. May be called from any thread.

    Raises `core.killable.GivenUp` if the page takes longer than `seconds` seconds or needs too much memory.
    """
    if not may_have_tags(wikitext, families):
        return []
    families = dict(families) if families is not None else None
    return unpacked_tags(in_child("packed_tags", seconds=seconds, wikitext=wikitext, families=families))


def packed_tags(wikitext: str, families: Mapping[str, str] | None) -> dict[str, Any]:
    """The tags of a page as plain values. Tags of one paragraph share its text, so each text is in it once."""
    paragraphs: dict[tuple[str, str], int] = {}
    rows = []
    for tag in find_tags(wikitext, families=families):
        values = list(astuple(tag))
        text = paragraphs.setdefault((tag.paragraph, tag.paragraph_clean), len(paragraphs))
        rows.append([*values[:8], text, *values[10:]])
    return {"tags": rows, "paragraphs": list(paragraphs)}


def unpacked_tags(packed: Mapping[str, Any]) -> list[FoundTag]:
    """The tags that `packed_tags` packed."""
    return [_found_tag(values, packed["paragraphs"]) for values in packed["tags"]]


def _found_tag(values: list[Any], paragraphs: list[tuple[str, str]]) -> FoundTag:
    tag, name, family, date, reason, other_articles, section, placement, text, start, end = values
    paragraph, clean = paragraphs[text]
    return FoundTag(
        tag, name, family, date, reason, tuple(other_articles), section, placement, paragraph, clean, start, end
    )
