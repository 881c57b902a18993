"""Facts about the making of a release's annotations, counted when it is made, as they can change afterwards, and
their text in the datasheet. Apps above register their own measurements.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Protocol

from django.db.models import Count, QuerySet

from core.models import Event

from ...models import Annotation, AnnotationAction, AnnotationState, ModelSuggestion, Release, SuggestionState
from ..sheet_parts import Section, Table

NOT_KEPT = "These numbers were not kept when this release was made."
# Agreement on questions: name, n, and the numbers by name, each with a reason where it is not defined.
Agreement = list[dict[str, Any]]


class MeasureAgreement(Protocol):
    def __call__(self, annotations: QuerySet[Annotation], /) -> Agreement:
        """Measure the agreement of annotators on accepted annotations.

        Returns:
            For each question that was asked twice: its name, n, and the coefficients, as plain JSON.
        """


_agreements: list[MeasureAgreement] = []


def register_agreement(measure: MeasureAgreement) -> None:
    """Register the function that measures agreement over each new release's annotations."""
    _agreements.append(measure)


def making_facts(annotations: QuerySet[Annotation]) -> dict[str, Any]:
    """Facts about these accepted annotations, as plain JSON."""
    others = Annotation.objects.without_checks().exclude(state=AnnotationState.ACCEPTED).order_by()
    returned = Event.objects.filter(action=AnnotationAction.RETURNED)
    return {
        "left_out": dict(others.values_list("state").annotate(count=Count("pk"))),
        "returned": returned.count(),
        "without_review": annotations.filter(needs_review=False).count(),
        "suggestions": _suggestions(annotations),
        "agreement": [each for measure in _agreements for each in measure(annotations)],
    }


def _suggestions(annotations: QuerySet[Annotation]) -> list[dict[str, Any]]:
    """The models that suggested texts for these annotations, with their prompts and the outcomes."""
    rows = ModelSuggestion.objects.filter(annotation__in=annotations).order_by("model")
    found = []
    for model in rows.values_list("model", flat=True).distinct():
        own = rows.filter(model=model)
        prompts = {hashlib.sha256(prompt.encode()).hexdigest() for prompt in own.values_list("prompt", flat=True)}
        counts = dict(own.order_by().values_list("state").annotate(count=Count("pk")))
        found.append({"model": model, "prompts": len(prompts), "outcomes": counts})
    return found


def making_sections(release: Release, *, found_by_program: int = 0) -> Iterator[Section]:
    """Agreement, suggestions by models, what was left out, maintenance and known defects. `found_by_program` is the
    number of tags that no editor left.
    """
    facts = release.how_made.get("making")
    if facts is None:
        yield Section("Agreement of annotators and what was left out", [NOT_KEPT])
    else:
        yield _agreement(facts["agreement"])
        yield from _suggested(facts["suggestions"])
        yield _left_out(facts)
    yield _maintenance()
    yield _defects(release, found_by_program)


def _agreement(found: Agreement) -> Section:
    rows = [(each["name"], f"{each['n']:,}", *map(_number, (each["same"], each["alpha"]))) for each in found]
    says = "Of released tags that two people or more annotated, from what each submitted first."
    if not any(each["n"] for each in found):
        return Section("Agreement of annotators", ["No released tag has annotations by two people here."])
    return Section(
        "Agreement of annotators", [says], [Table(("What", "Pairs", "Same", "Krippendorff's alpha"), rows)]
    )


def _number(number: dict[str, Any]) -> str:
    return f"not defined: {number['reason']}" if number["value"] is None else f"{number['value']:.2f}"


def _suggested(found: list[dict[str, Any]]) -> Iterator[Section]:
    if not found:
        return
    rows = [
        (
            each["model"],
            f"{each['prompts']:,}",
            "; ".join(f"{SuggestionState(state).label}: {count:,}" for state, count in each["outcomes"].items()),
        )
        for each in found
    ]
    says = "Models suggested texts to annotators, who used, changed or rejected them."
    yield Section("Suggestions by models", [says], [Table(("Model", "Prompts", "Outcomes"), rows)])


def _left_out(facts: dict[str, Any]) -> Section:
    labels = {state: AnnotationState(state).label for state in facts["left_out"]}
    rows = [(f"Annotations: {labels[state]}", f"{count:,}") for state, count in sorted(facts["left_out"].items())]
    rows.append(("Times that a reviewer returned an annotation", f"{facts['returned']:,}"))
    return Section("What was left out", ["As it was when the release was made."], [Table(("What", "Count"), rows)])


def _maintenance() -> Section:
    return Section(
        "Maintenance",
        [
            "A release never changes. A correction is a new release with a number and a content hash of its own, and "
            "the page of a release lists what changed since the one before. Tell those who publish it about errors."
        ],
    )


def _defects(release: Release, found_by_program: int) -> Section:
    made, total = release.how_made, release.records.count()
    rows = []
    if made:
        rows += [
            ("Tags annotated by one person only, or imported", f"{total - made['annotated_twice']:,} of {total:,}"),
            ("Annotations that no reviewer saw here, as they were imported", f"{made['imported']:,} of {total:,}"),
        ]
    if made and (without := made.get("making", {}).get("without_review")):
        rows.append(
            ("Annotations accepted without review, as only a sample was reviewed", f"{without:,} of {total:,}")
        )
    alone = "tagged, or that a program found by comparing texts," if found_by_program else "tagged"
    return Section(
        "Known defects",
        [
            f"Only contradictions that an editor of Wikipedia {alone} are here. Articles change: a passage may be "
            "corrected by now, and a model may know either version. Several questions about one tag are related."
        ],
        [Table(("What", "Count"), rows)] if rows else [],
    )
