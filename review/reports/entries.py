"""The entries in the list of reports, including those that benchmarks register when the program starts."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.kinds.registry import annotated

from ..rounds.keeping.registered import kept_by
from ..rounds.keeping.verdicts import VERDICT
from .layout import Note

# What makes instances related: the tag that questions are about, the source that documents come from.
TAG, SOURCE, INSTANCE = "tag", "source", "instance"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry in the list of reports: `make` takes a `Scope` and returns a `Report`. A report with `breakdowns`
    takes one of them (`by`) and a `page`; without these it has them all.
    """

    make: Callable[..., Any]
    label: str
    about: str
    # Which parts of a scope narrow it.
    narrowed_by: tuple[str, ...] = ("release", "run", "round")
    breakdowns: tuple[str, ...] = ()
    benchmark: str = field(default_factory=lambda: annotated().code)
    # Puts what the paper prints beside its numbers, of a table that the paper has.
    printed: Callable[[Any], Any] | None = None
    # The questionnaire of the rounds that narrow it; "" for those whose outcomes are final verdicts.
    questionnaire: str = ""
    # Whether it counts the responses of all benchmarks.
    is_across: bool = False
    # What its intervals resample unless single instances are asked for: whatever makes instances related.
    related_by: str = ""
    # Whether it tells models or runs apart: closed to those who judge in an unfinished round.
    names_models: bool = True

    @property
    def questionnaires(self) -> list[str]:
        """The questionnaires of the rounds that narrow it."""
        return [self.questionnaire] if self.questionnaire else kept_by(VERDICT)

    def report(self, scope: Any, **options: Any) -> Any:
        """The report over the responses in this scope of its benchmark."""
        report = self.make(replace(scope, benchmark="" if self.is_across else self.benchmark), **options)
        if not self.related_by or not report.lead:
            return report
        unit = f"single {self.instances}" if scope.by_instance else f"whole {self.related_by}s"
        why = "as if none were related" if scope.by_instance else f"as {self.instances} of one are related"
        data = {**report.data, "resampled_by": INSTANCE if scope.by_instance else self.related_by}
        note = Note(f"Intervals and tests resample {unit}, {why}.")
        return replace(report, data=data, notes=[*report.notes, note])

    @property
    def instances(self) -> str:
        return "questions" if self.related_by == TAG else "documents"


_registered: dict[str, Entry] = {}


def register(name: str, entry: Entry) -> None:
    """Register a report under this name. Its computation is imported when it is made: a worker does not need it."""
    _registered[name] = entry


def registered() -> dict[str, Entry]:
    return dict(_registered)
