"""Kinds of subjects besides responses and instances: rows of apps above that people judge, by kind and number."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from django.db.models import Model, QuerySet

if TYPE_CHECKING:
    from .rounds import Item

RESPONSE, INSTANCE = "response", "instance"
Row = TypeVar("Row", bound=Model)
Given = TypeVar("Given", bound=Model, contravariant=True)
Found = TypeVar("Found", bound=Model, covariant=True)


class RowsOf(Protocol[Found]):
    def __call__(self) -> "QuerySet[Found]":
        """Return all rows of the kind, with everything that pages and exports read of them."""


class TitleOf(Protocol[Given]):
    def __call__(self, row: Given, /) -> str:
        """Return how lists call a row: a line of plain text."""


class NamedBy(Protocol[Given]):
    def __call__(self, row: Given, /) -> Mapping[str, str]:
        """Return a row's columns in exports: `code`, and `document` for its name in the benchmark's own files."""


@dataclass(frozen=True, slots=True)
class SubjectKind(Generic[Row]):
    """Rows of one model that an app offers for judging. `code` is the name in `Item.subject_kind`, and the column of
    exports that identifies the row.
    """

    code: str
    rows: RowsOf[Row]
    title: TitleOf[Row]
    named: NamedBy[Row]


_kinds: dict[str, SubjectKind[Any]] = {}


def register(kind: SubjectKind[Any]) -> None:
    """Register a kind of subjects."""
    _kinds[kind.code] = kind


def subject_kinds() -> Mapping[str, SubjectKind[Any]]:
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
