"""The digest of an entry of the log: over the entry as text and the digest before. Needs no database."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

# The columns of an entry that its digest covers, in their order: all of them.
COLUMNS = (
    "id",
    "at",
    "actor_id",
    "action",
    "subject_kind",
    "subject_id",
    "before",
    "after",
    "message",
    "batch_id",
)
# The digest before the first entry.
START = "0" * 64


def digest_of(before: str, position: int, entry: Sequence[Any]) -> str:
    """The digest of the entry with these values of `COLUMNS`, at this position after the digest `before`."""
    text = f"{before}\n{position}\n{canonical(entry)}"
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(entry: Sequence[Any]) -> str:
    """The entry as JSON in one form, whichever database it was read from."""
    return json.dumps([_plain(value) for value in entry], sort_keys=True, separators=(",", ":"))


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        case float() if value.is_integer():
            # PostgreSQL gives 1e16 back as a whole number, in its decimal digits, and no negative zero.
            return int(Decimal(repr(value)))
        case list():
            return [_plain(each) for each in value]
        case dict():
            return {name: _plain(each) for name, each in value.items()}
    return value
