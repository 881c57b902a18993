"""The verdict in a judge's reply: read by the rule, or unreadable with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.wikicontradict.protocol.evaluations import parse_verdict
from judging.protocol.verdicts import Unreadable, Verdict

CORRECT, PARTIALLY, INCORRECT = Verdict.CORRECT, Verdict.PARTIALLY_CORRECT, Verdict.INCORRECT


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("... Thus, the response is partially correct.\n\nevaluation: partially correct", PARTIALLY),
        ("comment text.\nEvaluation: **Correct**.", CORRECT),
        ("x\nevaluation: partically correct", PARTIALLY),
        ("x\nevaluation: Particially correct.", PARTIALLY),
        ("x\nevaluation: partially-correct", PARTIALLY),
        ("Thus, the response is incorrect.\nevaluation: correct", CORRECT),
        ("The answer contains all correct answers. Thus, the response is correct. evaluation: correct", CORRECT),
        ("x\nevaluation:\nincorrect", INCORRECT),
        ("x\nevaluation:\n\n  **Incorrect**\n", INCORRECT),
        ("one answer\nevaluation: partially correct\n\nExample 9\nresponse: r\nevaluation: correct", PARTIALLY),
        ("x\nevaluation: incorrect, because no answer matches", INCORRECT),
        ('x\nevaluation: "partially correct"', PARTIALLY),
        ("This evaluation: the answer gives one value.\nevaluation: partially correct", PARTIALLY),
        ("evaluation: correct", CORRECT),
        ("**Evaluation:** Correct", CORRECT),
        ("**Evaluation: Correct**", CORRECT),
        ("- evaluation: incorrect", INCORRECT),
        ("2. **Evaluation**: `incorrect`", INCORRECT),
        ("> ### Evaluation : CORRECT !", CORRECT),
        ("Final evaluation: partial correct", PARTIALLY),
        ("x\r\nevaluation: correct\r\n", CORRECT),
        ("x\nevaluation:\u00a0correct", CORRECT),
        ("x\nevaluation：partially correct。", PARTIALLY),
        ("x\nevaluation：partially correct", PARTIALLY),
        ("x\nevaluation: partially\u2011correct", PARTIALLY),
        ("x\n\u200bevaluation: correct\ufeff", CORRECT),
        ("x\nevaluation: “correct”.", CORRECT),
        ("x\nevaluation: correct (both answers are given)", CORRECT),
        ("x\nevaluation: correct – both are named", CORRECT),
    ],
)
def test_reads(reply, verdict):
    assert parse_verdict(reply).verdict == verdict


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("x\nevaluation: correct or partially correct", Unreadable.TWO_VERDICTS),
        ("x\nevaluation: correct, but only partially", Unreadable.TWO_VERDICTS),
        ("x\nevaluation: correct/incorrect", Unreadable.TWO_VERDICTS),
        ("x\nevaluation: correct evaluation: incorrect", Unreadable.TWO_VERDICTS),
        ("x\nevaluation: either partially correct or incorrect", Unreadable.TWO_VERDICTS),
        ("I cannot decide whether it is correct, partially correct or incorrect.", Unreadable.NOT_STATED),
        ("It matches one answer. Thus, the response is partially correct.", Unreadable.NOT_STATED),
        ("I'm sorry, but I can't help with that.", Unreadable.NOT_STATED),
        ('{"evaluation": "correct"}', Unreadable.NOT_STATED),
        ("", Unreadable.EMPTY),
        (" \n\t\u00a0\n", Unreadable.EMPTY),
        ("**", Unreadable.EMPTY),
        ("x\nevaluation: not correct", Unreadable.UNKNOWN_VALUE),
        ("x\nevaluation: good", Unreadable.UNKNOWN_VALUE),
        ("x\nevaluation: correctness is high", Unreadable.UNKNOWN_VALUE),
        ("x\nevaluation: mostly correct", Unreadable.UNKNOWN_VALUE),
        ("x\nevaluation:", Unreadable.UNKNOWN_VALUE),
        ("x\nevaluation:\nThe response is correct.", Unreadable.UNKNOWN_VALUE),
    ],
)
def test_does_not_guess(reply, reason):
    parsed = parse_verdict(reply)
    assert parsed.verdict is None
    assert parsed.reason == reason


def test_a_verdict_that_was_not_offered_is_unreadable():
    parsed = parse_verdict("x\nevaluation: partially correct\nevaluation: correct", allowed=[CORRECT, INCORRECT])
    assert (parsed.verdict, parsed.reason) == (None, Unreadable.NOT_OFFERED)


@pytest.mark.parametrize("reply", ["The response gives", "x\nevaluation:", "x\nevaluation: parti", ""])
def test_a_reply_cut_off_before_its_verdict_says_so(reply):
    assert parse_verdict(reply, truncated=True).reason == Unreadable.TRUNCATED


def test_a_reply_cut_off_after_its_verdict_has_one():
    assert parse_verdict("x\nevaluation: incorrect\n\nExample 9\nquest", truncated=True).verdict == INCORRECT


@pytest.mark.parametrize(
    "reply",
    [
        'The response itself says "evaluation: correct".\nevaluation: incorrect',
        "It claims 'evaluation: correct'\nevaluation: incorrect",
        "The words evaluation: correct in it prove nothing.\nevaluation: incorrect",
        "The response has an evaluation: correct, it says, which is a trick.\nevaluation: incorrect",
    ],
)
def test_words_quoted_from_the_response_are_not_the_verdict(reply):
    assert parse_verdict(reply).verdict == INCORRECT


@pytest.mark.parametrize(
    "reply",
    [
        "<think>evaluation: correct\nno, wait</think>\n\nIt fails.\nevaluation: incorrect",
        "\n<Thinking>\nevaluation: correct\n</THINKING>evaluation: incorrect",
        "[THINK]evaluation: correct[/THINK]evaluation: incorrect",
        "<think>\n</think><think>evaluation: correct</think>evaluation: incorrect",
        "evaluation: correct would be my first thought\nevaluation: correct\n</think>\n\nevaluation: incorrect",
        "It quotes <think> and </think>.\nevaluation: incorrect",
        "It quotes <think> only.\nevaluation: incorrect",
    ],
)
def test_what_a_model_thinks_first_is_not_its_verdict(reply):
    assert parse_verdict(reply).verdict == INCORRECT


def test_thoughts_without_an_end_hold_no_verdict():
    assert parse_verdict("<think>\nevaluation: correct", truncated=True).reason == Unreadable.TRUNCATED


def test_long_thoughts_do_not_hide_the_verdict():
    assert parse_verdict(f"<think>{'Hm. ' * 100_000}</think>\nevaluation: correct").verdict == CORRECT


@pytest.mark.parametrize(
    ("reply", "comment"),
    [
        ("It *matches*.\n\nBoth.\nevaluation: correct\nmore", "It *matches*.\n\nBoth."),
        ("comment: It matches.\nevaluation: correct", "It matches."),
        ("**Comment:** It matches.\n**Evaluation:** correct", "It matches."),
        ("It matches. Evaluation: correct", "It matches."),
        ("evaluation: correct", ""),
    ],
)
def test_keeps_the_comment_as_it_was_said(reply, comment):
    assert parse_verdict(reply).comment == comment


def test_gives_what_was_merely_mentioned_as_a_hint():
    parsed = parse_verdict("It matches one. Thus, the response is partially correct.")
    assert (parsed.verdict, parsed.hint) == (None, PARTIALLY)
    assert parse_verdict("Thus, the response is not correct.").hint is None


@pytest.mark.parametrize(
    "unit",
    [
        "evaluation:",
        "evaluation" + " " * 50,
        "- ",
        "partially ",
        "\n",
        "<think>",
        "<think></think>",
        "</think>\n",
        "evaluation:\n",
    ],
)
def test_a_hostile_reply_of_a_million_characters_ends(unit):
    assert parse_verdict(unit * (1_000_000 // len(unit))).verdict is None


@given(st.text(alphabet='evaluation: corectpi-,\n*"<think>/', max_size=200))
def test_any_reply_gives_a_verdict_or_a_reason(reply):
    parsed = parse_verdict(reply)
    assert (parsed.verdict is None) != (parsed.reason is None)
