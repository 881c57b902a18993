"""Comparing the texts of a page: infobox against text, lead against body, a total against its rows, one property with
two values; and silence where nothing contradicts.
"""

import time

import pytest

from annotation.assisting.untagged.candidates import candidates_in_page, candidates_in_text

from .pages import BRIDGE, FINE, PERSON, TABLE


def only(title: str, wikitext: str, **how):
    (found,) = candidates_in_page(title, wikitext, **how)
    return found


def test_an_infobox_that_gives_another_date_than_the_text():
    found = only("Tarn Bridge", BRIDGE)
    assert (found.kind, found.part_1, found.part_2) == ("infobox", "infobox", "History")
    assert (found.text_1, found.text_2) == (
        "Opened: 1868",
        "The bridge was opened on 4 May 1871 by the mayor.",
    )
    assert found.reason == "opened: 1868 ≠ 4 May 1871"


def test_a_lead_that_gives_another_date_than_the_body():
    found = only("Ilse Marrow", PERSON)
    assert (found.kind, found.part_1, found.part_2) == ("lead", "lead", "Life")
    assert found.reason == "born: 11 March 1872 ≠ 11 March 1874"


def test_a_total_that_is_not_the_sum_of_its_rows():
    found = only("Vale Vote", TABLE)
    assert (found.kind, found.reason) == ("total", "total: 2,500 ≠ 2,400")
    assert found.text_1 == "Total | 2,500 | 12"
    assert found.text_2 == "Votes: the 3 rows above add up to 2,400 (1,200 + 800 + 400)"


def test_one_property_with_two_values_in_one_part_of_a_page():
    twice = "The '''Tarn Mill''' is a mill.\n\n== A ==\nIt was built in 1801.\n\n== B ==\nThe mill was built in 1810."
    found = only("Tarn Mill", twice)
    assert (found.kind, found.reason) == ("property", "built: 1801 ≠ 1810")


def test_a_date_template_of_an_infobox_is_read():
    text = "{{Infobox person\n| birth_date = {{birth date|df=yes|1872|3|11}}\n}}\nMarrow was born on 12 March 1872."
    assert only("Ilse Marrow", text).reason == "born: 1872-03-11 ≠ 12 March 1872"


@pytest.mark.parametrize(
    ("title", "wikitext"),
    [
        ("Tarn Bridge", FINE),
        ("Tarn Bridge", BRIDGE.replace("1868", "1868{{Inconsistent|date=May 2024}}")),
        ("Tarn Bridge", BRIDGE.replace("4 May 1871", "4 May 1868")),
        ("Tarn Bridge", BRIDGE.replace("opened = 1868", "opened = 1868; 1902")),
        ("Tarn Bridge", BRIDGE.replace("by the mayor", "according to the mayor")),
        ("Tarn Bridge", BRIDGE.replace("The bridge was", "The inn was")),
        ("Tarn Bridge", BRIDGE.replace("by the mayor.", "by the mayor.{{Contradict-inline}}")),
        ("Vale Vote", TABLE.replace("2,500", "2,400")),
        ("Vale Vote", TABLE.replace("East", "of which East")),
        ("Vale Vote", TABLE.replace("| East || 800", "| East || unknown")),
        ("", ""),
        ("Nothing", "{{Infobox\n| opened = 1868"),
    ],
)
def test_silence_where_nothing_contradicts_or_an_editor_found_it(title, wikitext):
    assert candidates_in_page(title, wikitext) == []


def test_any_two_sentences_are_compared_only_closely():
    text = "Intro of the valley.\n\n== A ==\nThe northbound lift carried 40 walkers to the summit.\n\n== B ==\n" + (
        "The northbound lift carried 60 walkers to the summit.\n"
    )
    assert candidates_in_page("Valley", text) == []
    found = only("Valley", text, closely=True)
    assert (found.kind, found.reason, found.part_1) == ("sentences", "40 ≠ 60, other number", "A")


def test_a_document_has_no_parts():
    text = "The mill is old. It was built in 1801. Many came to see it. It was built in 1810."
    found = candidates_in_text("Mill", text)[0]
    assert (found.kind, found.part_1, found.part_2) == ("property", "", "")


@pytest.mark.parametrize(
    "text",
    [
        "<ref>" * 40_000,
        "{{" * 100_000,
        "{{Infobox\n" + "| opened = " * 50_000,
        "[[" * 100_000,
        "'''A''' (" + "(" * 100_000,
        "It was opened in " * 20_000,
        "It was opened in 1900. " * 10_000,
        "{|\n! Total !! 5\n|}\n" * 5_000,
        "{|\n" + "|-\n| 1 || 2\n" * 20_000 + "|-\n| Total || 5\n|}",
        "<!--" * 50_000,
        "橋は1900年に開通した。" * 20_000,
        "\u202eنص" * 50_000,
        "1 " * 100_000,
    ],
    ids=range(13),
)
@pytest.mark.parametrize("closely", [False, True])
def test_hostile_text_takes_time_in_proportion(text, closely):
    begun = time.process_time()
    candidates_in_page("It", text, closely=closely)
    assert time.process_time() - begun < 10
