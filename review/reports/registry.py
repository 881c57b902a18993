"""The reports by name, for `manage.py report NAME` and the pages.

A new one is a function from a `Scope` to a `Report`, entered in `REPORTS`. Those of other benchmarks register
themselves: `review.reports.entries`.
"""

from functools import partial
from typing import Any

from .agreement.consensus import consensus_report
from .agreement.double_judged import BREAKDOWNS
from .agreement.report import agreement_report
from .agreement.weeks import weeks_report
from .comparison import report as comparison
from .costs import cost_report
from .entries import TAG, Entry, registered
from .layout import Report
from .people import annotator_agreement
from .people.annotators import annotators_report, dataset_statistics
from .scope import Scope
from .tables.corrected_table import table_6
from .tables.judge_scores import table_4
from .tables.printed import with_printed
from .tables.side_by_side import table_5
from .tables.verdict_tables import table_2, table_3

REPORTS: dict[str, Entry] = {
    "table1": Entry(
        dataset_statistics,
        "Table 1: dataset statistics",
        "Tags, instances and questions, explicit and implicit conflicts.",
        narrowed_by=("release",),
        printed=partial(with_printed, "table1"),
        names_models=False,
    ),
    "table2": Entry(
        table_2,
        "Table 2: final verdicts",
        "By model and prompt template; explicit and implicit conflicts.",
        printed=partial(with_printed, "table2"),
        related_by=TAG,
    ),
    "table3": Entry(
        table_3,
        "Table 3: variants of template 5",
        "Final verdicts for templates 5.1 to 5.4.",
        printed=partial(with_printed, "table3"),
        related_by=TAG,
    ),
    "table4": Entry(
        table_4,
        "Table 4: judge models against people",
        "Accuracy, macro-F, precision and recall of each verdict.",
        printed=partial(with_printed, "table4"),
        related_by=TAG,
    ),
    "table5": Entry(
        table_5,
        "Table 5: people and judge side by side",
        "Both rates of each model on the same responses.",
        printed=partial(with_printed, "table5"),
        related_by=TAG,
    ),
    "table6": Entry(
        table_6,
        "Table 6: judge models on all instances",
        "Raw rates, and rates corrected by the responses with a final verdict.",
        printed=partial(with_printed, "table6"),
        related_by=TAG,
    ),
    "comparison": Entry(
        comparison.comparison_report,
        "Model against model",
        "Differences over the same instances, with intervals and tests; which pairs are too close to call.",
        breakdowns=tuple(comparison.BREAKDOWNS),
        related_by=TAG,
    ),
    "agreement": Entry(
        agreement_report,
        "Agreement",
        "Between reviewers before adjudication: kappa, AC1, alpha; by template, model, pair, reasoning type.",
        breakdowns=tuple(BREAKDOWNS),
        related_by=TAG,
    ),
    "weeks": Entry(
        weeks_report,
        "Judging by week",
        "Whether reviewers drift: agreement and shares of verdicts, week by week.",
        related_by=TAG,
    ),
    "consensus": Entry(
        consensus_report,
        "Consensus of three and more",
        "Responses that three to five people judged: agreement of all, and Dawid and Skene's estimate.",
        related_by=TAG,
    ),
    "annotator-agreement": Entry(
        annotator_agreement.annotator_agreement,
        "Agreement of annotators",
        "Tags annotated twice: validity, dimensions, passages, questions; what reviewers made of each one's work.",
        narrowed_by=(),
        breakdowns=tuple(annotator_agreement.BREAKDOWNS),
        names_models=False,
    ),
    "cost": Entry(
        cost_report,
        "Costs",
        "Money, tokens and time by run and model, of all benchmarks.",
        narrowed_by=("release", "run"),
        is_across=True,
    ),
    "annotators": Entry(
        annotators_report,
        "Annotators",
        "How far each annotator is, and active minutes by step.",
        narrowed_by=(),
        names_models=False,
    ),
}


def all_reports() -> dict[str, Entry]:
    """These reports, and those of other benchmarks."""
    return {**REPORTS, **registered()}


def make_report(name: str, scope: Scope, *, printed: bool = False, **options: Any) -> Report:
    """The report of this name. If requested, and if it is a table of the paper, with the printed numbers."""
    entry = all_reports()[name]
    report = entry.report(scope, **options)
    return entry.printed(report) if printed and entry.printed else report
