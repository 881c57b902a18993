"""The entries in the list of reports, including those that benchmarks register when the program starts."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from django.urls import reverse

from annotation.kinds.registry import annotated, name_of
from core.languages import say
from core.refusals import Refusal

from ..rounds.keeping.registered import kept_by
from ..rounds.keeping.verdicts import VERDICT
from .layout import Note, Report

if TYPE_CHECKING:
    from .scope import Scope

# The cause why instances are related: the tag that questions are about, the source that documents come from.
TAG, SOURCE, INSTANCE = "tag", "source", "instance"
# Pages that fill an empty report.
JUDGED_IN_ROUNDS = ((say("Begin a round"), "round_new"), (say("New run"), "run_new"))
JUDGED_BY_MODELS = ((say("New judge run"), "judge_run_new"), (say("Begin a round"), "round_new"))


# The units that intervals resample: by whether instances are questions of a tag, and whether single ones are drawn.
RESAMPLED = {
    (True, False): say("Intervals and tests resample whole tags, as questions of one are related."),
    (True, True): say("Intervals and tests resample single questions, as if none were related."),
    (False, False): say("Intervals and tests resample whole sources, as documents of one are related."),
    (False, True): say("Intervals and tests resample single documents, as if none were related."),
}


class Make(Protocol):
    def __call__(self, scope: "Scope", /) -> Report:
        """Make a report: first all queries, then numbers, layout and plots. It writes nothing.

        Args:
            scope: the responses that count. `scope.public` reports go to everybody; rounds in `scope.hidden` are left
                out by the scope's querysets.

        Returns:
            The report, its shares in percent with one decimal, half up, and its intervals at 95%. Without rows that
            count it has no `lead`, and its `empty` says how to fill it.
        """


class MakeParts(Protocol):
    def __call__(self, scope: "Scope", /, *, by: str = ..., page: int = ...) -> Report:
        """Make a report with breakdowns.

        Args:
            scope: the responses that count.
            by: one of the entry's `breakdowns`; without it, all, as files have them.
            page: the page of its groups, from 1; without it, all groups.

        Returns:
            The report, as `Make` does; its `pages` are the number of pages.
        """


class WithPrinted(Protocol):
    def __call__(self, report: Report, /) -> Report:
        """The report with a section of the numbers that the paper prints, and the reason of each difference. None of
        its own numbers changes.
        """


class MakeHeadline(Protocol):
    def __call__(self, report: Report, /) -> str:
        """The figure of a report with a lead, and its n, for the list of reports: "kappa 0.71 · n = 120". Empty if
        it is not defined. `review.reports.headlines` has some that read a report's records.
        """


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry in the list of reports. One with `breakdowns` makes one of them (`by`) and a `page`, or all."""

    make: Make | MakeParts
    label: str
    about: str
    # The parts of a scope that narrow it.
    narrowed_by: tuple[str, ...] = ("release", "run", "round")
    breakdowns: tuple[str, ...] = ()
    benchmark: str = field(default_factory=lambda: annotated().code)
    # Of a table that the paper has.
    printed: WithPrinted | None = None
    # The questionnaires of the rounds that narrow it; none for those whose outcomes are final verdicts.
    of_questionnaires: tuple[str, ...] = ()
    # Whether it counts the responses of all benchmarks.
    is_across: bool = False
    # The default unit that its intervals resample: the cause why instances are related.
    related_by: str = ""
    # Whether it tells models or runs apart: closed to those who judge in an unfinished round.
    names_models: bool = True
    # The pages that fill it while it is empty: label and name of the address. By default a round of its first
    # questionnaire, or a new run.
    filled_on: tuple[tuple[str, str], ...] = ()
    # Its figure in the list of reports; without one, its first sentence.
    headline: MakeHeadline | None = None

    def headline_of(self, report: Report) -> str:
        """The figure of this report, or its first sentence."""
        return (self.headline(report) if self.headline else "") or report.lead[0]

    @property
    def questionnaires(self) -> list[str]:
        """The questionnaires of the rounds that narrow it."""
        return list(self.of_questionnaires) or kept_by(VERDICT)

    @property
    def acts(self) -> list[tuple[str, str]]:
        """Label and address of the pages that fill the report while it is empty."""
        if self.filled_on:
            return [(label, reverse(page)) for label, page in self.filled_on]
        if self.of_questionnaires:
            return [(say("Begin a round"), reverse("round_new_of", args=[self.of_questionnaires[0]]))]
        return [(say("New run"), reverse("run_new"))]

    def report(self, scope: "Scope", **options: Any) -> Report:
        """The report over the responses in this scope of its benchmark. `options` are those of `MakeParts`.

        Raises Refusal for a release of another benchmark, or a run over one: the report would be empty.
        """
        self._refuse_others(scope)
        report = self.make(replace(scope, benchmark="" if self.is_across else self.benchmark), **options)
        if not self.related_by or not report.lead:
            return report
        data = {**report.data, "resampled_by": INSTANCE if scope.by_instance else self.related_by}
        note = Note(RESAMPLED[self.related_by == TAG, scope.by_instance])
        return replace(report, data=data, notes=[*report.notes, note])

    def _refuse_others(self, scope: "Scope") -> None:
        if self.is_across:
            return
        narrowed = {"release": (scope.release, scope.release), "run": (scope.run, scope.run and scope.run.release)}
        for name, (part, release) in narrowed.items():
            if name in self.narrowed_by and release and release.benchmark != self.benchmark:
                raise Refusal(
                    say(
                        "“{part}” is of the benchmark {other}, and this report is about {own}. Choose a release or "
                        "run of {own}, or a report about {other}.",
                        part=part,
                        other=name_of(release.benchmark),
                        own=name_of(self.benchmark),
                    ),
                    status=404,
                )


class MakeNote(Protocol):
    def __call__(self, scope: "Scope", /) -> Note | None:
        """Return a note for the reports of this scope; None where it says nothing."""


_registered: dict[str, Entry] = {}
_notes: list[MakeNote] = []


def register(name: str, entry: Entry) -> None:
    """Register a report under this name. Its computation is imported when it is made: a worker does not need it."""
    _registered[name] = entry


def registered() -> dict[str, Entry]:
    return dict(_registered)


def register_note(make: MakeNote) -> None:
    """Register a note of an app above, for the reports of every scope."""
    _notes.append(make)


def registered_notes() -> list[MakeNote]:
    return list(_notes)
