"""Reading the statements that a model wrote about a document, and finding them in it. No database."""

import json
import os
from pathlib import Path

import pytest

from benchmarks.contradoc.maker.generation import METHODS
from benchmarks.contradoc.maker.statements import MOST_STATEMENTS, locate, read_statements

INSERT, REPLACE = METHODS["content_insert"], METHODS["content_replace"]
PAIR = {"statement": "A penguin is a bird.", "contradiction": "A penguin is a mammal."}
FOUR = {
    "Original Sentence": "Tom was born in the UK.",
    "Select Statement": "Tom is from the UK.",
    "Contradicted Statement": "Tom is from Paris.",
    "Rewrited Sentence": "Tom was born in Paris.",
}
DATA = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[4] / "shared" / "data"))


def read(reply, method=INSERT):
    return read_statements(reply if isinstance(reply, str) else json.dumps(reply), method)


def test_the_released_prompts_are_sent_byte_for_byte():
    protocol = DATA.parent / "protocol" / "contradoc.json"
    if not protocol.exists():
        pytest.skip("the protocol is not here")
    released = json.loads(protocol.read_text())["generation"]["prompts"]
    assert {code: method.prompt for code, method in METHODS.items()} == {
        code: each["text"] for code, each in released.items()
    }
    assert {code: method.asks_for for code, method in METHODS.items()} == {
        code: each["asks_for"] for code, each in released.items()
    }


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps([PAIR]),
        "```json\n" + json.dumps([PAIR], indent=2) + "\n```",
        "Here are [5] of them:\n\n```\n" + json.dumps([PAIR]) + "\n```\nI hope this helps!",
        "Sure: " + json.dumps([PAIR]) + " Anything else?",
        json.dumps({"statements": [PAIR]}),
        json.dumps({"1": PAIR}),
        json.dumps(PAIR),
        json.dumps([[PAIR]]),
        "1. " + json.dumps(PAIR),
        str([PAIR]),
        json.dumps([PAIR])[:-2] + ",}\n,]",
        json.dumps([{key.upper() + "_1": value for key, value in PAIR.items()}]),
        json.dumps([PAIR]).replace("is a bird", "is\na bird"),
    ],
)
def test_a_reply_is_read_in_the_forms_that_models_give_it(reply):
    found = read(reply)
    assert not found.problem
    (statement,) = found.statements
    assert statement.original.split() == ["A", "penguin", "is", "a", "bird."]
    assert statement.contradiction == "A penguin is a mammal."
    assert not statement.problem


@pytest.mark.parametrize("key", ["Rewrited Sentence", "Rewritten Sentence", "rewritten_sentence"])
def test_both_released_spellings_are_read(key):
    four = {name: text for name, text in FOUR.items() if name != "Rewrited Sentence"} | {
        key: "Tom was born in Paris."
    }
    (statement,) = read([four], REPLACE).statements
    assert statement.rewording == "Tom was born in Paris."
    assert statement.original == "Tom was born in the UK."
    assert statement.contradiction == "Tom is from Paris."


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "empty"),
        ("I cannot do that.", "no list"),
        ("[1, 2, 3]", "no statement"),
        ('[{"a": "b"}]', "no statement"),
        ('[{"statement": "A peng', "no list"),
        ("[" * 5_000, "no list"),
        (json.dumps([PAIR] * 10_000), "longer than"),
        (json.dumps([PAIR] * (MOST_STATEMENTS + 1)), "51 statements"),
        ("Judgment: yes", "no list"),
    ],
)
def test_what_cannot_be_read_says_why(reply, said):
    found = read(reply)
    assert said in found.problem
    assert not found.statements


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"contradiction": "A penguin is a mammal."}, "names no original sentence"),
        ({"statement": "A penguin is a bird."}, "neither a contradiction"),
        ({"statement": "A penguin is a bird.", "contradiction": ["x"]}, "neither a contradiction"),
        ({"statement": "A penguin is a bird.", "contradiction": "a penguin is a bird"}, "is the original"),
        ({"statement": "A penguin is a bird.", "contradiction": "x" * 3_000}, "longer than"),
    ],
)
def test_one_bad_statement_is_refused_and_the_others_are_read(fields, said):
    bad, good = read([fields, PAIR]).statements
    assert said in bad.problem
    assert not good.problem


def test_a_nul_in_a_reply_is_no_nul_in_the_database():
    (statement,) = read([PAIR | {"contradiction": "A \0 \ud800 mammal."}]).statements
    assert statement.contradiction.encode()
    assert "\0" not in statement.contradiction


TEXT = "Tom’s wife is Lisa.\n\nShe was — as he\nsaid — “happy”. Tom was born in 1903. Lisa was not."


@pytest.mark.parametrize(
    ("original", "stands"),
    [
        ("Tom's wife is Lisa.", "Tom’s wife is Lisa."),
        ('She was - as he said - "happy".', "She was — as he\nsaid — “happy”."),
        ('"tom was born in 1903."', "Tom was born in 1903."),
        ("Tom was born", "Tom was born"),
    ],
)
def test_an_original_sentence_is_found_whatever_its_blanks_quotes_and_dashes(original, stands):
    found = locate(TEXT, original)
    assert found.start is not None
    assert TEXT[found.start : found.end] == stands


@pytest.mark.parametrize(
    "original", ["Tom was born in 190", "Tom was born in the year 1903.", "om was born in 1903."]
)
def test_where_it_does_not_stand_the_nearest_sentence_is_shown(original):
    found = locate(TEXT, original)
    assert found.start is None
    assert TEXT[found.near_start : found.near_end] == "Tom was born in 1903."


def test_a_document_of_two_megabytes_without_sentence_ends_is_looked_through():
    text = "word " * 400_000
    assert locate(text, "Nothing of it.").start is None
    assert locate(text + "Here it is", "here it is").start == len(text)
