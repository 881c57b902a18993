"""The desk's form: converts posted data to content, and content to the templates' values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from core.engine.fragments import placeholder

from ... import taxonomy
from ...content.checks import Problem, find_problems
from ...content.choices import said
from ...content.fields import FIELDS, STEPS, Content, empty_content, questions_of

# The fields that begin with the title of the tag's article.
ARTICLES = ("paragraphA_article", "paragraphB_article")


def content_from_post(post: QueryDict) -> dict[str, Any]:
    """The fields of a form posted without JavaScript, not yet cleaned."""
    return {
        name: post.getlist(name) if field.multiple else post.get(name, "")
        for name, field in FIELDS.items()
        if name in post
    }


def as_typed(post: QueryDict) -> Content:
    """The posted values, fit to be shown again even if they cannot be stored: unknown choices are left out."""
    content = empty_content()
    for name, value in content_from_post(post).items():
        field = FIELDS[name]
        if field.multiple:
            content[name] = [code for code in value if code in field.choices]
        elif not field.choices or value in field.choices:
            content[name] = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return content


@dataclass(frozen=True, slots=True)
class Shown:
    """One field as the page shows it."""

    name: str
    id: str
    label: str
    value: Any
    error: str = ""
    # Whether there are comments on it or edits suggested for it.
    is_discussed: bool = False

    @property
    def is_blank(self) -> bool:
        return not (self.value or self.error or self.is_discussed)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a dimension: its name, a short explanation, and its meaning."""

    code: str
    name: str
    aside: str
    definition: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    name: str
    choices: list[Choice]


@dataclass(frozen=True, slots=True)
class DimensionShown:
    dimension: taxonomy.Dimension
    field: Shown
    groups: list[ChoiceGroup]


@dataclass(frozen=True, slots=True)
class QuestionShown:
    number: int | str
    question: Shown
    answer_1: Shown
    answer_2: Shown


def desk_context(
    content: Content, problems: Sequence[Problem], *, questions: int = 1, discussed: Collection[str] = ()
) -> dict[str, Any]:
    """The context of the form's templates; at least `questions` questions are shown. `discussed` are the fields with
    comments or suggested edits.
    """
    errors = {problem.field: problem.message for problem in reversed(problems)}
    fields = {
        name: Shown(name, field.id, field.label, content[name], errors.get(name, ""), name in discussed)
        for name, field in FIELDS.items()
    }
    return {
        "fields": fields,
        "dimensions": [_dimension(dimension, fields[dimension.key]) for dimension in taxonomy.DIMENSIONS],
        "questions": [
            _question(number, fields)
            for number in range(1, min(max(len(questions_of(content)), questions, 1), 10) + 1)
        ],
        # The row that the page's script copies for a new question.
        "question_template": _blank_question(),
        "problems": problems,
        "must_confirm_origin": "origin_confirmed" in errors or content["origin_confirmed"],
        "open_steps": _open_steps(content, problems),
        "steps": STEPS,
    }


def _open_steps(content: Content, problems: Sequence[Problem]) -> set[int]:
    """The steps with problems; before the first submission, the first step that is incomplete."""
    if problems:
        return {problem.step for problem in problems}
    lacking = find_problems(content)
    return {lacking[0].step} if lacking else set()


def untouched_steps(context: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """For each step that is still empty, the values that its part of the page shows."""
    if context.get("open_suggestions") or context.get("removing"):
        return {}
    tag = context["annotation"].tag
    shared = {name: context.get(name) for name in ("is_new_here", "suggestion_model", "save_address")}
    shared |= {"removing": "", "compare_address": "", "comment_counts": {}, "edits": {}, "open_suggestions": {}}
    own: dict[int, dict[str, Any]] = {
        2: {"tag": {"paragraph_clean": bool(tag.paragraph_clean)}},
        4: {name: context[name] for name in ("dimensions", "must_confirm_origin")},
        5: {"questions": context["questions"]},
    }
    title = tag.article.title
    untouched = {}
    for step in STEPS:
        fields = {name: context["fields"][name] for name, field in FIELDS.items() if field.step == step}
        if all(_is_untouched(field, title) for field in fields.values()):
            open_steps = {step} & context["open_steps"]
            shown = {name: _for_any_title(field, title) for name, field in fields.items()}
            untouched[step] = {**shared, **own.get(step, {}), "fields": shown, "open_steps": open_steps}
    return untouched


def _is_untouched(field: Shown, title: str) -> bool:
    begins = ("", title) if field.name in ARTICLES else ("",)
    is_written = not FIELDS[field.name].choices and field.value not in begins
    return not (is_written or field.error or field.is_discussed)


def _for_any_title(field: Shown, title: str) -> Shown:
    is_title = field.name in ARTICLES and field.value == title
    return replace(field, value=placeholder("annotation.tag.article.title")) if is_title else field


def blank_steps(context: Mapping[str, Any]) -> set[int]:
    """The folded steps in which nothing is written or chosen, which a browser may keep. An open step comes with the
    page, so that nobody waits for the script to show it.
    """
    filled = {FIELDS[name].step for name, field in context["fields"].items() if field.value}
    return STEPS.keys() - filled - context["open_steps"]


def _question(number: int, fields: dict[str, Shown]) -> QuestionShown:
    parts = (f"question{number}", f"question{number}_answer1", f"question{number}_answer2")
    return QuestionShown(number, *(fields[part] for part in parts))


def _blank_question() -> QuestionShown:
    parts = ("question0", "question0_answer1", "question0_answer2")
    return QuestionShown("0", *(Shown(part, "f-" + part, "", "") for part in parts))


def _dimension(dimension: taxonomy.Dimension, field: Shown) -> DimensionShown:
    groups: dict[str, list[Choice]] = {}
    for option in dimension.options:
        level, name, aside = said(option)
        chosen = option.code in field.value
        groups.setdefault(level, []).append(Choice(option.code, name, aside, option.definition, chosen))
    return DimensionShown(dimension, field, [ChoiceGroup(*group) for group in groups.items()])
