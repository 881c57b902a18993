"""A person's judgments, for the person's own file."""

from collections.abc import Iterable
from typing import Any

from core.models import User

from ...models import Judgment


def judgments_of(person: User) -> Iterable[dict[str, Any]]:
    """The judgments that the person gave: nothing of the response that its judging page does not show."""
    fields = ("key", "round__name", "verdict", "answers", "cannot_judge", "comment", "judged_at", "seconds")
    rows = Judgment.objects.filter(reviewer=person, judged_at__isnull=False).order_by("round_id", "position")
    return rows.values(*fields)
