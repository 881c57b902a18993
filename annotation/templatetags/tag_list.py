"""Addresses and words of the tag list."""

from dataclasses import asdict, fields
from urllib.parse import urlencode

from django import template

from core.outside import web_address

from ..tags.listing import TagFilter, TagState, Work

register = template.Library()
DEFAULTS = {field.name: field.default for field in fields(TagFilter)}
TONES = {
    TagState.ACCEPTED: "good",
    TagState.SUBMITTED: "warn",
    TagState.WAITING: "warn",
    TagState.FLAGGED: "bad",
}


@register.simple_tag
def list_address(chosen: TagFilter, **changes: object) -> str:
    """The address of the list with these filters changed; what is not filtered does not stand in it."""
    values = {**asdict(chosen), **changes}
    return "?" + urlencode({name: value for name, value in values.items() if value != DEFAULTS[name]})


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
