"""The forms in which models write thoughts into their text, and marks that are left in an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.protocol.thoughts import marks_left, split_thoughts

WHOLE = (
    "<|start|>assistant<|channel|>analysis<|message|>Hm<|end|>"
    "<|start|>assistant<|channel|>final<|message|>In 1903.<|return|>"
)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        WHOLE.removeprefix("<|start|>assistant"),
        WHOLE.removeprefix("<|start|>assistant<|channel|>analysis<|message|>"),
        WHOLE.replace("analysis", "commentary"),
        WHOLE.removesuffix("<|return|>"),
        "analysisHmassistantfinalIn 1903.",
        "analysis\nHm\nassistantfinal\nIn 1903.",
        "<|START_THINKING|>Hm<|END_THINKING|><|START_RESPONSE|>In 1903.<|END_RESPONSE|>",
        "<|START_THINKING|>Hm<|END_THINKING|>In 1903.",
        "Hm<|END_THINKING|><|START_RESPONSE|>In 1903.<|END_RESPONSE|>",
        "<|begin_of_thought|>\nHm\n<|end_of_thought|>\n<|begin_of_solution|>\nIn 1903.\n<|end_of_solution|>",
        '<think type="x">Hm</think>In 1903.',
        "<think type='x' depth=2>Hm</think>In 1903.",
        "< Think >Hm</ think >In 1903.",
        "<thinking>Hm</thinking>In 1903.",
        "<reasoning>Hm</reasoning>In 1903.",
        "<thought>Hm</thought>In 1903.",
        "<seed:think>Hm</seed:think>In 1903.",
        "[THINK]Hm[/THINK]In 1903.",
        "<think>Hm</think><answer>In 1903.</answer>",
        "<|think|>Hm<|end|><|content|>In 1903.",
        "<|think|>Hm<|end|><|begin|>assistant<|content|>In 1903.",
        "<|channel>thought\nHm<channel|>In 1903.",
        "Here is my thought process: Hm\n\nHere is my response: In 1903.",
        "Here's my thought process:\nHm\nHere’s my response:\nIn 1903.",
        "Hm\n</think>In 1903.",
    ],
)
def test_the_final_part_is_the_answer(text):
    split = split_thoughts(text)
    assert (split.answer, split.thoughts) == ("In 1903.", "Hm")
    assert marks_left(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>analysis<|message|>Hm, it is",
        "analysisHm, it is",
        "<|START_THINKING|>Hm, it is",
        "<|begin_of_thought|>Hm, it is",
        '<think type="x">Hm, it is',
    ],
)
def test_thoughts_that_never_end_leave_no_answer(text):
    assert (split_thoughts(text).answer, split_thoughts(text).thoughts) == ("", "Hm, it is")


@pytest.mark.parametrize(
    "text",
    [
        "Analysis of the passages: they conflict.",
        "analysis of the passages shows a conflict.",
        "analysis: both are given.",
        "Final answer: 1903.",
        'analysis and "assistantfinal" are words of a format.',
        "[Thought by many to be 1903] It is 1899.",
        "[Reasoning] It is 1899.",
        "The assistant final report says 1903.",
        "commentary on the passages differs.",
        "The list [1] has a < b.",
    ],
)
def test_a_normal_answer_is_never_cut_nor_flagged_for_words(text):
    assert split_thoughts(text).answer == text
    assert not split_thoughts(text).thoughts
    assert "assistantfinal" in text or marks_left(text) == []


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("<scratchpad>Hm</scratchpad>In 1903.", "<scratchpad>"),
        ("<|channel|>musing<|message|>Hm", "<|channel|>"),
        ("<|inner_voice|>Hm", "<|inner_voice|>"),
        ("It quotes <think> only.", "<think>"),
        ("Here is my thought process: Hm", "Here is my thought process:"),
        ("<|channel>musing\nHm", "<|channel>"),
        ("<deep_thinking>Hm</deep_thinking>1903", "<deep_thinking>"),
        ("<｜thoughts▁begin｜>Hm", "<｜thoughts▁begin｜>"),
    ],
)
def test_a_mark_that_is_not_recognised_stays_and_is_flagged(text, mark):
    assert split_thoughts(text).answer == text
    assert mark in marks_left(text)


@given(st.text(st.characters(exclude_characters="<[◁", exclude_categories=["Cs"])))
def test_text_without_marks_comes_out_unchanged(text):
    if not text.lstrip().startswith(("analysis", "commentary", "assistant")):
        assert split_thoughts(text).answer == text


PARTS = [
    "<think>",
    "</think>",
    "<|channel|>",
    "final",
    "analysis",
    "<|message|>",
    "<|end|>",
    "assistantfinal",
    "A b.",
    "\n",
    "[THINK]",
]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_any_order_of_marks_is_split_and_nothing_is_invented(text):
    split = split_thoughts(text)
    assert len(split.answer) <= len(text)
    marks_left(text)
