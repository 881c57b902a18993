"""Announces ended runs to webhooks immediately, and in the feed."""

from django.db.models import Count
from django.urls import reverse

from core.webhooks.feed import Entry
from core.webhooks.outbox import announce
from core.words import plural

from ..models import CallState, Run, RunKind, RunState
from ..models.hooks import RUN_ENDED
from .visibility import OF_RESPONSES


def announce_end(run: Run) -> None:
    """Call it in the transaction that ends the run. Only the numbers of its calls are announced."""
    announce(RUN_ENDED, lambda: {"run": run.pk, "name": run.name, "kind": run.kind, "state": run.state} | _calls(run))


def _calls(run: Run) -> dict[str, dict[str, int]]:
    states = run.calls.order_by().values_list("state").annotate(count=Count("pk"))
    return {"calls": {str(state): count for state, count in states}}


def _what_came_of(run: Run) -> str:
    """The answered calls of a run in which models make or check items. Nothing for a run whose responses are
    judged, or that judges them: the feed is the same for all admins, and judges must not learn the number of answers
    of a run.
    """
    if run.kind in OF_RESPONSES:
        return ""
    return plural(run.calls.filter(state=CallState.DONE).count(), "answered call") + "."


def newest(most: int) -> list[Entry]:
    over = Run.objects.filter(state__in=[RunState.FINISHED, RunState.CANCELLED], finished_at__isnull=False)
    rows = over.exclude(kind=RunKind.SUGGESTION).order_by("-finished_at")[:most]
    return [
        Entry(
            f"run-{row.pk}-{row.finished_at:%Y%m%d%H%M%S}",
            f"{str(row).capitalize()}: {row.get_state_display().lower()}",
            _what_came_of(row),
            row.finished_at,
            reverse("run", args=[row.pk]),
        )
        for row in rows
        if row.finished_at
    ]
