"""Reading answers, by the option and by the text protocol: one option, or the reason why there is none."""

import math

import pytest

from benchmarks.conflictbank.readers import options as by_option
from benchmarks.conflictbank.readers import read_option, read_text
from benchmarks.conflictbank.readers import texts as by_text

OPTIONS = ["Port Dunmere", "Esk", "New Esk", "uncertain"]


def test_the_most_probable_label_is_the_option():
    read = read_option({" A": -3.0, " B": -0.1, " C": -4.0, " D": -5.0})
    assert read.value["letter"] == "B"
    assert read.value["logprobs"] == {"A": -3.0, "B": -0.1, "C": -4.0, "D": -5.0}


def test_an_absent_option_counts_minus_100():
    read = read_option({" C": -99.0})
    assert read.value["letter"] == "C"
    assert read.value["logprobs"]["A"] == -100.0


def test_a_lower_value_counts_like_an_absent_one():
    assert read_option({" A": -9999.0, " B": -8000.0}).problem == by_option.TIE


def test_bits_are_the_entropy_of_the_four():
    # Weights of 0.36788, 0.36788 and 0.60653 are shares of 0.27407, 0.27407 and 0.45186: 2 * 0.51180 + 0.51785.
    read = read_option({" A": -1.0, " B": -1.0, " C": -0.5})
    assert math.isclose(read.value["bits"], 1.54144, abs_tol=1e-4)
    assert math.isclose(by_option.bits([-2.0] * 4), 2.0)
    assert by_option.bits([0.0, -100.0, -100.0, -100.0]) < 1e-30


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        (None, by_option.NO_PROBABILITIES),
        ({}, by_option.NONE_THERE),
        ({"The": -0.1, "a": -2}, by_option.NONE_THERE),
        ({" A": -1.0, " B": -1.0, " C": -2.0}, by_option.TIE),
        ({" A": "-1.0"}, by_option.NOT_A_NUMBER),
        ({" A": True}, by_option.NOT_A_NUMBER),
        ({" A": None}, by_option.NOT_A_NUMBER),
        ({" A": float("nan"), " B": -1}, by_option.NOT_A_NUMBER),
        ({" A": 0.5}, by_option.TOO_HIGH),
    ],
)
def test_anything_else_is_unreadable(tokens, problem):
    read = read_option(tokens)
    assert read.value is None
    assert read.problem == problem


@pytest.mark.parametrize("form", by_option.FORMS)
def test_a_model_writes_labels_in_one_form(form):
    labels = by_option.labels_of(form)
    assert read_option({labels["C"]: -0.2, labels["A"]: -2}, forms=(form,)).value["letter"] == "C"
    other = next(each for each in by_option.FORMS if each != form)
    assert read_option({by_option.labels_of(other)["C"]: -0.2}, forms=(form,)).problem == by_option.NONE_THERE


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("C", "C"),
        ("(B)", "B"),
        ("b.", "B"),
        ("**D**", "D"),
        ("Answer: A", "A"),
        ("C. New Esk", "C"),
        ("New Esk", "C"),
        ("The answer is new\nesk.", "C"),
        ("Esk", "B"),
        ("A is correct.", "A"),
        ("A good question. I choose B.", "B"),
        ("Vitamins are not asked for: uncertain", "D"),
    ],
)
def test_exactly_one_option_named(text, letter):
    assert read_text(text, OPTIONS).value == {"letter": letter}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", by_text.EMPTY),
        ("  \n", by_text.EMPTY),
        ("I cannot say.", by_text.NAMES_NONE),
        ("A good question.", by_text.NAMES_NONE),
        ("D'Artagnan wrote a B-side.", by_text.NAMES_NONE),
        ("A or B", by_text.NAMES_SEVERAL),
        ("B. New Esk", by_text.NAMES_SEVERAL),
        ("Port Dunmere, or else C", by_text.NAMES_SEVERAL),
        ("A. Port Dunmere\nB. Esk\nC. New Esk\nD. uncertain", by_text.NAMES_SEVERAL),
    ],
)
def test_no_option_or_several_are_unreadable(text, problem):
    read = read_text(text, OPTIONS)
    assert read.value is None
    assert read.problem == problem


def test_a_letter_in_the_words_of_an_option_is_no_letter():
    options = ["Vitamin D", "Hepatitis B", "{C}", "uncertain"]
    assert read_text("Vitamin D", options).value == {"letter": "A"}
    assert read_text("It is Hepatitis B", options).value == {"letter": "B"}


def test_options_that_are_letters_are_read_by_letter():
    assert read_text("B", ["C", "A", "D", "B"]).value == {"letter": "B"}
