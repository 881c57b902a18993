"""Problems of a ContraDoc record, the reading of its quirks, and a release in numbers."""

import json

import pytest

from annotation.reading.sentences import sentences
from benchmarks.contradoc import items as item
from benchmarks.contradoc.content.matching import plain
from benchmarks.contradoc.content.statistics import bin_of, statistics

NEGATIVE = {"label": "neg", "text": "All is well.", "unique id": "news_train_1", "doc_type": "news"}
POSITIVE = {
    "label": "pos",
    "text": "The shop opens at nine. It never opens before noon.",
    "evidence": "It never opens before noon.",
    "unique id": "17_2",
    "doc_type": "story",
    "contra_plug": "Insert",
    "contra_type": ["Numeric"],
    "scope": "local",
    "ref sentences": ["The shop opens at nine."],
}


@pytest.mark.parametrize(
    "quirk",
    [
        {},
        {"scope": ["global"]},
        {"scope": "global, intra"},
        {"contra_type": ["Other", "Causal"]},
        {"unique id": "3489738298_m1"},
        {"ref sentences": []},
        {"evidence": "It stands nowhere."},
    ],
)
def test_the_quirks_of_the_release_are_right(quirk):
    assert item.problems(POSITIVE | quirk) == []
    assert item.problems({name: value for name, value in (POSITIVE | quirk).items() if name != "ref sentences"}) == []


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"scope": "nearby"}, "the field “scope” has an unknown scope: 'nearby'"),
        ({"scope": 3}, "the field “scope” names no scope"),
        ({"scope": []}, "the field “scope” names no scope"),
        ({"scope": ["local", ["intra"]]}, "the field “scope” names no scope"),
        ({"scope": "local, local"}, "the field “scope” names a scope twice"),
        ({"contra_type": "Numeric"}, "the field “contra_type” is not a list of types"),
        ({"contra_type": ["Numeric", ["Causal"]]}, "the field “contra_type” has an unknown type: ['Causal']"),
        ({"contra_plug": "Swap"}, "the field “contra_plug” is not one of Insert, Replace"),
        ({"doc_type": ["news"]}, "the field “doc_type” is not one of news, wiki, story"),
        ({"text": " "}, "the field “text” is empty"),
        ({"evidence": None}, "the field “evidence” is not text"),
        ({"ref sentences": [1]}, "the field “ref sentences” has a sentence that is not text"),
        ({"evidence": "a\0b"}, "the field “evidence” contains a character that is not text (a NUL or half of a"),
        ({"text": "a\ud800b"}, "the field “text” contains a character that is not text (a NUL or half of a"),
        ({"note": "new"}, "there is no field 'note' in ContraDoc"),
        ({"label": "positive"}, "the field “label” is not one of pos, neg"),
    ],
)
def test_what_is_wrong_is_named(wrong, problem):
    (found,) = item.problems(POSITIVE | wrong)
    assert found.startswith(problem)


def test_all_that_is_wrong_with_a_record_is_named():
    assert item.problems({"label": "neg"}) == [
        f"the field “{name}” is missing" for name in ("text", "unique id", "doc_type")
    ]
    assert item.problems(NEGATIVE | {"evidence": "x"}) == [
        "the field “evidence” is in a negative document, which has no contradiction"
    ]
    assert item.record_problems(["text"], "pos") == ["it is not an object"]


@pytest.mark.parametrize(
    ("unique_id", "group"),
    [("17_2", "17"), ("3489738298_m1", "3489738298"), ("news_train_1", "news_train_1"), ("17", "17"), ("_1", "_1")],
)
def test_documents_of_one_source_share_their_group(unique_id, group):
    assert item.group_of(unique_id) == group


def test_what_does_not_stand_in_the_text_is_named():
    assert item.not_in_text(POSITIVE | {"evidence": "It  never opens\nbefore noon."}) == []
    assert item.not_in_text(POSITIVE | {"evidence": "it never opens before noon.", "ref sentences": ["neither"]}) == [
        "evidence",
        "ref sentences",
    ]
    assert item.not_in_text(NEGATIVE) == []


def test_lengths_have_their_bins():
    assert [bin_of(words) for words in (99, 100, 499, 500, 2199, 2200)] == [
        "under 100",
        "100-500",
        "100-500",
        "500-1000",
        "1500-2200",
        "2200 and more",
    ]


def test_a_document_is_listed_by_its_beginning():
    assert item.beginning("One\n two.") == "One two."
    assert len(item.beginning("word " * 1000)) <= item.BEGINNING + 2


def test_two_documents_in_numbers():
    found = statistics([POSITIVE | {"scope": "global, intra", "evidence": "gone"}, NEGATIVE])
    assert (found["positive"], found["negative"], found["source documents of the positive"]) == (1, 1, 1)
    assert found["scope"] == {"global, intra": 1}
    assert found["not in the text"] == {"evidence": 1, "ref sentences": 0}
    assert found["words (split at white space)"]["positive"]["under 100"] == 1


@pytest.mark.released
def test_the_sample_has_the_published_numbers(released_data):
    sides = json.loads(released_data.joinpath("contradoc_sample.json").read_text())
    contents = [{**record, "label": side} for side, records in sides.items() for record in records.values()]
    assert not [problem for content in contents for problem in item.problems(content)]
    found, expected = statistics(contents), _expected(released_data)
    assert {name: found[name] for name in expected} == expected
    # The numbers about the splitter in docs/contradoc.md.
    positive = [content for content in contents if content["label"] == "pos"]
    whole = [{plain(span.of(content["text"])) for span in sentences(content["text"])} for content in positive]
    assert sum(plain(content["evidence"]) in found for content, found in zip(positive, whole, strict=True)) == 55


def _expected(released_data):
    return json.loads(released_data.joinpath("contradoc_sample_expected.json").read_text())
