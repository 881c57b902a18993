"""The cells in `table_cases` are those of MediaWiki's HTML."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib
import pytest
import requests

from tests.annotation.table_cases import ROWS, TAGS, tagged

pytestmark = pytest.mark.mediawiki


def rows_of(page: str) -> list[list[str]]:
    """The texts of the cells of each tag's row, without tags and inner tables."""
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    rows = []
    for tag in TAGS.values():
        month = re.search(r"\w+ \d{4}", tag)[0]
        innermost = [row for row in tree.iter("tr") if month in "".join(titles(row))][-1]
        rows.append([" ".join("".join(texts(cell)).split()) for cell in innermost if cell.tag in {"td", "th"}])
    return rows


def titles(element: Element) -> Iterator[str]:
    return (inner.get("title", "") for inner in element.iter("span"))


def texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for inner in element:
        if inner.tag not in {"table", "sup"}:
            yield from texts(inner)
        yield inner.tail or ""


@pytest.mark.parametrize(("wikitext", "rows"), ROWS.items())
def test_mediawiki_makes_the_same_cells(wiki, wikitext, rows):
    asked = {"action": "parse", "text": tagged(wikitext), "contentmodel": "wikitext", "prop": "text"}
    answer = requests.post(wiki.api_url, data=asked | {"format": "json", "formatversion": "2"}).json()
    assert rows_of(answer["parse"]["text"]) == rows
