"""The makers of the tables, by name."""

from collections.abc import Callable

from review.reports.layout import Report
from review.reports.scope import Scope

from .corrected_table import table_6
from .dataset_statistics import dataset_statistics
from .judge_scores import table_4
from .side_by_side import table_5
from .verdicts.tables import table_2, table_3

MAKERS: dict[str, Callable[[Scope], Report]] = {
    "table1": dataset_statistics,
    "table2": table_2,
    "table3": table_3,
    "table4": table_4,
    "table5": table_5,
    "table6": table_6,
}
