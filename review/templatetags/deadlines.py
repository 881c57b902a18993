"""The deadline of a round in words, with how much is left to do."""

from datetime import date
from typing import Any

from django import template
from django.utils import timezone

register = template.Library()


@register.inclusion_tag("review/_due.html")
def due(deadline: date | None, left: int = 0) -> dict[str, Any]:
    """The deadline of unfinished work, of which `left` remain; nothing without one. A number of 0 is not shown."""
    return {"deadline": deadline, "left": left, "is_overdue": bool(deadline and deadline < timezone.localdate())}
