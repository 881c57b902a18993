"""Prompts as the paper's runs sent them."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.wikicontradict.protocol.prompts import PROTOCOL, TEMPLATES, check_template_text, render_prompt
from judging.protocol.prompts import MissingValue, chat_messages, placeholders, render
from judging.protocol.verdicts import Verdict

VALUES: dict[str, str | None] = {
    "question": "How old?",
    "passage1": "She is 115.",
    "passage2": "She is 117.",
    "passage1_resolved": "She is 117!",
    "passage2_resolved": "She is 117.",
    "answer1": "115",
    "answer2": "117",
    "answer_resolved": "117",
}


@pytest.mark.released
def test_the_released_inputs_are_reproduced_byte_for_byte(released_data):
    """All of templates 1, 3, 4 and 5, but for what the release itself has wrong: the input of template 2 holds the
    answer, and for two instances with one passage the runs of some models hold it twice."""
    released = json.loads((released_data / "wikicontradict_humaneval_sample.json").read_text("utf-8"))
    same: Counter[str] = Counter()
    passage_twice = []
    for model, instances in released.items():
        wrapping = PROTOCOL["wrapping"].get(model, "{prompt}")
        for instance in instances:
            values = {
                "question": instance["question1"],
                "passage1": instance["question1_context1"],
                "passage2": instance["question1_context2"],
            }
            for number in "1345":
                sent = instance[f"ModelInput_prompt_{int(number) - 1}"]
                same_passage = instance["samepassage"] == "Same"
                prompt = render_prompt(TEMPLATES[number], values, same_passage=same_passage)
                if sent == render(wrapping, {"prompt": prompt}):
                    same[number] += 1
                else:
                    passage_twice.append((model, instance["question_ID"], number))
                    assert sent == render_prompt(TEMPLATES[number], values), "and not the passage twice either"
            assert instance["ModelInput_prompt_1"] == instance["ModelAnswer_prompt_1"]
            for number in "12345":
                answers = {"answer1": instance["question1_answer1"], "answer2": instance["question1_answer2"]}
                gold = " | ".join(render(answer, answers) for answer in TEMPLATES[number].correct_answers)
                assert gold == instance[f"goldAnswer_prompt_{int(number) - 1}"]
    assert same == {"1": 144, "3": 144, "4": 142, "5": 142}
    mixtral = "mixtral-8x7b-instruct-v0-1"
    assert sorted(passage_twice) == [(mixtral, question, number) for question in (33, 41) for number in "45"]


def test_the_nine_templates_are_there():
    assert list(TEMPLATES) == ["1", "2", "3", "4", "5", "5.1", "5.2", "5.3", "5.4"]
    for template in TEMPLATES.values():
        check_template_text(template.text)
        check_template_text(template.other_text or template.text)


def test_templates_2_and_3_offer_two_verdicts():
    for number, template in TEMPLATES.items():
        assert (Verdict.PARTIALLY_CORRECT in template.verdicts) == (number not in {"2", "3"})


@pytest.mark.parametrize(
    ("number", "context"),
    [
        ("2", "Context: She is 115.\n"),
        ("3", "Context: She is 117.\n"),
        ("4", "Context: She is 115.\n She is 117.\n"),
        ("5", "Context: She is 115.\n She is 117.\n"),
        ("5.1", "Context: She is 117.\n She is 115.\n"),
        ("5.2", "Context: She is 115.\n She is 117.\n\nDoes"),
        ("5.3", "Context: She is 117!\n She is 117.\n"),
        ("5.4", "Context: She is 117!\n She is 117.\n\nDoes"),
    ],
)
def test_passages_stand_in_the_order_of_the_template(number, context):
    assert context in render_prompt(TEMPLATES[number], VALUES)


@pytest.mark.parametrize("number", ["4", "5", "5.1", "5.2", "5.3", "5.4"])
def test_one_and_the_same_passage_is_given_once(number):
    passage = VALUES["passage1_resolved" if number in {"5.3", "5.4"} else "passage1"]
    prompt = render_prompt(TEMPLATES[number], VALUES, same_passage=True)
    assert f"Context: {passage}\n" in prompt
    assert prompt.count("She is") == 1


@pytest.mark.parametrize("number", list(TEMPLATES))
@pytest.mark.parametrize("empty", ["", None])
def test_a_missing_value_raises(number, empty):
    for name in placeholders(TEMPLATES[number].text):
        with pytest.raises(MissingValue, match=name):
            render_prompt(TEMPLATES[number], VALUES | {name: empty})


def test_what_looks_like_a_placeholder_in_a_passage_stays_text():
    passage = " {question} {passage2} {{x}} \\1 \r\n\u00a0"
    assert render("{passage1}{question}", {"passage1": passage, "question": "Q"}) == passage + "Q"


@given(st.dictionaries(st.sampled_from(["question", "passage1"]), st.text(min_size=1), min_size=2))
def test_values_are_never_changed(values):
    assert render("a{question}b{passage1}c", values) == f"a{values['question']}b{values['passage1']}c"


@pytest.mark.parametrize(
    ("number", "answers"),
    [("1", ["115", "117"]), ("2", ["115"]), ("3", ["117"]), ("5.1", ["115", "117"]), ("5.3", ["117"])],
)
def test_gold_answers_go_by_template(number, answers):
    assert [render(answer, VALUES) for answer in TEMPLATES[number].correct_answers] == answers


@pytest.mark.parametrize("text", ["{question} {passage3}", "{passage1}", ""])
def test_a_template_that_could_not_be_used_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011
        check_template_text(text)


def test_the_system_message_is_empty_as_in_the_runs_or_left_out():
    assert chat_messages("Q") == [{"role": "system", "content": ""}, {"role": "user", "content": "Q"}]
    assert chat_messages("Q", empty_system=False) == [{"role": "user", "content": "Q"}]
