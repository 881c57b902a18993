"""The reports of ConflictBank's answers, entered when the app starts. Their modules are imported on use."""

from functools import partial
from typing import TYPE_CHECKING

from core.languages import say
from review.reports.entries import Entry
from review.reports.headlines import MakeHeadline, share, spread

from ..items import CODE

if TYPE_CHECKING:
    from review.reports.layout import Report
    from review.reports.scope import Scope

# Label and description.
REPORTS: dict[str, tuple[str, str]] = {
    "conflictbank-ratios": (
        say("ConflictBank, Figures 3 and 4: whom models believe"),
        say("OAR, CAR and the memorisation ratio of each model under each of the twelve conditions."),
    ),
    "conflictbank-order": (
        say("ConflictBank, Figure 5: the order of two texts"),
        say("The same where two texts are shown, by the text that comes first."),
    ),
    "conflictbank-descriptions": (
        say("ConflictBank, Figure 8: with and without descriptions"),
        say("Whether a description of time or meaning changes whom models believe."),
    ),
    "conflictbank-groups": (
        say("ConflictBank: by style and relation"),
        say("The memorisation ratio by the style of the conflict evidence, and by relation."),
    ),
    "conflictbank-twins": (
        say("ConflictBank: items and their twins"),
        say("Whether models believe texts, or like one of the two objects."),
    ),
    "conflictbank-ambiguous": (
        say("ConflictBank: two right answers"),
        say("How many items would have two right answers, drawn here and as published."),
    ),
    "conflictbank-people": (
        say("ConflictBank: evidence as people see it"),
        say("Rates by cause, agreement, and each automatic check against people."),
    ),
    "conflictbank-pipeline": (
        say("ConflictBank, Table 3: evidence by step"),
        say("Texts left after each step, by cause, with failed and unchecked ones."),
    ),
}
OF_RUNS = ("release", "run")
NARROWED_BY: dict[str, tuple[str, ...]] = {
    "conflictbank-ambiguous": (),
    "conflictbank-pipeline": (),
    "conflictbank-people": ("round",),
}
QUESTIONNAIRES = {"conflictbank-people": ("conflictbank-common", "conflictbank-pairs")}
WITHOUT_MODELS = {"conflictbank-ambiguous", "conflictbank-people"}
BREAKDOWNS = {"conflictbank-groups": ("style", "relation")}
MEMORISED = spread(say("memorised"), "M_R")
HEADLINES: dict[str, MakeHeadline] = {
    "conflictbank-ratios": MEMORISED,
    "conflictbank-order": MEMORISED,
    "conflictbank-descriptions": MEMORISED,
    "conflictbank-groups": MEMORISED,
    "conflictbank-twins": share(say("of pairs: both texts believed"), "believes both texts", n="pairs"),
    "conflictbank-ambiguous": share(say("with two right answers"), "two right answers", n="items"),
}
COUNT_ANSWERS = {
    "conflictbank-ratios",
    *BREAKDOWNS,
    "conflictbank-order",
    "conflictbank-descriptions",
    "conflictbank-twins",
}
OF_ANSWERS = ((say("New run"), "run_new"), (say("Import answers"), "answers_import"))
OF_CLAIMS = ((say("Make claims"), "claim_sets"), (say("Import facts"), "facts_import"))
FILLED_ON = {"conflictbank-ambiguous": OF_CLAIMS, "conflictbank-pipeline": OF_CLAIMS}
# Reports with numbers printed in the paper.
PRINTED = {"conflictbank-ratios", "conflictbank-order", "conflictbank-descriptions"}


def _made(name: str, scope: "Scope", **options: object) -> "Report":
    from .kept import kept
    from .makers import MAKERS

    return kept(name, scope, MAKERS[name], **options) if name in COUNT_ANSWERS else MAKERS[name](scope, **options)


def _beside(name: str, report: "Report") -> "Report":
    from .printed import with_printed

    return with_printed(name.removeprefix("conflictbank-"), report)


def entries() -> dict[str, Entry]:
    """The reports by name."""
    found = {}
    for name, (label, about) in REPORTS.items():
        found[name] = Entry(
            partial(_made, name),
            label,
            about,
            NARROWED_BY.get(name, OF_RUNS),
            breakdowns=BREAKDOWNS.get(name, ()),
            benchmark=CODE,
            printed=partial(_beside, name) if name in PRINTED else None,
            of_questionnaires=QUESTIONNAIRES.get(name, ()),
            names_models=name not in WITHOUT_MODELS,
            headline=HEADLINES.get(name),
            filled_on=FILLED_ON.get(name, OF_ANSWERS if name in COUNT_ANSWERS else ()),
        )
    return found
