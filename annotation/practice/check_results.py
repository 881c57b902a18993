"""People's results on check tags, beside the known answers."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from core.models import User

from ..content.fields import STEPS, empty_content
from ..content.rows import content_of
from ..models import Annotation, AnnotationState
from .comparing import Row, compare_step, needed_steps

MOST_SHOWN = 1_000


@dataclass
class CheckResult:
    """A person's annotation of a check tag beside the known answer."""

    annotation: Annotation
    rows: list[Row]

    @property
    def matched(self) -> int:
        return sum(row.agrees is True for row in self.rows)

    @property
    def of(self) -> int:
        return sum(row.agrees is not None for row in self.rows)


@dataclass
class PersonResult:
    """A person's results on check tags, newest first."""

    person: User
    results: list[CheckResult] = field(default_factory=list)

    @property
    def matched(self) -> int:
        return sum(result.matched for result in self.results)

    @property
    def of(self) -> int:
        return sum(result.of for result in self.results)

    def cells(self, labels: Collection[str]) -> list[tuple[int, int]]:
        """For each field, how often it agreed with the known answer, and how often it was compared."""
        rows = [row for result in self.results for row in result.rows if row.agrees is not None]
        own = [[row.agrees for row in rows if row.label == label] for label in labels]
        return [(sum(map(bool, agreed)), len(agreed)) for agreed in own]


def results_of_people() -> list[PersonResult]:
    """People who have submitted an annotation of a check tag, by user name, with the latest results of all."""
    submitted = Annotation.objects.filter(tag__check_tag__isnull=False, annotator__isnull=False)
    submitted = submitted.filter(state__in=AnnotationState.submitted()).with_parts()
    found: dict[int, PersonResult] = {}
    for annotation in submitted.select_related("tag__check_tag").order_by("-submitted_at", "-pk")[:MOST_SHOWN]:
        person = annotation.annotator
        assert person is not None  # noqa: S101
        result = CheckResult(annotation, list(_rows(annotation)))
        found.setdefault(person.pk, PersonResult(person)).results.append(result)
    return sorted(found.values(), key=lambda each: each.person.username)


def _rows(annotation: Annotation) -> Iterator[Row]:
    own = content_of(annotation)
    reference = empty_content() | annotation.tag.check_tag.reference
    for step in STEPS if own["wikitag_label_valid"] == "Valid" else (1,):
        if step in needed_steps(reference):
            yield from compare_step(step, own, reference).rows


def labels_of(people: Collection[PersonResult]) -> list[str]:
    """The names of the compared fields, in the order of the form."""
    labels: dict[str, None] = {}
    rows = (row for person in people for result in person.results for row in result.rows)
    return list(labels | {row.label: None for row in rows if row.agrees is not None})
