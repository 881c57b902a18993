"""Spans, statements, answers and a question are drafted where two passages clash in a value, else nothing."""

import pytest

from annotation.assisting.clashes import clash_between
from annotation.assisting.drafts import ANSWERS, QUESTION, SPANS, STATEMENTS, drafts_for, question
from annotation.assisting.values import DATE, NAME, NUMBER, values_in
from annotation.content.fields import clean_content
from speed.counterparts.spans import counts

OPENED = ("The northbound bridge opened to traffic on 9 May 1950.", "The northbound bridge was opened in 1948.")


def content(one: str, two: str, same: str = "Different"):
    return clean_content(
        {
            "wikitag_label_samepassage": same,
            "paragraphA_information": one,
            "paragraphA_information_standalone": one,
            "paragraphB_information": two,
            "paragraphB_information_standalone": two,
        }
    )


def test_a_clash_of_dates_drafts_every_field():
    drafts = drafts_for(content(*OPENED))
    assert [drafts.texts[name] for name in SPANS] == ["9 May 1950", "1948"]
    assert [drafts.texts[name] for name in STATEMENTS] == [
        "the northbound bridge opened to traffic on 9 May 1950",
        "the northbound bridge was opened in 1948",
    ]
    assert drafts.texts[QUESTION] == "When did the northbound bridge open to traffic?"
    assert [drafts.texts[name] for name in ANSWERS] == ["9 May 1950", "1948"]


@pytest.mark.parametrize(
    ("one", "two", "kind", "words"),
    [
        ("He died in 1972.", "Liu Zhi died on 15 January 1971.", DATE, ("1972", "15 January 1971")),
        ("69 tornadoes were confirmed.", "In the end, 87 tornadoes were confirmed.", NUMBER, ("69", "87")),
        ("It has three arches.", "It stands on 4 arches.", NUMBER, ("three", "4")),
        (
            "The club plays at Tata Stadium.",
            "The club plays at Munda Stadium.",
            NAME,
            ("Tata Stadium", "Munda Stadium"),
        ),
        ("It opened on 2 March 1881.", "It opened on 3 March 1881.", DATE, ("2 March 1881", "3 March 1881")),
        ("Opened: 1 January 1936", "The division was raised in March 1941.", DATE, ("1 January 1936", "March 1941")),
    ],
)
def test_the_values_that_clash_are_found(one, two, kind, words):
    clash = clash_between(one, two)
    assert clash is not None
    assert (clash.kind, clash.words_1, clash.words_2) == (kind, *words)
    assert (one[clash.start_1 : clash.end_1], two[clash.start_2 : clash.end_2]) == words


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("", "It opened in 1948."),
        ("It opened in 1948.", "It opened in 1948."),
        ("It opened in 1948.", "It was opened on 9 May 1948."),
        ("It was open.", "It was closed."),
        ("It has 3 arches, 4 piers and 5 gates.", "It has 6 doors, 7 steps and 8 lamps."),
        ("It has 11 spans.", "The eleventh span fell."),
        ("... 橋 ...", "川は長い。"),
        ("1 " * 5_000, "2 " * 5_000),
    ],
)
def test_nothing_is_drafted_where_it_is_unsure(one, two):
    assert drafts_for(content(one, two)).texts == {}


def test_one_passage_for_both_has_no_drafts():
    assert drafts_for(content(*OPENED, same="Same")).texts == {}


@pytest.mark.parametrize(
    ("sentence", "value", "kind", "asked"),
    [
        ("The bridge was opened in 1948.", "1948", DATE, "When was the bridge opened?"),
        ("Karl Weyprecht died on 3 March 1881 (aged 42).", "3 March 1881", DATE, "When did Karl Weyprecht die?"),
        ("There were 69 tornadoes confirmed in May.", "69", NUMBER, "How many tornadoes were confirmed in May?"),
        ("87 tornadoes were confirmed.", "87", NUMBER, "How many tornadoes were confirmed?"),
        ("The bridge has 27 arches of brick.", "27", NUMBER, "How many arches does the bridge have of brick?"),
        ("It was opened in 1948.", "1948", DATE, ""),
        ("The club plays at Tata Stadium.", "Tata Stadium", NAME, ""),
        ("After years of talks, the bridge was opened in 1948.", "1948", DATE, ""),
    ],
)
def test_a_question_is_drafted_where_a_rule_has_one(sentence, value, kind, asked):
    assert question(sentence, value, kind) == asked


def test_values_are_found_once_each():
    text = "On 9 May 1950, 1,266 people and three bands of New York came for $5."
    found = [(one.kind, text[one.start : one.end]) for one in values_in(text)]
    assert found == [
        (DATE, "9 May 1950"),
        (NUMBER, "1,266"),
        (NUMBER, "three"),
        (NAME, "New York"),
        (NUMBER, "$5"),
    ]


def test_half_of_the_explicit_records_get_spans_and_nine_of_ten_are_right(released_data):
    found = counts(released_data / "wikicontradict_sample.json")["explicit"]
    assert found["drafted"] >= found["annotated"] / 2
    assert found["right"] >= 0.9 * found["drafted"]
