"""The prompts of the twelve conditions, to the byte."""

import pytest

from benchmarks.conflictbank import items as item
from benchmarks.conflictbank import prompts
from benchmarks.conflictbank.conditions import CONDITIONS, CONFLICT_FIRST, DEFAULT_FIRST, DRAWN
from benchmarks.conflictbank.prompts import CODE, PAPER, Asked
from judging.protocol.prompts import placeholders, render
from tests.conflictbank.items.test_items import RECORD

DEFAULT_TEXT = "Hal Holt resides in New Esk; see https:\\/\\/example.org."
TEMPORAL_TEXT = "From 10 April, 2028 on, Hal Holt resides in Port Brenna."
QUESTION = "Question: Where does Hal Holt reside?"
OPTIONS = "A. Port Dunmere\nB. Port Brenna\nC. New Esk\nD. uncertain\nAnswer:"


def prompt(condition, order="", which=PAPER, content=RECORD):
    text = prompts.text_of(Asked("text", CONDITIONS[condition], order), which)
    return render(text, prompts.values_of(content))


def test_without_evidence():
    assert prompt("default") == f"{prompts.BY_MEMORY}\n\n{QUESTION}\n{OPTIONS}"


@pytest.mark.parametrize("which", [PAPER, CODE])
def test_with_one_text(which):
    expected = f"{prompts.BY_EVIDENCE}\n\nEvidence: {DEFAULT_TEXT}\n{QUESTION}\n{OPTIONS}"
    assert prompt("correct", which=which) == expected


def test_with_two_texts_in_a_forced_order():
    head = f"{prompts.BY_EVIDENCE}\n\n"
    assert (
        prompt("correct_temporal", DEFAULT_FIRST)
        == f"{head}Evidence1: {DEFAULT_TEXT}\nEvidence2: {TEMPORAL_TEXT}\n{QUESTION}\n{OPTIONS}"
    )
    assert (
        prompt("correct_temporal", CONFLICT_FIRST, CODE)
        == f"{head}Evidence: {TEMPORAL_TEXT}\n{DEFAULT_TEXT}\n{QUESTION}\n{OPTIONS}"
    )


def test_the_drawn_order_is_one_of_the_two_and_stays():
    seen = set()
    for number in range(50):
        content = RECORD | {"subject": f"Hal {number}"}
        drawn = prompt("correct_semantic", DRAWN, content=content)
        order = Asked("text", CONDITIONS["correct_semantic"], DRAWN).order_for(content)
        assert drawn == prompt("correct_semantic", order, content=content)
        assert order == prompts.order_of(content | {"default_evidence": "Another text."}, item.SEMANTIC)
        seen.add(order)
    assert seen == {DEFAULT_FIRST, CONFLICT_FIRST}


def test_a_temporal_description_adds_the_span():
    assert f"{QUESTION} from 10 April, 2028 to 21 July, 2036\nA. " in prompt("temporal_description")
    year = RECORD | {"temporal_conflict_time_span": ["2033"]}
    assert f"{QUESTION} in 2033\nA. " in prompt("temporal_description", content=year)


def test_a_semantic_description_says_what_the_subject_means():
    said = prompt("semantic_description")
    assert f"{QUESTION}\nHal Holt in this question means invented street\nA. " in said
    spelled = "Hal Holt in this quesion means invented street"
    assert spelled in prompt("correct_semantic_description", DRAWN, CODE)


@pytest.mark.parametrize("name", ["{evidence} {A}", "{question}", "{{B}}"])
def test_braces_in_a_name_stay_text(name):
    content = RECORD | {"options": ["Port Dunmere", "Port Brenna", name, "uncertain"], "object": name}
    assert f"\nC. {name}\nD. uncertain" in prompt("correct", content=content)


def test_every_condition_has_its_templates_with_known_placeholders():
    asked = list(prompts.asked_by("option"))
    assert len(asked) == 12 + 2 * 5
    assert len({each.code for each in asked}) == len(asked)
    for each in asked:
        wordings = prompts.wordings_of(each)
        # The two wordings differ where there are two texts, or a description of the subject.
        differs = each.condition.has_order or each.condition.code == "semantic_description"
        assert len(wordings) == 1 + differs
        for wording in wordings:
            assert placeholders(wording.text) <= prompts.PLACEHOLDERS
    assert asked[0].code == "conflictbank-option-default"
    assert asked[-1].code == "conflictbank-option-correct-semantic-description-conflict-first"
