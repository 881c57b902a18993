"""Money, time and shares in words, and the bar of a run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal

from django import template
from django.db.models import QuerySet
from django.forms import BoundField
from django.forms.boundfield import BoundWidget

from annotation.kinds.registry import name_of
from core.languages import say
from core.outside import whole_number
from core.words import money

from ..catalogue.purposes import purpose_of
from ..endpoints.reasons import reason_in_words
from ..models import Attempt, AttemptOutcome, BatchState, Call, CallBatch, CallState, Mark, Reading, RunState
from ..protocol.prompts import PLACEHOLDER
from ..protocol.tasks import task_of
from ..runs.progress.progress import Counts

register = template.Library()

# Outcomes of calls, in the order of the bar: field, label, sign. Sign and pattern convey them without colour.
PARTS = (
    ("done", say("Done"), "●"),
    ("in_doubt", say("In doubt"), "▲"),
    ("failed", say("Failed"), "■"),
    ("sent", say("In progress"), "◌"),
    ("left", say("Left"), "○"),
    ("cancelled", say("Cancelled"), "×"),
)
STATE_TONES: dict[str, str] = {
    RunState.RUNNING: "good",
    RunState.PAUSED: "warn",
    RunState.STOPPED: "warn",
    CallState.DONE: "good",
    CallState.IN_DOUBT: "warn",
    CallState.FAILED: "bad",
}
BAR_LENGTH = 1000


register.filter("benchmark_name", name_of)
register.filter(money)


@dataclass(frozen=True, slots=True)
class PromptGroup:
    """The prompts of a benchmark to choose from: open if one of its `releases` is chosen, or a prompt is ticked."""

    name: str
    options: list[BoundWidget]
    releases: list[int]
    is_open: bool


@register.filter
def by_benchmark(field: BoundField) -> list[PromptGroup]:
    """The choices among templates, in a group for each benchmark."""
    groups: dict[str, list[BoundWidget]] = {}
    for option in field:
        groups.setdefault(option.data["value"].instance.benchmark, []).append(option)
    of_release = field.form["release"]
    releases: QuerySet = of_release.field.queryset  # type: ignore[attr-defined]
    benchmarks = dict(releases.values_list("pk", "benchmark"))
    chosen = benchmarks.get(whole_number(str(of_release.value())), next(iter(benchmarks.values()), ""))
    return [
        PromptGroup(
            name_of(code),
            options,
            [pk for pk, benchmark in benchmarks.items() if benchmark == code],
            is_open=code == chosen or any(option.data["selected"] for option in options),
        )
        for code, options in groups.items()
    ]


@register.filter
def call_subject(call: Call) -> str:
    """The subject of a call, in a line."""
    return purpose_of(call).listed(call)


@register.simple_tag
def reading_about(reading: Reading) -> Mapping[str, object]:
    """The display of a readable reading on a response's page: its task's template, and the template's values."""
    try:
        task = task_of(reading.task)
    except KeyError:  # its module is gone
        return {}
    return {"template": task.template, **task.about(reading.response.instance.content, reading.value)}


@register.filter
def duration(time: timedelta | None) -> str:
    """ "40 s", "12 min", "3 h 20 min": the time in the precision needed by a waiting person."""
    if time is None:
        return "–"
    seconds = int(Decimal(time.total_seconds()).to_integral_value(ROUND_CEILING))
    if seconds < 90:
        return f"{seconds} s"
    minutes = -(-seconds // 60)
    if minutes < 90:
        return say("{minutes} min", minutes=minutes)
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return say("{hours} h {minutes} min", hours=hours, minutes=minutes) if minutes else f"{hours} h"
    return say("{days} days", days=hours // 24)


@register.filter
def share(part: int, whole: int) -> str:
    """ "12.5%"; a dash if `whole` is 0."""
    return say("{percent:.1f}%", percent=100 * part / whole) if whole else "–"


register.filter("state_tone", lambda state: STATE_TONES.get(state, ""))

# How a batch is, as its provider says it: in words, and in which tone.
PROVIDER_STATUSES = {
    "cancelled": (say("Cancelled"), "warn"),
    "cancelling": (say("Being cancelled"), "warn"),
    "completed": (say("Complete"), "good"),
    "expired": (say("Out of time"), "warn"),
    "failed": (say("Not accepted"), "bad"),
    "finalizing": (say("Results being put together"), ""),
    "in_progress": (say("In progress"), ""),
    "validating": (say("Being checked"), ""),
}


@register.filter
def batch_state(batch: CallBatch) -> str:
    """The state of a batch; at the provider, the provider's own word if it is not one of ours."""
    if batch.state == BatchState.ENDED and not batch.provider_id:
        return say("Not sent")
    if batch.state in (BatchState.UNDER_WAY, BatchState.ENDED):
        return PROVIDER_STATUSES.get(batch.provider_status, (batch.provider_status or say("At the provider"), ""))[0]
    return str(batch.get_state_display())


@register.filter
def batch_tone(batch: CallBatch) -> str:
    if batch.state == BatchState.ENDED and not batch.provider_id:
        return "bad"
    return PROVIDER_STATUSES.get(batch.provider_status, ("", ""))[1]


register.filter("reason_in_words", reason_in_words)
register.filter("mark_label", lambda mark: str(Mark(mark).label))
register.filter("item", lambda values, key: values.get(key))


@register.inclusion_tag("judging/_bar.html")
def run_bar(counts: Counts, number: int) -> dict[str, object]:
    """The calls of a run as one bar; `number` keeps its pattern names unique on a page with several."""
    parts, start = [], 0.0
    for name, label, sign in PARTS:
        count = getattr(counts, name)
        length = BAR_LENGTH * count / counts.total if counts.total else 0.0
        if count:
            parts.append({"name": name, "label": label, "sign": sign, "count": count, "x": start, "length": length})
        start += length
    return {"parts": parts, "number": number, "total": counts.total}


@register.filter
def seconds_taken(attempt: Attempt) -> str:
    if attempt.ended_at is None or attempt.outcome == AttemptOutcome.REUSED:
        return "–"
    return say("{seconds:.1f}", seconds=(attempt.ended_at - attempt.sent_at).total_seconds())


@register.filter
def pieces(text: str) -> list[tuple[str, bool]]:
    """A template's text in pieces, each with whether it is a placeholder."""
    parts = re.split(f"({PLACEHOLDER.pattern.replace('(', '(?:')})", text)
    return [(part, number % 2 == 1) for number, part in enumerate(parts) if part]
