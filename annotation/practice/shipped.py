"""The practice tags that ship with the program: sample articles, annotated, with the reason for each step."""

import json
from pathlib import Path

from ..models import PracticeTag

SHIPPED = Path(__file__).parent / "shipped.json"


def shipped_practice() -> list[dict[str, object]]:
    """The fields of each practice tag, in order."""
    return json.loads(SHIPPED.read_text("utf-8"))


def install_practice() -> str:
    """Create the missing ones; an admin's texts and withdrawals are left alone. Returns "": it prints nothing."""
    shipped = shipped_practice()
    there = set(PracticeTag.objects.exclude(key="").values_list("key", flat=True))
    PracticeTag.objects.bulk_create(
        (
            PracticeTag(position=position, **fields)
            for position, fields in enumerate(shipped, start=1)
            if fields["key"] not in there
        ),
        ignore_conflicts=True,
    )
    return ""
