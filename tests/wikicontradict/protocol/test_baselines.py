"""The answerers and the judge that need no model."""

import json

import pytest

from benchmarks.wikicontradict.protocol.answerers import ANSWERERS, shown_passages
from benchmarks.wikicontradict.protocol.baseline_judge import judge_by_matching, sentences_of
from benchmarks.wikicontradict.protocol.prompts import TEMPLATES
from judging.protocol.verdicts import Verdict
from tests.annotation.wikitext.sentence_cases import CASES

VALUES: dict[str, str | None] = {
    "question": "How old?",
    "passage1": "She is 115.\n",
    "passage2": "She is 117.",
    "passage1_resolved": "She is 117!",
    "passage2_resolved": "She is 117.",
}
BORN = "When was Paul McCole born?"
DATES = ["1 February 1972", "10 February 1972"]
ASKED = "Was Paul McCole born in Glasgow?"


def passages(number: str) -> list[str]:
    return shown_passages(TEMPLATES[number].text, VALUES)


def test_passage_1_only_quotes_the_passage_that_the_template_shows():
    answer = ANSWERERS["passage 1 only"]
    assert "“She is 115.”" in answer(passages("4"))
    assert "“She is 115.”" in answer(passages("5.1"))
    assert "“She is 117.”" in answer(passages("3"))
    assert "“She is 117!”" in answer(passages("5.4"))
    assert "She" not in answer(passages("1"))


def test_both_passages_quotes_both_and_names_the_conflict():
    answer = ANSWERERS["both passages"](passages("5"))
    assert "contradictory" in answer
    assert "“She is 115.”" in answer
    assert "“She is 117.”" in answer


@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        ("He was born on 1 February 1972 or, as another source has it, on 10 February 1972.", Verdict.CORRECT),
        ("\nAnswer: Either February 1, 1972 or February 10, 1972.", Verdict.CORRECT),
        ("On 1 February 1972. However, another passage says 10 February 1972.", Verdict.CORRECT),
        ("Sources conflict: 1 February 1972, 10 February 1972. Probably the first.", Verdict.PARTIALLY_CORRECT),
        ("Although some say 1 February 1972, it was 10 February 1972.", Verdict.PARTIALLY_CORRECT),
        (
            "One source says 1 February 1972, another 10 February 1972. Therefore, it is 10 February 1972.",
            Verdict.PARTIALLY_CORRECT,
        ),
        ("He was born on 10 February 1972.", Verdict.PARTIALLY_CORRECT),
        ("He was born on two dates: 1 February 1972 and 10 February 1972.", Verdict.INCORRECT),
        ("He was born in 1980.", Verdict.INCORRECT),
        ("I do not know.", Verdict.INCORRECT),
        ("", Verdict.INCORRECT),
    ],
)
def test_judges_by_the_answers_found(response, verdict):
    assert judge_by_matching(BORN, DATES, response).verdict == verdict


@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        ("Yes.", Verdict.PARTIALLY_CORRECT),
        ("No, he was born in Ayr.", Verdict.PARTIALLY_CORRECT),
        ("He was born in Glasgow.", Verdict.PARTIALLY_CORRECT),
        ("He was not born in Glasgow.", Verdict.PARTIALLY_CORRECT),
        (r"\boxed{\text{Yes}}", Verdict.PARTIALLY_CORRECT),
        ("Yes and no.", Verdict.CORRECT),
        ("The context is contradictory about his birth.", Verdict.CORRECT),
        ("Yes, he was born in Glasgow. However, he was also said not to be born in Glasgow.", Verdict.CORRECT),
        ("I'm not aware of any such person.", Verdict.INCORRECT),
        ("The context does not provide his place of birth.", Verdict.INCORRECT),
        ("", Verdict.INCORRECT),
    ],
)
def test_judges_yes_and_no_by_what_is_meant(response, verdict):
    assert judge_by_matching(ASKED, ["Yes", "No"], response).verdict == verdict


@pytest.mark.parametrize(
    ("response", "verdict"), [("Yes, he was.", Verdict.CORRECT), ("He was not.", Verdict.INCORRECT)]
)
def test_with_one_gold_answer_there_are_two_verdicts(response, verdict):
    judged = judge_by_matching(ASKED, ["Yes"], response, allowed=TEMPLATES["2"].verdicts)
    assert judged.verdict == verdict


@pytest.mark.parametrize(
    ("expects", "response", "verdict"),
    [
        ("conflict", "Yes. The passages give different ages.", Verdict.CORRECT),
        ("conflict", "No, they agree.", Verdict.INCORRECT),
        ("no conflict", "No, both say 117.", Verdict.CORRECT),
        ("no conflict", "Yes, it contains conflicting information.", Verdict.INCORRECT),
    ],
)
def test_asked_for_a_conflict_yes_or_no_counts(expects, response, verdict):
    assert judge_by_matching(BORN, DATES, response, expects=expects).verdict == verdict


@pytest.mark.parametrize(("text", "parts"), CASES)
def test_its_own_splitter_knows_abbreviations_and_initials_too(text, parts):
    assert sentences_of(text) == parts


def test_a_conclusion_for_a_name_with_initials_prefers_it():
    response = "The contexts conflict: J. Graye or J. Velm. In conclusion, J. Graye built it."
    verdict = judge_by_matching("Who built it?", ["J. Graye", "J. Velm"], response).verdict
    assert verdict == Verdict.PARTIALLY_CORRECT


def test_says_what_was_found():
    comment = judge_by_matching(BORN, DATES, "On 10 February 1972.").comment
    assert comment == "Found: 10 February 1972. Not found: 1 February 1972."


@pytest.mark.released
def test_beats_the_most_frequent_label_on_the_released_sample(released_data):
    from speed.statistics.judge_baseline import judged

    rows = judged(json.loads((released_data / "wikicontradict_humaneval_sample.json").read_text("utf-8")))
    assert len(rows) == 678
    most_frequent = max(sum(row["human"] == verdict for row in rows) for verdict in Verdict)
    assert sum(row["human"] == row["ours"] for row in rows) > most_frequent
