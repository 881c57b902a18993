"""The reports of ContraDoc, entered when the app starts. Their modules are imported on use."""

from functools import partial
from typing import TYPE_CHECKING

from core.languages import say
from review.reports.entries import SOURCE, Entry
from review.reports.headlines import MakeHeadline, coefficient, listed, spread

from ..items import CODE

if TYPE_CHECKING:
    from review.reports.layout import Report
    from review.reports.scope import Scope


# Label, what it is about, and which parts of a scope narrow it.
Entries = dict[str, tuple[str, str, tuple[str, ...]]]
REPORTS: Entries = {
    "contradoc-statistics": (
        say("ContraDoc in numbers"),
        say("Documents, sources, scopes, types and lengths of a release."),
        ("release",),
    ),
    "contradoc-table2": (
        say("ContraDoc, Table 2: binary judgment"),
        say("Whether models say that a document contradicts itself: accuracy, precision, recall, F1."),
        ("release", "run"),
    ),
    "contradoc-table3": (
        say("ContraDoc, Table 3: the five likeliest sentences"),
        say("How often the evidence is among five quotes, at which rank, and by chance."),
        ("release", "run"),
    ),
    "contradoc-table4": (
        say("ContraDoc, Table 4: judge then find"),
        say("Models' judgments, and whether they quote the evidence."),
        ("release", "run"),
    ),
    "contradoc-table5": (
        say("ContraDoc, Table 5: people and models"),
        say("People's judgments and findings on documents with nothing marked, and models on the same documents."),
        ("release", "round"),
    ),
    "contradoc-table6": (
        say("ContraDoc, Table 6: by attribute"),
        say("The evidence hit rate by type, document, scope and length, each against its own chance."),
        ("release", "run"),
    ),
    "contradoc-given-sentence": (
        say("ContraDoc: given sentence"),
        say("Whether models find the sentence that contradicts a given one."),
        ("release", "run"),
    ),
    "contradoc-figure2": (
        say("ContraDoc, Figure 2: labels that occur together"),
        say("Of the documents with one label, how many have another."),
        ("release",),
    ),
}
# People's answers in rounds; empty until there are rounds.
OF_ROUNDS: Entries = {
    "contradoc-verification": (
        say("ContraDoc: agreement of verifiers"),
        say("Before merging, by question and type: raw and kappa. Outcomes of the candidates."),
        ("round",),
    ),
    "contradoc-free-format": (
        say("ContraDoc: free format"),
        say("Whether free-format replies find the contradiction, as people judged them."),
        ("release", "run", "round"),
    ),
}


QUESTIONNAIRES = {
    "contradoc-table5": ("contradoc-find",),
    "contradoc-verification": ("contradoc-verification",),
    "contradoc-free-format": ("contradoc-free-format",),
}


HEADLINES: dict[str, MakeHeadline] = {
    "contradoc-statistics": listed(
        "statistic",
        "count",
        (say("Positive"), say("document with a contradiction"), say("documents with a contradiction")),
        (say("Negative"), say("without"), say("without")),
    ),
    "contradoc-table2": spread(say("accurate"), "accuracy"),
    "contradoc-table3": spread(say("evidence hit"), "EHR"),
    "contradoc-table4": spread(say("right and found"), "R-acc"),
    "contradoc-given-sentence": spread(say("evidence hit"), "EHR"),
    "contradoc-verification": coefficient(say("kappa"), "kappa"),
}
OF_RELEASES = ((say("Releases"), "releases"), (say("Import documents"), "documents_import"))
FILLED_ON = {"contradoc-statistics": OF_RELEASES, "contradoc-figure2": OF_RELEASES}
WITHOUT_INTERVALS = {"contradoc-statistics"}
# About documents and those who verify them: no model's replies are in them.
WITHOUT_MODELS = {"contradoc-statistics", "contradoc-figure2", "contradoc-verification"}
# Reports with numbers in the paper.
PRINTED = {*REPORTS, "contradoc-free-format"}


def _made(name: str, scope: "Scope") -> "Report":
    from .makers import MAKERS

    return MAKERS[name](scope)


def _beside(name: str, report: "Report") -> "Report":
    from .printed import with_printed

    return with_printed(name.removeprefix("contradoc-"), report)


def entries() -> dict[str, Entry]:
    """The reports by name."""
    found = {}
    for name, (label, about, narrowed_by) in {**REPORTS, **OF_ROUNDS}.items():
        make = partial(_made, name)
        printed = partial(_beside, name) if name in PRINTED else None
        related_by = "" if name in WITHOUT_INTERVALS else SOURCE
        found[name] = Entry(
            make,
            label,
            about,
            narrowed_by,
            benchmark=CODE,
            of_questionnaires=QUESTIONNAIRES.get(name, ()),
            printed=printed,
            related_by=related_by,
            names_models=name not in WITHOUT_MODELS,
            headline=HEADLINES.get(name),
            filled_on=FILLED_ON.get(name, ()),
        )
    return found
