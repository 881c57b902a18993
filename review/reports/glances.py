"""Glances at reports for their list: the headline, and a thumbnail of the first plot, kept for some minutes and by
language.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.utils import timezone
from django.utils.translation import get_language

from core.languages import translated

from .drawing.thumbnails import thumbnail
from .registry import all_reports, make_report
from .scope import Scope

# In seconds. A list that is opened again costs no report; the page says of when a figure is.
KEPT_FOR = 300


@dataclass(frozen=True, slots=True)
class Glance:
    """`empty` says how to fill a report without a headline. The thumbnail is an SVG element; empty without a plot."""

    headline: str
    # Whether the headline is the report's first sentence, as it has no figure.
    is_sentence: bool
    empty: str
    thumbnail: str
    at: datetime


def glance_of(name: str, scope: Scope) -> Glance:
    """The headline of a report over everything that its reader may see, up to KEPT_FOR seconds old."""
    key = f"report-glance-{get_language()}-{name}-{'-'.join(str(each.pk) for each in scope.hidden)}"
    found = cache.get(key)
    if not isinstance(found, Glance):
        found = _glance(name, replace(scope, takes_earlier=True))
        cache.set(key, found, KEPT_FOR)
    return found


def _glance(name: str, scope: Scope) -> Glance:
    entry = all_reports()[name]
    options: dict[str, Any] = {"by": entry.breakdowns[0], "page": 1} if entry.breakdowns else {}
    report = make_report(name, scope, **options)
    if not report.lead:
        return Glance("", False, translated(report.empty), "", timezone.now())
    headline = entry.headline_of(report)
    drawn = thumbnail(report.plots[0]) if report.plots else ""
    return Glance(translated(headline), headline == report.lead[0], "", drawn, timezone.now())
