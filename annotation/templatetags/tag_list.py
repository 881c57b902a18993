"""Words of the tag list."""

from functools import cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from core.outside import web_address

from ..models import Family
from ..tags.listing import FoundBy, Work
from ..tags.states import TagState

register = template.Library()
TONES = {TagState.ACCEPTED: "good", TagState.SUBMITTED: "warn", TagState.WAITING: "warn", TagState.FLAGGED: "bad"}


@register.filter
def state_chip(state: str) -> SafeString:
    return _chips(get_language())[state]


@cache
def _chips(language: str | None) -> dict[str, SafeString]:
    """The chip of each state, in the present language: the list shows fifty of them."""
    return {
        state: format_html('<span class="chip state {}">{}</span>', TONES.get(state, ""), state.label)
        for state in TagState
    }


@register.filter
def family_label(family: str) -> str:
    return _families().get(family, family)


@cache
def _families() -> dict[str, str]:
    return {family.value: family.label for family in Family}


@register.filter
def work_label(work: str) -> str:
    return Work(work).label


@register.filter
def found_by_label(value: str) -> str:
    return FoundBy(value).label


@register.filter
def state_tone(state: str) -> str:
    return TONES.get(TagState(state), "")


register.filter(web_address)
