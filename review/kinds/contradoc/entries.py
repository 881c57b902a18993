"""The reports of ContraDoc, entered when the app starts. They are imported when one is made."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from annotation.kinds.contradoc.item import CODE

from ...models import VERDICTS
from ...reports.entries import Entry, register

if TYPE_CHECKING:
    from ...reports.layout import Report
    from ...reports.scope import Scope


def _statistics(scope: "Scope") -> "Report":
    from .figure import statistics_report

    return statistics_report(scope)


def _table_2(scope: "Scope") -> "Report":
    from .tables import table_2

    return table_2(scope)


def _table_3(scope: "Scope") -> "Report":
    from .tables import table_3

    return table_3(scope)


def _table_4(scope: "Scope") -> "Report":
    from .tables import table_4

    return table_4(scope)


def _table_5(scope: "Scope") -> "Report":
    from .people import table_5

    return table_5(scope)


def _table_6(scope: "Scope") -> "Report":
    from .groups import table_6

    return table_6(scope)


def _given_sentence(scope: "Scope") -> "Report":
    from .tables import given_sentence

    return given_sentence(scope)


def _figure_2(scope: "Scope") -> "Report":
    from .figure import figure_2

    return figure_2(scope)


def _verification(scope: "Scope") -> "Report":
    from .agreement import verification_report

    return verification_report(scope)


def _free_format(scope: "Scope") -> "Report":
    from .free_format_table import free_format_report

    return free_format_report(scope)


Entries = dict[str, tuple[Callable[["Scope"], "Report"], str, str, tuple[str, ...]]]
REPORTS: Entries = {
    "contradoc-statistics": (
        _statistics,
        "ContraDoc in numbers",
        "Documents, sources, scopes, types and lengths of a release.",
        ("release",),
    ),
    "contradoc-table2": (
        _table_2,
        "ContraDoc, Table 2: binary judgment",
        "Whether models say that a document contradicts itself: accuracy, precision, recall, F1.",
        ("release", "run"),
    ),
    "contradoc-table3": (
        _table_3,
        "ContraDoc, Table 3: the five likeliest sentences",
        "How often the evidence is among five quotes, at which rank, and by chance.",
        ("release", "run"),
    ),
    "contradoc-table4": (
        _table_4,
        "ContraDoc, Table 4: judge then find",
        "What models say and whether they quote the evidence.",
        ("release", "run"),
    ),
    "contradoc-table5": (
        _table_5,
        "ContraDoc, Table 5: people and models",
        "What people say and find on documents with nothing marked, and models on the same documents.",
        ("release", "round"),
    ),
    "contradoc-table6": (
        _table_6,
        "ContraDoc, Table 6: by attribute",
        "The evidence hit rate by type, document, scope and length, each against its own chance.",
        ("release", "run"),
    ),
    "contradoc-given-sentence": (
        _given_sentence,
        "ContraDoc: given sentence",
        "Whether models find the sentence that contradicts a given one.",
        ("release", "run"),
    ),
    "contradoc-figure2": (
        _figure_2,
        "ContraDoc, Figure 2: labels that stand together",
        "Of the documents with one label, how many have another.",
        ("release",),
    ),
}
# What people said in rounds; nothing of it until there are any.
OF_ROUNDS: Entries = {
    "contradoc-verification": (
        _verification,
        "ContraDoc: agreement of verifiers",
        "Before merging, by question and type: raw and kappa. What came of the candidates.",
        ("round",),
    ),
    "contradoc-free-format": (
        _free_format,
        "ContraDoc: free format",
        "Whether free-format replies find the contradiction, as people judged them.",
        ("release", "run", "round"),
    ),
}


FORMS = {
    "contradoc-table5": "contradoc-find",
    "contradoc-verification": "contradoc-verification",
    "contradoc-free-format": "contradoc-free-format",
}


# What stands in the paper, too.
PRINTED = {*REPORTS, "contradoc-free-format"}


def _beside(name: str, report: "Report") -> "Report":
    from .printed import with_printed

    return with_printed(name.removeprefix("contradoc-"), report)


def register_reports() -> None:
    for name, (make, label, about, narrowed_by) in {**REPORTS, **OF_ROUNDS}.items():
        form = FORMS.get(name, VERDICTS)
        printed = partial(_beside, name) if name in PRINTED else None
        register(name, Entry(make, label, about, narrowed_by=narrowed_by, benchmark=CODE, form=form, printed=printed))
