"""Sentences of a page as the desk's keys select them: by the same splitter as ContraDoc's."""

import html
import re

import pytest

from annotation.reading.page_sentences import page_sentences
from annotation.reading.sentences import sentences
from tests.annotation.wikitext.sentence_cases import CASES

BORN = "Born to John Smith Jr. and George D. Smith in 1903."
PAGES = [
    (f"<p>{BORN} It opened.</p>", [BORN, "It opened."]),
    ("<p>It opened in <b>1903</b>. <i>It</i> is 300 m long.</p>", ["It opened in 1903.", "It is 300 m long."]),
    (
        "<h2>Early</h2><ul><li>One. Two.<ul><li>Three.</li></ul></li></ul>",
        ["Early", "One.", "Two.", "Three."],
    ),
    ("<table><tr><th>Span. A</th><td><p>24. In all.</p></td></tr></table>", ["Span. A24. In all."]),
    ('<p>𝔸𝔹 first. Then<sup class="ev-aside">[1]</sup> 𝔸 last.</p>', ["𝔸𝔹 first.", "Then[1] 𝔸 last."]),
    ("<div>Loose.</div><p> </p>", []),
    ("", []),
]


def dom_text(page: str) -> bytes:
    return html.unescape(re.sub("<[^>]*>", "", page)).encode("utf-16-le")


@pytest.mark.parametrize(("page", "reads"), PAGES)
def test_sentences_lie_where_they_stand_in_the_page(page, reads):
    text = dom_text(page)
    assert [text[2 * start : 2 * end].decode("utf-16-le") for start, end in page_sentences(page)] == reads


@pytest.mark.parametrize(("text", "parts"), CASES)
def test_abbreviations_and_initials_end_no_sentence(text, parts):
    assert [span.of(text) for span in sentences(text)] == parts
    assert [text[start:end] for start, end in page_sentences(f"<p>{text}</p>")] == parts
