"""The reports of ConflictBank by their names."""

from collections.abc import Callable

from review.reports.layout import Report
from review.reports.scope import Scope

from .tables import by_description, by_order, ratios

MAKERS: dict[str, Callable[[Scope], Report]] = {
    "conflictbank-ratios": ratios,
    "conflictbank-order": by_order,
    "conflictbank-descriptions": by_description,
}
