"""The question about an instance, and its correct answers: for rows of the database, and in a task that runs
elsewhere.
"""

import contextlib
from collections.abc import Mapping
from typing import Any

from judging.protocol.prompts import MissingValue, Template, render

from .prompts import DIFFERENT_PASSAGES, RESOLVED_PASSAGES, render_prompt

Values = Mapping[str, str | None]
# The content of an instance. Prompts use question, passage_1, passage_2, answer_1, answer_2, same_passage.
Asked = Mapping[str, Any]
# An instance's passages with the conflict resolved, `passage_1` and `passage_2`, and their common `answer`.
Resolved = Mapping[str, Any]


def values_of(instance: Asked, resolved: Resolved | None = None) -> dict[str, str | None]:
    """The values that a template may use, by name."""
    return {
        "question": instance.get("question"),
        "passage1": instance.get("passage_1"),
        "passage2": instance.get("passage_2"),
        "answer1": instance.get("answer_1"),
        "answer2": instance.get("answer_2"),
        "passage1_resolved": resolved["passage_1"] if resolved else None,
        "passage2_resolved": resolved["passage_2"] if resolved else None,
        "answer_resolved": resolved["answer"] if resolved else None,
    }


def has_same_passage(instance: Asked, applies_to: str, resolved: Resolved | None) -> bool:
    """Return whether a template shows only one passage because both are the same."""
    if applies_to == RESOLVED_PASSAGES:
        return resolved is not None and is_one_passage(resolved)
    return bool(instance.get("same_passage"))


def is_one_passage(resolved: Resolved) -> bool:
    return resolved["passage_1"].strip() == resolved["passage_2"].strip()


def prompt_of(instance: Asked, template: Template, resolved: Resolved | None) -> str:
    """The prompt. Raises MissingValue if the instance lacks a value that the template uses."""
    same_passage = has_same_passage(instance, template.applies_to, resolved)
    return render_prompt(template, values_of(instance, resolved), same_passage=same_passage)


def check_can_be_asked(
    instance: Asked, applies_to: str, resolved: Resolved | None, *, include_left_out: bool = False
) -> None:
    """Raises MissingValue, with the reason, if a template that applies to such instances cannot be used for this
    one.
    """
    if applies_to == DIFFERENT_PASSAGES and instance.get("same_passage") and not include_left_out:
        raise MissingValue("the two passages are the same")
    if applies_to == RESOLVED_PASSAGES and resolved is None:
        raise MissingValue("the conflict is not resolved yet")


def answers_that_count(correct_answers: list[str] | tuple[str, ...], values: Values) -> list[str]:
    """A template's correct answers, filled. Blank ones are left out."""
    answers = []
    for answer in correct_answers:
        with contextlib.suppress(MissingValue):
            answers.append(render(answer, values))
    return answers
