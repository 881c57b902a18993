"""The reports of ConflictBank's answers, entered when the app starts. They are imported when one is made."""

from functools import partial
from typing import TYPE_CHECKING

from review.reports.entries import Entry, register

from ..items import CODE

if TYPE_CHECKING:
    from review.reports.layout import Report
    from review.reports.scope import Scope

# Label, and what it is about.
REPORTS: dict[str, tuple[str, str]] = {
    "conflictbank-ratios": (
        "ConflictBank, Figures 3 and 4: whom models believe",
        "OAR, CAR and the memorisation ratio of each model under each of the twelve conditions.",
    ),
    "conflictbank-order": (
        "ConflictBank, Figure 5: the order of two texts",
        "The same where two texts are shown, by which of them comes first.",
    ),
    "conflictbank-descriptions": (
        "ConflictBank, Figure 8: with and without descriptions",
        "Whether a description of time or meaning changes whom models believe.",
    ),
}


def _made(name: str, scope: "Scope") -> "Report":
    from .makers import MAKERS

    return MAKERS[name](scope)


def register_reports() -> None:
    for name, (label, about) in REPORTS.items():
        register(name, Entry(partial(_made, name), label, about, ("release", "run"), benchmark=CODE))
