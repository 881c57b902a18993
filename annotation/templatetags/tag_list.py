"""Words of the tag list."""

from django import template

from core.outside import web_address

from ..tags.listing import TagState, Work

register = template.Library()
TONES = {
    TagState.ACCEPTED: "good",
    TagState.SUBMITTED: "warn",
    TagState.WAITING: "warn",
    TagState.FLAGGED: "bad",
}


@register.filter
def state_label(state: str) -> str:
    return str(TagState(state).label)


@register.filter
def work_label(work: str) -> str:
    return str(Work(work).label)


@register.filter
def state_tone(state: str) -> str:
    return TONES.get(TagState(state), "")


register.filter(web_address)
