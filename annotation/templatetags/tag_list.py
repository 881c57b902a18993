"""Words of the tag list."""

from functools import cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.outside import web_address

from ..models import Family
from ..tags.listing import FoundBy, Work
from ..tags.states import TagState

register = template.Library()
TONES = {TagState.ACCEPTED: "good", TagState.SUBMITTED: "warn", TagState.WAITING: "warn", TagState.FLAGGED: "bad"}


@register.filter
def state_chip(state: str) -> SafeString:
    return _chips()[state]


@cache
def _chips() -> dict[str, SafeString]:
    """The chip of each state: the list shows fifty of them."""
    return {
        state: format_html('<span class="chip state {}">{}</span>', TONES.get(state, ""), state.label)
        for state in TagState
    }


@register.filter
def family_label(family: str) -> str:
    return _families().get(family, family)


@cache
def _families() -> dict[str, str]:
    return {family.value: str(family.label) for family in Family}


@register.filter
def work_label(work: str) -> str:
    return str(Work(work).label)


@register.filter
def found_by_label(value: str) -> str:
    return str(FoundBy(value).label)


@register.filter
def state_tone(state: str) -> str:
    return TONES.get(TagState(state), "")


register.filter(web_address)
