"""The baseline judge takes no text for a yes or a no that says neither."""

import pytest

from benchmarks.wikicontradict.protocol.baseline_judge import conflict_stance, judge_by_matching, polarity
from judging.protocol.verdicts import Verdict

YES, NO, NEITHER = {"yes"}, {"no"}, set()


@pytest.mark.parametrize(
    "text", ["banana", "lol", "In 1903.", "The weather is fine.", "?!", "42", "I'm not sure.", "Why not?"]
)
@pytest.mark.parametrize("expects", ["conflict", "no conflict"])
def test_a_text_that_says_nothing_about_a_conflict_is_incorrect(text, expects):
    assert judge_by_matching("When?", ["yes"], text, expects=expects).verdict == Verdict.INCORRECT


@pytest.mark.parametrize("text", ["lol", "banana", "The weather is fine.", "Purple."])
def test_a_text_without_overlap_answers_no_question_of_yes_or_no(text):
    question, answers = "Did the bridge open in 1903?", ["Yes, in 1903", "No, in 1899"]
    assert polarity(text, question) == NEITHER
    assert judge_by_matching(question, answers, text).verdict == Verdict.INCORRECT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes.", YES),
        ("**Yes**", YES),
        ("There is a conflict.", YES),
        ("They contradict each other.", YES),
        ("The two passages are inconsistent.", YES),
        ("The passages do not agree.", YES),
        ("No.", NO),
        ("No, the passages agree.", NO),
        ("no conflict", NO),
        ("There is no conflicting information in the context.", NO),
        ("The passages do not contradict each other.", NO),
        ("There isn't any real discrepancy.", NO),
        ("Both passages are consistent.", NO),
        ("I'm not sure.", NEITHER),
        ("I cannot tell whether they conflict.", NEITHER),
        ("There might be a conflict.", NEITHER),
    ],
)
def test_a_conflict_is_said_or_denied_in_many_ways(text, said):
    assert conflict_stance(text) == said
