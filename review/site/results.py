"""The results that may be published: which reports, over which responses."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from annotation.models import Release

from ..reports.formats import FORMATS
from ..reports.layout import Report, without_links
from ..reports.registry import REPORTS
from ..reports.scope import Scope
from ..rounds.rounds import unfinished_rounds

# Those that name no person. Of agreement, the breakdown by pair of reviewers is left out.
PUBLISHED: dict[str, dict[str, Any]] = {
    "table1": {},
    "table2": {},
    "table3": {},
    "table4": {},
    "table5": {},
    "table6": {},
    "comparison": {"by": "template"},
    "agreement": {"by": "template", "page": 1},
}


@dataclass(frozen=True, slots=True)
class Result:
    """A report as it is published; `name` is that of its files."""

    name: str
    label: str
    report: Report

    def csv(self) -> str:
        return FORMATS["csv"](self.report)


def public_scope(release: Release) -> Scope:
    """The responses to a release that may be counted in public: none that is still being judged."""
    return Scope(release=release, hidden=tuple(unfinished_rounds()), public=True)


def results_of(release: Release) -> Iterator[Result]:
    """The reports that have something to say, without links into this site."""
    scope = public_scope(release)
    for name, options in PUBLISHED.items():
        entry = REPORTS[name]
        report = entry.make(scope, **options)
        if report.lead:
            # One breakdown of them, without the way to the others.
            yield Result(name, entry.label, without_links(replace(report, breakdowns=(), pages=1)))
