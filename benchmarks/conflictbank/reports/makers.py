"""The reports of ConflictBank by their names."""

from collections.abc import Callable

from review.reports.layout import Report

from .ambiguous import ambiguous
from .groups import by_group
from .people import people
from .pipeline import pipeline
from .tables import by_description, by_order, ratios
from .twins import twins

MAKERS: dict[str, Callable[..., Report]] = {
    "conflictbank-ratios": ratios,
    "conflictbank-order": by_order,
    "conflictbank-descriptions": by_description,
    "conflictbank-groups": by_group,
    "conflictbank-twins": twins,
    "conflictbank-ambiguous": ambiguous,
    "conflictbank-people": people,
    "conflictbank-pipeline": pipeline,
}
