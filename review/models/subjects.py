"""Kinds of subjects besides responses and instances: rows of apps above that people judge, by kind and number."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Model, QuerySet

if TYPE_CHECKING:
    from .rounds import Item

RESPONSE, INSTANCE = "response", "instance"


@dataclass(frozen=True, slots=True)
class SubjectKind:
    """Rows that an app offers for judging.

    code: the name in `Item.subject_kind`, and the column of exports that identifies the row.
    rows: the rows with everything that pages and exports read of them.
    title: how lists call a row.
    named: the row's columns in exports: `code`, and `document` for its name in the benchmark's own files.
    """

    code: str
    rows: Callable[[], QuerySet[Any]]
    title: Callable[[Any], str]
    named: Callable[[Any], Mapping[str, str]]


_kinds: dict[str, SubjectKind] = {}


def register(kind: SubjectKind) -> None:
    """Register a kind of subjects."""
    _kinds[kind.code] = kind


def subject_kinds() -> Mapping[str, SubjectKind]:
    """The registered kinds by code."""
    return _kinds


def load_subjects(items: "Iterable[Item]") -> None:
    """Load the rows that the items' `subject_number` names, with one query for each kind."""
    by_kind: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.subject_kind and item.row is None:
            by_kind[item.subject_kind].append(item)
    for code, some in by_kind.items():
        rows: dict[int, Model] = _kinds[code].rows().in_bulk({item.subject_number for item in some})
        for item in some:
            item.row = rows.get(item.subject_number or 0)
