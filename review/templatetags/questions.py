"""The questions of a questionnaire, and answers to them, for pages."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ..models import Item
from ..rounds.adjudication import Side
from ..rounds.questionnaires import Answers, Questionnaire, words_of

register = template.Library()


@register.inclusion_tag("review/_questions.html")
def questions(questionnaire: Questionnaire, item: Item, *, deciding: bool = False) -> dict[str, Any]:
    """The questions of the questionnaire about an item, without positions that are clicked in its text; `deciding` is
    an adjudicator.
    """
    asked = [field for field in questionnaire.asked(item) if not field.most]
    return {"fields": [field for field in asked if not (deciding and field.of_judges_only)]}


@register.simple_tag
def answers_in_words(questionnaire: Questionnaire, answers: Answers) -> SafeString:
    """Answers on one line, each with the name of its question, which is its tooltip."""
    said = ((field.question, field.name, words) for field, words in words_of(questionnaire, answers))
    return format_html_join(", ", '<span title="{}"><span class="muted">{}</span> {}</span>', said)


@register.simple_tag
def answers_as_list(
    questionnaire: Questionnaire, answers: Answers, item: Item, sides: Iterable[Side] = ()
) -> SafeString:
    """Answers about an item, each below its question; those that differ between the sides are marked."""
    given = [side.answers for side in sides if side.answers is not None]
    differing = {name for name in answers if any(each.get(name) != answers[name] for each in given)}
    rows = (
        (field.question, "differs" if field.name in differing else "", words)
        for field, words in words_of(questionnaire, answers, item)
    )
    row = '<dt>{}</dt><dd class="{}">{}</dd>'
    return format_html('<dl class="answers-list">{}</dl>', format_html_join("", row, rows))
