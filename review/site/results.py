"""The results that may be published: the reports, and their responses."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from annotation.models import Release

from ..reports.formats import FORMATS
from ..reports.layout import Report, without_links
from ..reports.registry import all_reports
from ..reports.scope import Scope
from ..rounds.rounds import unfinished_rounds
from .entries import presentation_of


@dataclass(frozen=True, slots=True)
class Result:
    """A published report; `name` is that of its files."""

    name: str
    label: str
    report: Report

    def csv(self) -> str:
        return FORMATS["csv"](self.report)


def public_scope(release: Release) -> Scope:
    """The responses to a release that may be counted in public: none that is still being judged."""
    return Scope(release=release, hidden=tuple(unfinished_rounds()), public=True)


def results_of(release: Release) -> Iterator[Result]:
    """The non-empty reports, without links into this site."""
    scope = public_scope(release)
    reports = all_reports()
    own = (name for name, each in reports.items() if each.benchmark == release.benchmark)
    named = presentation_of(release.benchmark).reports
    for name, options in (named or {name: {} for name in own if "release" in reports[name].narrowed_by}).items():
        entry = reports[name]
        report = entry.report(scope, **options)
        if report.lead:
            # One breakdown, without links to the others.
            yield Result(name, entry.label, without_links(replace(report, breakdowns=(), pages=1)))
