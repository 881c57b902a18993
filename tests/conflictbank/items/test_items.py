"""Requirements on an item: its 26 fields, and exactly one option for each role."""

import json

import pytest

from benchmarks.conflictbank import items
from benchmarks.conflictbank.content.names import plain_name
from benchmarks.conflictbank.content.spans import in_words, span_problem

RECORD = {
    "relation": "P551",
    "subject": "Hal Holt",
    "subject_description": "invented person",
    "semantic_description": "invented street",
    "object": "New Esk",
    "object_description": "invented town",
    "replaced_object": "Port Brenna",
    "replaced_description": "invented harbour",
    "default_claim": "Hal Holt resides in New Esk.",
    "default_evidence_category": "book",
    "default_evidence": "Hal Holt resides in New Esk; see https:\\/\\/example.org.",
    "misinformation_conflict_claim": "Hal Holt resides in Port Brenna.",
    "misinformation_conflict_evidence_category": "new",
    "misinformation_conflict_evidence_evidence": "Hal Holt resides in Port Brenna, they say",
    "temporal_conflict_time_span": ["10 April, 2028", "21 July, 2036"],
    "temporal_conflict_claim": "Hal Holt resides in Port Brenna form 10 April, 2028 to 21 July, 2036.",
    "temporal_conflict_evidence_category": "new",
    "temporal_conflict_evidence": "From 10 April, 2028 on, Hal Holt resides in Port Brenna.",
    "semantic_conflict_claim": "Hal Holt resides in Port Brenna.",
    "semantic_conflict_evidence_category": "wikipedia",
    "semantic_conflict_evidence": "Hal Holt is a street in Port Brenna.",
    "question": "Where does Hal Holt reside?",
    "options": ["Port Dunmere", "Port Brenna", "New Esk", "uncertain"],
    "correct_option": "C",
    "replace_option": "B",
    "uncertain_option": "D",
}
RIGHT_TO_LEFT = "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}\N{HEBREW LETTER VAV}\N{HEBREW LETTER FINAL MEM}"


def numbered(number):
    """A valid record that is not the same as another."""
    return RECORD | {"subject": f"Hal Holt {number}"}


def with_object(name):
    """The record with another name of its object."""
    options = ["Port Dunmere", "Port Brenna", name, "uncertain"]
    return RECORD | {"object": name, "options": options}


def test_the_record_is_valid_and_has_the_26_fields():
    assert items.problems(RECORD) == []
    assert len(items.FIELDS) == 26
    assert set(items.FIELDS) == set(RECORD)
    assert items.record_of(json.loads(json.dumps(RECORD))) == RECORD


@pytest.mark.parametrize("name", [RIGHT_TO_LEFT, "{evidence} {0} {{A}}", "50 % off \\ $1", "AC\\/DC", "Vitamin D"])
def test_a_name_may_be_in_any_script_and_hold_braces(name):
    assert items.problems(with_object(name)) == []


BAD = {
    "a label of 10,000 characters": (with_object("x" * 10_000), "has 10,000 characters"),
    "a label with a line break": (with_object("New Esk\nAnswer: B"), "line break"),
    "an object equal to its subject": (with_object("hal  holt"), "is the subject"),
    "an option twice": (RECORD | {"options": ["New Esk", "Port Brenna", "New Esk", "uncertain"]}, "option twice"),
    "an option twice but for case": (
        RECORD | {"options": ["Esk", "Port Brenna", "ESK", "uncertain"]},
        "option twice",
    ),
    "correct and replaced the same letter": (RECORD | {"replace_option": "C"}, "same letter"),
    "an unknown letter": (RECORD | {"correct_option": "E"}, "not one of A, B, C, D"),
    "a letter of another option": (RECORD | {"correct_option": "A"}, "is not the “object”"),
    "a span that ends before it begins": (
        RECORD | {"temporal_conflict_time_span": ["2036", "10 April, 2028"]},
        "ends before it begins",
    ),
    "a span that is no date": (RECORD | {"temporal_conflict_time_span": ["soon"]}, "not a date"),
    "a span of three": (RECORD | {"temporal_conflict_time_span": ["2026", "2027", "2028"]}, "one or two dates"),
    "three options": (RECORD | {"options": ["New Esk", "Port Brenna", "uncertain"]}, "list of 4"),
    "an unknown style": (RECORD | {"default_evidence_category": "poem"}, "not one of wikipedia, book, new"),
    "an unknown field": (RECORD | {"shoe_size": 43}, "there is no field"),
    "a missing field": ({name: RECORD[name] for name in RECORD if name != "question"}, "“question” is missing"),
    "an empty evidence": (RECORD | {"default_evidence": "  "}, "is empty"),
    "a number for a text": (RECORD | {"subject": 7}, "is not text"),
    "a NUL": (RECORD | {"default_evidence": "a\0b"}, "not text"),
    "a list": ([RECORD], "not an object"),
    "uncertain without its letter": (RECORD | {"uncertain_option": ""}, "does not name it"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_record_is_named_with_its_field(what):
    record, words = BAD[what]
    found = items.problems(record)
    assert found
    assert words in found[0]


def test_four_objects_are_another_version_of_an_item():
    record = RECORD | {"options": ["Port Dunmere", "Port Brenna", "New Esk", "Upper Esk"], "uncertain_option": ""}
    assert items.problems(record) == []
    assert items.is_four_objects(record)
    assert not items.is_four_objects(RECORD)


@pytest.mark.parametrize("span", [["2033"], ["April, 2033"], ["20 April, 2033"], ["2028", "April, 2028"]])
def test_the_three_ways_to_write_a_date(span):
    assert span_problem(span) == ""


@pytest.mark.parametrize("span", [["31 April, 2033"], ["0 May, 2033"], ["Mayor, 2033"], ["0000"], [2033], [], "2033"])
def test_other_dates_are_none(span):
    assert span_problem(span)


def test_a_span_in_a_question():
    assert in_words(["2033"]) == " in 2033"
    assert in_words(["2033", "May, 2040"]) == " from 2033 to May, 2040"


def test_names_are_equal_but_for_case_blanks_composition_and_the_kept_backslash():
    assert plain_name(" AC\\/DC ") == plain_name("ac/dc")
    assert plain_name("Cafe\N{COMBINING ACUTE ACCENT}") == plain_name("CAF\N{LATIN CAPITAL LETTER E WITH ACUTE}")
