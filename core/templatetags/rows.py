"""Elements of list rows, rendered cheaply: a page has hundreds of each. What is kept is kept by language."""

from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from django import template
from django.contrib.humanize.templatetags.humanize import NaturalTimeFormatter, naturaltime
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince
from django.utils.translation import get_language

from ..languages import Text, changed

register = template.Library()


@register.filter
def ago(at: datetime | None) -> SafeString | str:
    """The time as an element: "5 minutes ago", with the exact one on hover."""
    if at is None:
        return ""
    # All of it is made here, of numbers and our own words.
    words = time_since(at, timezone.now())
    return mark_safe(f"{_opening(at, timezone.get_current_timezone(), get_language())}{words}</time>")  # noqa: S308


@lru_cache(maxsize=5_000)  # whoever looks at a list again sees the same times
def _opening(at: datetime, zone: tzinfo, language: str | None) -> str:
    local = at.astimezone(zone)
    return f'<time datetime="{local.isoformat()}" title="{date_format(local, "DATETIME_FORMAT")}">'


def time_since(at: datetime, now: datetime) -> str:
    """The text of `naturaltime` for a time at `now`, at a fraction of its cost, from one second ago."""
    gone = now - at
    if gone < timedelta(seconds=1):
        return str(naturaltime(at))
    if gone.days >= 28:
        return _since(at, at + timedelta(days=gone.days), get_language())  # nothing below a day is said
    if gone.days:
        return _days_ago(gone.days, gone.seconds // 3600 if gone.days < 7 else 0, get_language())
    for unit, seconds in (("hour", 3600), ("minute", 60)):
        if gone.seconds >= seconds:
            return _ago(unit, gone.seconds // seconds, get_language())
    return _ago("second", gone.seconds, get_language())


@lru_cache
def _ago(unit: str, count: int, language: str | None) -> str:
    return str(NaturalTimeFormatter.time_strings[f"past-{unit}"] % {"count": count})


@lru_cache(maxsize=200)
def _days_ago(days: int, hours: int, language: str | None) -> str:
    now = timezone.now()
    return _since(now - timedelta(days=days, hours=hours), now, language)


@lru_cache(maxsize=5_000)
def _since(at: datetime, now: datetime, language: str | None) -> str:
    delta = timesince(at, now, time_strings=NaturalTimeFormatter.past_substrings)
    return str(NaturalTimeFormatter.time_strings["past-day"] % {"delta": delta})


@register.filter
def short(text: str, most: int) -> str:
    """The text, cut to this number of characters. Django's function for it takes thirty times as long."""
    if isinstance(text, Text):
        return changed(text, lambda shown: _cut(shown, most))
    return _cut(text, most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
