"""WikiContradict's entries in the list of reports. Computations are imported when a report is made: a worker does not
need them.
"""

from functools import partial
from typing import TYPE_CHECKING

from core.languages import say
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
        say("Table 1: dataset statistics"),
        say("Tags, instances and questions, explicit and implicit conflicts."),
        narrowed_by=("release",),
        printed=partial(_beside, "table1"),
        names_models=False,
        benchmark=CODE,
        headline=listed(
            "Statistic",
            "Count",
            (say("Annotated instances"), say("instance"), say("instances")),
            (say("Verified valid tags"), say("tag"), say("tags")),
        ),
        filled_on=((say("Tags"), "tags"), (say("Harvest articles"), "harvest_new")),
    ),
    "table2": Entry(
        partial(_made, "table2"),
        say("Table 2: final verdicts"),
        say("By model and prompt; explicit and implicit conflicts."),
        printed=partial(_beside, "table2"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread(say("correct"), "correct_percent"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "table3": Entry(
        partial(_made, "table3"),
        say("Table 3: variants of prompt 5"),
        say("Final verdicts for prompts 5.1 to 5.4."),
        printed=partial(_beside, "table3"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread(say("correct"), "correct_percent"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "table4": Entry(
        partial(_made, "table4"),
        say("Table 4: judge models against people"),
        say("Accuracy, macro-F, precision and recall of each verdict."),
        printed=partial(_beside, "table4"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread(say("like people"), "accuracy", times=100),
        filled_on=JUDGED_BY_MODELS,
    ),
    "table5": Entry(
        partial(_made, "table5"),
        say("Table 5: people and judge side by side"),
        say("Both rates of each model on the same responses."),
        printed=partial(_beside, "table5"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread(say("like people"), "accuracy", times=100),
        filled_on=JUDGED_BY_MODELS,
    ),
    "table6": Entry(
        partial(_made, "table6"),
        say("Table 6: judge models on all instances"),
        say("Raw rates, and rates corrected by the responses with a final verdict."),
        printed=partial(_beside, "table6"),
        related_by=TAG,
        benchmark=CODE,
        headline=spread(say("correct by judge"), "correct_judge", of="n"),
        filled_on=JUDGED_BY_MODELS,
    ),
}
