"""The released benchmark comes out again from its own paragraphs, but for its slips, which stand here one by one."""

import json

import pytest

from annotation.wikitext.tags import FoundTag, find_tags

pytestmark = pytest.mark.released

FIELDS = {
    "tag": "tag",
    "tagDate": "date",
    "tagReason": "reason",
    "paragraph_A": "paragraph",
    "paragraph_A_clean": "paragraph_clean",
}
# Title, field: what is wrong in the released file, and the value it should have, as far as short.
SLIPS = {
    ("St Eunan's GAA", "tagReason"): "see below",  # a reason without a name is lost
    ("Munsee language", "tagDate"): "August 2021",  # a blank at the end
    ("Russian Constituent Assembly", "tagReason"): (
        "Vote percentage of SRs listed in table (40.4%) does not match"
        " the percentage given in the succeeding paragraph (57-58%)"
    ),  # a blank at the end
    ("Emperor discography", "tagDate"): "May 2023",  # a brace too many in the article
    ("Black cowboys", "paragraph_A"): None,  # a blank at the end, four times
    ("Black cowboys", "paragraph_A_clean"): None,
    ("Battle of Martín García", "paragraph_A"): None,
    ("Battle of Martín García", "paragraph_A_clean"): None,
    ("Building 98", "paragraph_A_clean"): "| built =",  # a blank at the end
    ("1920 Volta a Catalunya", "paragraph_A"): None,  # blanks and empty cells at both ends
    ("1920 Volta a Catalunya", "paragraph_A_clean"): "Total       \tTotal",
}


@pytest.fixture(scope="module")
def released(released_data) -> list[dict]:
    return json.loads((released_data / "wikicontradict_sample.json").read_text())


def differing(found: FoundTag, record: dict) -> dict[tuple[str, str], str]:
    return {
        (record["title"], field): getattr(found, ours)
        for field, ours in FIELDS.items()
        if getattr(found, ours) != record[field]
    }


def assert_only_slips(differences: dict[tuple[str, str], str], released: list[dict]) -> None:
    assert set(differences) == set(SLIPS)
    assert {key: value for key, value in differences.items() if SLIPS[key]} == {k: v for k, v in SLIPS.items() if v}
    stripped = {(record["title"], field): record[field].strip() for record in released for field in FIELDS}
    assert all(value == stripped[key] for key, value in differences.items() if not SLIPS[key])


def test_each_record_comes_out_of_its_paragraph(released):
    differences: dict[tuple[str, str], str] = {}
    for record in released:
        found = next(tag for tag in find_tags(record["paragraph_A"]) if tag.tag == record["tag"])
        differences |= differing(found, record)
    assert_only_slips(differences, released)


def test_each_record_comes_out_of_a_page_around_it(released):
    differences: dict[tuple[str, str], str] = {}
    for record in released:
        (found,) = {tag.tag: tag for tag in find_tags(page_around(record)) if tag.tag == record["tag"]}.values()
        differences |= differing(found, record)
    assert_only_slips(differences, released)


def page_around(record: dict) -> str:
    """Wikitext that the paragraph can come from: a row of an infobox in one, a heading on a line of its own."""
    paragraph = record["paragraph_A"]
    if paragraph.startswith("| "):
        return f"{{{{Infobox person\n| name = {record['title']}\n{paragraph}\n| spouse = \n}}}}\n\nText.\n"
    if paragraph.startswith("=="):
        return f"Text.\n\n{paragraph.replace('=={{', '==' + chr(10) + '{{')}\nText of the section.\n"
    if paragraph.startswith("{{"):
        return f"{paragraph}\n\nText of the article.\n"
    return f"Text.\n\n== Section ==\nA line before.\n\n{paragraph}\n\nA line after.\n"
