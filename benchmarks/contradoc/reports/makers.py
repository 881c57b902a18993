"""The functions that make ContraDoc's reports, by name. Each is imported when its report is made."""

from collections.abc import Callable

from review.reports.layout import Report
from review.reports.scope import Scope

from .agreement import verification_report
from .figure import figure_2, statistics_report
from .free_format_table import free_format_report
from .groups import table_6
from .people import table_5
from .tables import given_sentence, table_2, table_3, table_4

MAKERS: dict[str, Callable[[Scope], Report]] = {
    "contradoc-statistics": statistics_report,
    "contradoc-table2": table_2,
    "contradoc-table3": table_3,
    "contradoc-table4": table_4,
    "contradoc-table5": table_5,
    "contradoc-table6": table_6,
    "contradoc-given-sentence": given_sentence,
    "contradoc-figure2": figure_2,
    "contradoc-verification": verification_report,
    "contradoc-free-format": free_format_report,
}
