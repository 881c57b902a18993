"""The desk's form: from posted data to content, and from content to what the templates show."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from django.http import QueryDict
from django.utils.html import escape

from .. import taxonomy
from ..content.checks import Problem, find_problems
from ..content.choices import said
from ..content.fields import FIELDS, STEPS, Content, empty_content, questions_of
from .parts import KEY, TITLE, TOKEN

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
    """What was posted, fit to be shown again even though it cannot be stored: unknown choices are left out."""
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
    def key(self) -> str:
        """What tells a field apart from others that are as empty; "" if it is not."""
        return "" if self.value or self.error or self.is_discussed else self.name


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a dimension: its name, what belongs to it in a few words, and its meaning."""

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
    """What the form's templates need; at least `questions` questions are shown. `discussed` are the fields with
    comments or suggested edits."""
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


def step_keys(context: Mapping[str, Any]) -> dict[int, tuple]:
    """For each step in which nobody has written anything, all that its part of the page depends on but what
    `with_placeholders` takes out of it: the titles in step 2."""
    if context.get("open_suggestions") or context.get("removing"):
        return {}
    tag = context["annotation"].tag
    shown = (context["must_confirm_origin"], context.get("suggestion_model"), context.get("is_new_here"))
    common = (len(context["questions"]), *shown, bool(tag.paragraph_clean))
    keys: dict[int, tuple] = {}
    for step in STEPS:
        fields = [context["fields"][name] for name, field in FIELDS.items() if field.step == step]
        chosen = tuple(str(field.value) for field in fields if FIELDS[field.name].choices)
        texts = [field for field in fields if not FIELDS[field.name].choices]
        untouched = (field.key or (field.name in ARTICLES and field.value == tag.article.title) for field in texts)
        if not any(field.error or field.is_discussed for field in fields) and all(untouched):
            keys[step] = (step, step in context["open_steps"], *common, *chosen)
    return keys


def with_placeholders(fields: Mapping[str, Shown]) -> dict[str, Any]:
    """What a part of the page is rendered with that this process keeps for all tags."""
    titles = {name: replace(fields[name], value=TITLE) for name in ARTICLES if name in fields}
    return {"annotation": SimpleNamespace(pk=KEY), "csrf_token": TOKEN, "parts": None, "fields": {**fields, **titles}}


def without_placeholders(text: str, annotation: Any, token: str) -> str:
    """Such a part for this annotation, or practice run, and this form's token."""
    own = text.replace(str(KEY), str(annotation.pk)).replace(TOKEN, token)
    # At last, as a title may say anything.
    return own.replace(TITLE, escape(annotation.tag.article.title)) if TITLE in own else own


def blank_steps(context: Mapping[str, Any]) -> set[int]:
    """The folded steps in which nothing is written or chosen, so that a browser may keep them. An open one comes with
    the page: nobody waits for the script to see it."""
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
