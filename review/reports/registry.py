"""The reports by name, for `manage.py report NAME` and the pages.

A new one is a function from a `Scope` to a `Report`, entered in `REPORTS`. Benchmarks register theirs:
`review.reports.entries`.
"""

from annotation.kinds.registry import annotated
from core.languages import say

from .agreement.consensus import consensus_report
from .agreement.double_judged import BREAKDOWNS
from .agreement.report import agreement_report
from .agreement.weeks import weeks_report
from .comparison import report as comparison
from .costs import cost_report
from .entries import JUDGED_IN_ROUNDS, TAG, Entry, registered
from .headlines import coefficient, share, told, total
from .layout import Report
from .people import annotator_agreement
from .people.annotators import annotators_report
from .people.help import help_report
from .scope import Scope

REPORTS: dict[str, Entry] = {
    "comparison": Entry(
        comparison.comparison_report,
        say("Model against model"),
        say("Differences over the same instances, with intervals and tests; which pairs are too close to call."),
        breakdowns=tuple(comparison.BREAKDOWNS),
        headline=told("told_apart", "yes"),
        related_by=TAG,
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "agreement": Entry(
        agreement_report,
        say("Agreement"),
        say("Between reviewers before adjudication: kappa, AC1, alpha; by prompt, model, pair, reasoning type."),
        breakdowns=tuple(BREAKDOWNS),
        related_by=TAG,
        headline=coefficient(say("kappa"), "stratified_kappa", "kappa"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "weeks": Entry(
        weeks_report,
        say("Judging by week"),
        say("Whether reviewers drift: agreement and shares of verdicts, week by week."),
        related_by=TAG,
        headline=share(say("the same verdict"), "same"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "consensus": Entry(
        consensus_report,
        say("Consensus of three and more"),
        say("Responses that three to five people judged: agreement of all, and Dawid and Skene's estimate."),
        related_by=TAG,
        headline=coefficient(say("alpha"), "alpha"),
        filled_on=JUDGED_IN_ROUNDS,
    ),
    "annotator-agreement": Entry(
        annotator_agreement.annotator_agreement,
        say("Agreement of annotators"),
        say("Tags annotated twice: validity, dimensions, passages, questions; outcomes of the reviews by annotator."),
        narrowed_by=(),
        breakdowns=tuple(annotator_agreement.BREAKDOWNS),
        names_models=False,
        filled_on=((say("Settings"), "project"), (say("Tags"), "tags")),
    ),
    "cost": Entry(
        cost_report,
        say("Costs"),
        say("Money, tokens and time by run and model, of all benchmarks."),
        narrowed_by=("release", "run"),
        is_across=True,
    ),
    "annotators": Entry(
        annotators_report,
        say("Annotators"),
        say("Each annotator's progress, and active minutes by step."),
        narrowed_by=(),
        names_models=False,
        headline=total(
            ("accepted", say("accepted"), say("accepted")),
            ("submitted", say("to be reviewed"), say("to be reviewed")),
        ),
        filled_on=((say("Invite people"), "people"),),
    ),
    "help": Entry(
        help_report,
        say("Does help help?"),
        say(
            "Tags with and without suggested counterparts: minutes, agreement, acceptance, and how "
            "often one is taken."
        ),
        narrowed_by=(),
        names_models=False,
        filled_on=((say("Settings"), "project"),),
    ),
}


def all_reports() -> dict[str, Entry]:
    """The tables of the benchmark that is annotated here, these reports, and those of other benchmarks."""
    here, own = annotated().code, registered()
    first = {name: entry for name, entry in own.items() if entry.benchmark == here}
    return {**first, **REPORTS, **own}


def make_report(name: str, scope: Scope, *, printed: bool = False, **options: object) -> Report:
    """The report of this name. If requested, and if it is a table of the paper, with the printed numbers."""
    entry = all_reports()[name]
    report = entry.report(scope, **options)
    return entry.printed(report) if printed and entry.printed else report
