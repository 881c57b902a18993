"""The questions of a form, and answers to them, as pages show them."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ..models import Item
from ..rounds.forms import Answers, Form, words_of

register = template.Library()


@register.inclusion_tag("review/_questions.html")
def questions(form: Form, item: Item, *, deciding: bool = False) -> dict[str, Any]:
    """What the form asks of an item, without the spots that are clicked in its text; `deciding` is an adjudicator."""
    asked = [field for field in form.asked(item) if not field.most]
    return {"fields": [field for field in asked if not (deciding and field.of_judges_only)]}


@register.simple_tag
def answers_in_words(form: Form, answers: Answers) -> SafeString:
    """Answers on one line, each with its question as a tooltip."""
    shown = words_of(form, answers)
    return format_html(
        '<span class="answers">{}</span>',
        format_html_join(", ", '<span title="{}">{}</span>', ((field.question, words) for field, words in shown)),
    )


@register.simple_tag
def answers_as_list(form: Form, answers: Answers) -> SafeString:
    """Answers, each below its question."""
    shown = words_of(form, answers)
    rows = format_html_join("", "<dt>{}</dt><dd>{}</dd>", ((field.question, words) for field, words in shown))
    return format_html('<dl class="answers-list">{}</dl>', rows)
