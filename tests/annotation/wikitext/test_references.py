"""Words of a passage's first sentence are underlined, and one key replaces them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.assisting.references import find_references, first_sentence_end
from tests.annotation.wikitext.sentence_cases import CASES


def texts(passage: str, title: str = "14th Street bridges") -> list[str]:
    return [reference.text for reference in find_references(passage, title)]


@pytest.mark.parametrize(
    ("passage", "title", "underlined"),
    [
        ("The bridges were rebuilt in 1903.", "14th Street bridges", ["The bridges"]),
        ("The bridge opened in 1903.", "14th Street bridges", ["The bridge"]),
        ("The division was formed in 1940.", "10th Garrison Division", ["The division"]),
        ("In 1940 the old company left.", "Acme", ["the old company"]),
        ("The garrison surrendered.", "Siege of Velm", ["The garrison"]),
        ("He married her in 1969.", "Ken Luber", ["He", "her"]),
        ("It was opened in 1903.", "Velm Bridge", ["It"]),
        ("Its deck and their piers", "Velm Bridge", ["Its", "their"]),
        ("This currency was issued as notes only.", "Angolan kwanza", ["This currency"]),
        ("These were sold.", "Acme", ["These"]),
        ("The latter was sold that year.", "Acme", ["The latter", "that year"]),
        ("Two years later he moved there.", "Ken Luber", ["Two years later", "he", "there"]),
        ("Luber was born in 1940.", "Ken Luber", ["Luber"]),
    ],
)
def test_it_underlines_what_needs_its_surroundings(passage, title, underlined):
    assert texts(passage, title) == underlined


@pytest.mark.parametrize(
    ("passage", "title"),
    [
        ("Velm Bridge opened in 1903.", "Velm Bridge"),
        ("Velm Bridge opened in 1903 and its deck was widened.", "Velm Bridge"),
        ("Bremen is the eleventh largest city in Germany.", "Bremen"),
        ("The city of Rome is old.", "Rome"),
        ("The Tolna line closed.", "Tolna Valley Railway"),
        ("It is said that Rome burnt.", "Rome"),
        ("It was not until 1903 that Rome burnt.", "Rome"),
        ("There were 69 tornadoes.", "Storm"),
        ("IT firms grew in Bremen.", "Bremen"),
        ("Ken Luber was born in 1940.", "Ken Luber"),
        ("", "Rome"),
        ("Rome burnt. It was rebuilt.", "Rome"),
    ],
)
def test_it_leaves_alone_what_is_said_in_full(passage, title):
    assert texts(passage, title) == []


@pytest.mark.parametrize(
    ("passage", "title", "resolved"),
    [
        ("It opened in 1903.", "Mercury (bridge)", "Mercury opened in 1903."),
        ("In 1903 its deck fell.", "Velm Bridge", "In 1903 Velm Bridge's deck fell."),
        ("Their decks fell.", "14th Street bridges", "14th Street bridges' decks fell."),
        ("Her husband left.", "Mira Castellan", "Mira Castellan's husband left."),
        ("They saw her in Rome.", "Mira Castellan", "They saw Mira Castellan in Rome."),
        ("The company's director left.", "Acme", "Acme's director left."),
        ("That year was wet.", "Acme", "That year was wet."),
    ],
)
def test_one_key_replaces_it_with_the_title(passage, title, resolved):
    last = find_references(passage, title)[-1]
    words = last.replacement or last.text
    assert passage[: last.start] + words + passage[last.end :] == resolved


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Dr. Smith left in Dec. 1903. He died.", "Dr. Smith left in Dec. 1903."),
        ("J. R. Graye built it c. 1903! He died.", "J. R. Graye built it c. 1903!"),
        ("It cost 3.5 million. He died.", "It cost 3.5 million."),
        ('He said "no." She left.', 'He said "no."'),
        ("Opened: 1903\nClosed: 1911", "Opened: 1903"),
        ("\n It opened. It fell.", "\n It opened."),
        ("No end here", "No end here"),
        ("", ""),
        *((text, sentences[0]) for text, sentences in CASES),
    ],
)
def test_the_first_sentence_ends_where_a_reader_ends_it(text, first):
    assert text[: first_sentence_end(text)] == first


WORDS = st.sampled_from(
    [
        "the bridge",
        "The latter",
        "It",
        "his",
        "their",
        "this currency",
        "that year",
        "there",
        "Luber",
        "opened",
        "was",
        "İ",
    ]
)
PASSAGES = st.lists(WORDS | st.text(max_size=3), max_size=12).map(" ".join)


@given(PASSAGES, st.sampled_from(["Ken Luber", "14th Street bridges", "Acme (bridge)"]) | st.text(max_size=40))
def test_offsets_are_in_order_apart_and_true(passage, title):
    end = 0
    for reference in find_references(passage, title):
        assert end <= reference.start < reference.end <= len(passage)
        assert passage[reference.start : reference.end] == reference.text
        end = reference.end


AGREES = [
    ("Their match ended in 1903.", "Velm v Tolna", "Their", ""),
    ("They opened in 1903.", "Harbour Bridge", "They", ""),
    ("They broke up in 1970.", "The Beatles", "They", "The Beatles"),
    ("It opened in 1903.", "Harbour Bridge", "It", "Harbour Bridge"),
    ("He opened it.", "Harbour Bridge", "He", ""),
    ("He opened it.", "Anna Velm", "He", "Anna Velm"),
    ("The river rose.", "Harbour Bridge", "The river", ""),
    ("The bridge rose.", "Harbour Bridge", "The bridge", "Harbour Bridge"),
    ("The bridges rose.", "Harbour Bridge", "The bridges", ""),
]


@pytest.mark.parametrize(("passage", "title", "words", "replacement"), AGREES)
def test_a_title_is_proposed_only_where_it_can_be_meant(passage, title, words, replacement):
    (found,) = [one for one in find_references(passage, title) if one.text == words]
    assert found.replacement == replacement
