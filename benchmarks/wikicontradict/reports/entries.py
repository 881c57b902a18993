"""WikiContradict's entries in the list of reports. Computations are imported when a report is made: a worker does not
need them.
"""

from functools import partial
from typing import TYPE_CHECKING

from review.reports.entries import JUDGED_BY_MODELS, JUDGED_IN_ROUNDS, TAG, Entry
from review.reports.headlines import listed, spread

from ..items import CODE

if TYPE_CHECKING:
    from review.reports.layout import Report
    from review.reports.scope import Scope


def _made(name: str, scope: "Scope") -> "Report":
    from .makers import MAKERS

    return MAKERS[name](scope)


def _beside(name: str, report: "Report") -> "Report":
    from .printed import with_printed

    return with_printed(name, report)


REPORTS: dict[str, Entry] = {
    "table1": Entry(
        partial(_made, "table1"),
        "Table 1: dataset statistics",
        "Tags, instances and questions, explicit and implicit conflicts.",
        narrowed_by=("release",),
        printed=partial(_beside, "table1"),
        names_models=False,
        benchmark=CODE,
        headline=listed(
            "Statistic",
            "Count",
            ("Annotated instances", "instance", "instances"),
            ("Verified valid tags", "tag", "tags"),
        ),
        filled_on=(("Tags", "tags"), ("Harvest articles", "harvest_new")),
    ),
    "table2": Entry(
        partial(_made, "table2"),
        "Table 2: final verdicts",
        "By model and prompt; explicit and implicit conflicts.",
        printed=partial(_beside, "table2"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread("correct", "correct_percent"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "table3": Entry(
        partial(_made, "table3"),
        "Table 3: variants of prompt 5",
        "Final verdicts for prompts 5.1 to 5.4.",
        printed=partial(_beside, "table3"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread("correct", "correct_percent"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "table4": Entry(
        partial(_made, "table4"),
        "Table 4: judge models against people",
        "Accuracy, macro-F, precision and recall of each verdict.",
        printed=partial(_beside, "table4"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread("like people", "accuracy", times=100),
        filled_on=JUDGED_BY_MODELS,
    ),
    "table5": Entry(
        partial(_made, "table5"),
        "Table 5: people and judge side by side",
        "Both rates of each model on the same responses.",
        printed=partial(_beside, "table5"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread("like people", "accuracy", times=100),
        filled_on=JUDGED_BY_MODELS,
    ),
    "table6": Entry(
        partial(_made, "table6"),
        "Table 6: judge models on all instances",
        "Raw rates, and rates corrected by the responses with a final verdict.",
        printed=partial(_beside, "table6"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread("correct by judge", "correct_judge", of="n"),
        filled_on=JUDGED_BY_MODELS,
    ),
}
