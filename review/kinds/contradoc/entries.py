"""The reports of ContraDoc, entered when the app starts. They are imported when one is made."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from annotation.kinds.contradoc.item import CODE

from ...reports.entries import Entry, register

REPORTS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "contradoc-statistics": (
        "figure.statistics_report",
        "ContraDoc in numbers",
        "Documents, sources, scopes, types and lengths of a release.",
        ("release",),
    ),
    "contradoc-table2": (
        "tables.table_2",
        "ContraDoc, Table 2: binary judgment",
        "Whether models say that a document contradicts itself: accuracy, precision, recall, F1.",
        ("release", "run"),
    ),
    "contradoc-table3": (
        "tables.table_3",
        "ContraDoc, Table 3: the five likeliest sentences",
        "How often the evidence is among five quotes, at which rank, and by chance.",
        ("release", "run"),
    ),
    "contradoc-table4": (
        "tables.table_4",
        "ContraDoc, Table 4: judge then find",
        "What models say and whether they quote the evidence.",
        ("release", "run"),
    ),
    "contradoc-table6": (
        "groups.table_6",
        "ContraDoc, Table 6: by attribute",
        "The evidence hit rate by type, document, scope and length, each against its own chance.",
        ("release", "run"),
    ),
    "contradoc-figure2": (
        "figure.figure_2",
        "ContraDoc, Figure 2: labels that stand together",
        "Of the documents with one label, how many have another.",
        ("release",),
    ),
}


def register_reports() -> None:
    for name, (function, label, about, narrowed_by) in REPORTS.items():
        register(name, Entry(_late(function), label, about, narrowed_by=narrowed_by, benchmark=CODE))


def _late(function: str) -> Callable[..., Any]:
    module, name = function.split(".")

    def make(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"{__package__}.{module}"), name)(*arguments, **options)

    return make
