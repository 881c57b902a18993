"""Exports people's answers in rounds of other questionnaires than the three verdicts, and the final answers, one row
at a time.

The same rules hold as for judgments: pseudonyms, nothing that can still be taken back, and for a person who judges in
a round nothing of it until it is finished.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import QuerySet

from annotation.kinds.registry import benchmark
from core.engine.writing.pieces import in_chunks
from core.models import User

from ..models import FinalAnswers, Item, Judgment
from ..models.subjects import load_subjects, subject_kinds
from ..rounds.keeping.registered import kept_by
from ..rounds.keeping.verdicts import VERDICT
from .judgment_exports import CHUNK, DECIDED, EVERYTHING, SAID, Names, Within, is_set_aside, rounds_shown_to, said


def _about_columns() -> tuple[str, ...]:
    return ("round", "form", *subject_kinds(), "response", "instance", "document", "release", "model", "template")


def answer_columns() -> tuple[str, ...]:
    """The columns of `answer_rows`; each registered kind of subjects has one."""
    return (*_about_columns(), "number", "reviewer", "answers", *SAID)


def final_answer_columns() -> tuple[str, ...]:
    """The columns of `final_answer_rows`."""
    return (*_about_columns(), "outcome", "answers", *DECIDED)


Row = TypeVar("Row", Judgment, FinalAnswers)
PATHS = {"response": "item__response", "round": "round", "release": "round__release__number"}
SUBJECTS = (
    "item__instance",
    "item__response__run__release",
    "item__response__model",
    "item__response__template",
    "round__release",
)


def answer_rows(
    *, person: User | None = None, names: bool = False, at: datetime | None = None, within: Within = EVERYTHING
) -> Iterator[dict[str, object]]:
    """Everybody's answers that count."""
    judgments = Judgment.objects.shown().ordinary().fixed(at=at).filter(round__in=rounds_shown_to(person))
    judgments = judgments.filter(within.rows(**PATHS))
    judgments = judgments.exclude(round__questionnaire__in=kept_by(VERDICT)).annotate(
        is_set_aside=is_set_aside("item__instance")
    )
    judgments = judgments.select_related("round", "reviewer", *SUBJECTS).order_by("item", "number")
    people = Names(real=names)
    for judgment in with_subjects(judgments):
        yield _about(judgment.item, judgment) | {
            "number": judgment.number,
            "reviewer": people.of(judgment.reviewer, _release_id(judgment.item, judgment)),
            "answers": judgment.answers,
            **said(judgment),
        }


def final_answer_rows(
    *, person: User | None = None, names: bool = False, at: datetime | None = None, within: Within = EVERYTHING
) -> Iterator[dict[str, object]]:
    """The final answers for each subject: merged by the questionnaire's rules, or adjudicated."""
    finals = FinalAnswers.objects.filter(round__in=rounds_shown_to(person)).filter(within.rows(**PATHS))
    finals = finals.select_related("round", "item__adjudication__adjudicator", *SUBJECTS).order_by("item")
    finals = finals.annotate(is_set_aside=is_set_aside("item__instance"))
    if at is not None:
        finals = finals.filter(at__lte=at)
    people = Names(real=names)
    for final in with_subjects(finals):
        yield _about(final.item, final) | {
            "outcome": final.outcome,
            "answers": final.answers,
            **people.decided(final, _release_id(final.item, final)),
        }


def with_subjects(rows: QuerySet[Row]) -> Iterator[Row]:
    """The rows, with the subjects of their items read many at a time."""
    for some in in_chunks(rows.iterator(chunk_size=CHUNK), CHUNK):
        load_subjects(row.item for row in some)
        yield from some


def _about(item: Item, row: Judgment | FinalAnswers) -> dict[str, object]:
    """The subject: a response, an instance, or a row of a registered kind. `document` is its name in the benchmark's
    own files."""
    response, instance = item.response, item.instance
    if item.subject_kind:
        named = subject_kinds()[item.subject_kind].named(item.subject)
    else:
        named = {"document": _named(instance)}
    release = response.run.release if response else row.round.release
    return {
        "round": row.round.name,
        # The column that readers of these files know.
        "form": row.round.questionnaire,
        **{kind: named.get(kind, "") for kind in subject_kinds()},
        "response": str(response.key) if response else "",
        "instance": instance.key if instance else "",
        "document": named.get("document", ""),
        "release": release.number if release else None,
        "model": response.model.name if response else "",
        "template": response.template.label if response else "",
    }


def _named(instance: Any) -> str:
    identifier = benchmark(instance.benchmark).identifier
    return str((instance.content or {}).get(identifier, ""))


def _release_id(item: Item, row: Judgment | FinalAnswers) -> int | None:
    return item.response.run.release_id if item.response else row.round.release_id
