"""Rows of infoboxes are put into sentences about the article's subject, where a rule knows their label."""

import pytest

from annotation.assisting.references import ROW, find_references
from annotation.assisting.rows import in_words

ROWS = [
    ("Founded: 1721", "Port Averil", "Port Averil was founded in 1721."),
    ("Opened: 1 January 1936", "Velm Bridge", "Velm Bridge opened on 1 January 1936."),
    ("Died\t3 March 1881 (aged 42)", "Anna Velm (poet)", "Anna Velm died on 3 March 1881 (aged 42)."),
    ("Built 1920", "Hall 98", "Hall 98 was built in 1920."),
    ("Born: May 12, 1902", "Anna Velm", "Anna Velm was born on May 12, 1902."),
    ("Formed: c. 1850", "Velm Union", "Velm Union was formed in c. 1850."),
    ("Spans: 24", "Velm Bridge", "Velm Bridge has 24 spans."),
    ("Total length: 412 m", "Velm Bridge", "The total length of Velm Bridge is 412 m."),
    ("Number of piers: 3", "Velm Bridge", "The number of piers of Velm Bridge is 3."),
]


@pytest.mark.parametrize(("row", "title", "sentence"), ROWS)
def test_a_row_is_underlined_as_a_whole_and_replaced_by_a_sentence(row, title, sentence):
    (found,) = find_references(row, title)
    assert (found.start, found.end, found.kind, found.replacement) == (0, len(row), ROW, sentence)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 January 1936",
        "May 1903",
        "Harbour FC: 12",
        "Note: see 1903",
        "Founded: by salt traders",
        "Built 1920 by the county.",
        "Founded: 1721\nOpened: 1722",
        "It opened in 1903",
        "Length: " + "very " * 12 + "long",
        "Spans: 24 and more",
    ],
)
def test_anything_else_is_left_as_it_is(text):
    assert in_words(text, "Velm Bridge") == ""


def test_without_a_title_there_is_no_sentence():
    assert in_words("Founded: 1721", "") == ""
