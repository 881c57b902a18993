"""Merges several annotations of one tag: a reviewer decides part by part, which also accepts the merge.

The originals stay as submitted, and the merge records for each field the annotations with the same value.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.refusals import Forbidden, Refusal
from core.writing.locking import lock

from ..assisting.model_suggestions import machine_made
from ..content.checks import find_problems
from ..content.fields import FIELDS, Content
from ..content.parts import Choice, Merged, Part, equal_to, merge_parts, parts_of
from ..content.rows import columns_of, content_of, write_rows
from ..desk.decisions import accept_annotation
from ..desk.visibility import annotations_for
from ..models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Contribution,
    Passage,
    PassageSource,
    ReviewState,
    Tag,
)

PASSAGES = {1: "paragraphA_information", 2: "paragraphB_information"}


class NotMerged(Refusal):
    """Raised if something prevents the merge: messages under the name of the part where each can be fixed."""

    def __init__(self, problems: Mapping[str, Sequence[str]], labels: Mapping[str, str]):
        said = [f"{labels.get(name, name)}: {message}" for name, messages in problems.items() for message in messages]
        super().__init__("Not merged. Nothing was changed.  " + " ".join(said), status=400)
        self.problems = {name: list(messages) for name, messages in problems.items()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Annotations of a tag that can be merged, in order of creation, and the parts in which they are compared."""

    originals: list[Annotation]
    contents: list[Content]
    parts: list[Part]

    @property
    def versions(self) -> dict[int, int]:
        return {each.pk: each.version for each in self.originals}

    def index_of(self, annotation: int) -> int:
        """The index of this annotation. Raises Refusal if it is not one of them."""
        for index, each in enumerate(self.originals):
            if each.pk == annotation:
                return index
        raise Refusal(say("This is not one of the annotations that can be merged. Nothing was changed."), status=400)


def comparison_of(tag: Tag, *, reviewer: User) -> Comparison:
    """The annotations of the tag that wait for review together, compared.

    Raises Refusal if there are not two or more: while others still write, after a decision, or if this person may not
    know of them; and Forbidden if they wrote one of them.
    """
    originals = list(waiting_together(tag.pk, reviewer).with_parts().order_by("pk"))
    if any(each.annotator_id == reviewer.pk for each in originals):
        raise Forbidden(
            say("You wrote one of these annotations, so another person has to merge them. Nothing was changed.")
        )
    if len(originals) < 2:
        raise Refusal(
            say(
                "No two annotations of this tag are waiting for review together: one was decided on, returned or "
                "taken back, or others are still writing. Nothing was changed. The page of each annotation shows "
                "its state."
            )
        )
    contents = [content_of(each) for each in originals]
    return Comparison(originals, contents, parts_of(contents))


def waiting_together(tag: int, reviewer: User) -> Any:
    """The annotations of the tag that this person may merge, where there are two or more."""
    written = annotations_for(reviewer).filter(tag=tag, merged_by=None)
    return written.in_review_state(ReviewState.WAITING, reviewer)


@transaction.atomic
def merge_annotations(
    *, tag: Tag, reviewer: User, choices: Mapping[str, Choice], seen_versions: Mapping[int, int]
) -> Annotation:
    """Merge the waiting annotations of the tag; accept and return the result. If one of them has exactly the same
    content, that one is accepted as it is.

    `seen_versions` are the versions that the page showed, by annotation. Raises Refusal as `comparison_of` does, or
    if any of them changed since, and NotMerged if something is undecided or the merge could not be submitted.
    """
    # Taking back, returning or accepting one has to wait, so the states cannot change below.
    lock(Annotation.objects.filter(tag=tag))
    compared = comparison_of(tag, reviewer=reviewer)
    if compared.versions != dict(seen_versions):
        raise Refusal(
            say(
                "The annotations of this tag changed since you opened the page, or another came in. Read them again; "
                "nothing was changed."
            )
        )
    merged = merge_parts(compared.contents, compared.parts, choices)
    _refuse_unfinished(compared, merged)
    one = equal_to(merged, compared.contents)
    if one is not None:
        accept_annotation(annotation=compared.originals[one], reviewer=reviewer)
        return compared.originals[one]
    try:
        with transaction.atomic():
            return _write_merge(tag, reviewer, compared, merged)
    except IntegrityError as error:
        raise Refusal(
            say("Not merged: another annotation of this tag was accepted at the same moment. Nothing was changed.")
        ) from error


def _refuse_unfinished(compared: Comparison, merged: Merged) -> None:
    problems: dict[str, list[str]] = defaultdict(list)
    for part in merged.undecided:
        problems[part.name].append(say("Decide on this."))
    for problem in () if problems else find_problems(merged.content):
        problems[_part_of(problem.field, compared, merged)].append(problem.message)
    if problems:
        raise NotMerged(problems, {part.name: part.label for part in compared.parts})


def _part_of(field: str, compared: Comparison, merged: Merged) -> str:
    """The part where a problem of this field can be fixed; for a field outside all parts, the first part of its
    step.
    """
    if field in merged.parts:
        return merged.parts[field]
    step = FIELDS[field].step
    return next((part.name for part in compared.parts if part.step == step), compared.parts[0].name)


def _write_merge(tag: Tag, reviewer: User, compared: Comparison, merged: Merged) -> Annotation:
    now = timezone.now()
    merge = merge_of(tag) or Annotation(tag=tag, submitted_at=now)
    before = {} if merge.pk is None else {"state": merge.state, "version": merge.version}
    values = columns_of(merged.content) | {
        "merged_by": reviewer,
        "state": AnnotationState.ACCEPTED,
        "version": merge.version + 1,
        "submitted_at": now,
        "saved_at": now,
        "reviewed_by": reviewer,
        "reviewed_at": now,
        "review_message": "",
        "machine_made": _machine_made(compared, merged.content),
        "guideline_id": _common_guideline(compared),
    }
    for name, value in values.items():
        setattr(merge, name, value)
    merge.save()
    write_rows(merge, merged.content)
    _copy_sources(merge, compared, merged)
    _write_contributions(merge, compared, merged)
    Event.record(
        AnnotationAction.MERGED,
        merge,
        actor=reviewer,
        before=before,
        after={"state": merge.state, "version": merge.version, "of": compared.versions},
    )
    return merge


def merge_of(tag: Tag) -> Annotation | None:
    """An earlier merge that a reviewer reconsidered: it is written again."""
    return Annotation.objects.filter(tag=tag, merged_by__isnull=False).first()


def _common_guideline(compared: Comparison) -> int | None:
    """The version of the guideline by which all originals were annotated; None if they differ."""
    versions = {original.guideline_id for original in compared.originals}
    return versions.pop() if len(versions) == 1 else None


def _machine_made(compared: Comparison, content: Content) -> list[dict[str, Any]]:
    """Text suggested by models for any of the originals, as far as the merge still has it."""
    found: dict[str, dict[str, Any]] = {}
    for each in (made for original in compared.originals for made in machine_made(original, content)):
        if each["field"] not in found or each["as_drafted"] > found[each["field"]]["as_drafted"]:
            found[each["field"]] = each
    return list(found.values())


def _copy_sources(merge: Annotation, compared: Comparison, merged: Merged) -> None:
    """Copy the sources of a passage taken from an annotation."""
    rows = {passage.position: passage for passage in Passage.objects.filter(annotation=merge)}
    PassageSource.objects.filter(passage__in=rows.values()).delete()
    for position, name in PASSAGES.items():
        for index in merged.origins.get(name, [])[:1]:
            of_it = {"passage__annotation": compared.originals[index], "passage__position": position}
            for source in PassageSource.objects.filter(**of_it).order_by("pk"):
                source.pk, source.passage = None, rows[position]
                source.save(force_insert=True)


def _write_contributions(merge: Annotation, compared: Comparison, merged: Merged) -> None:
    Contribution.objects.filter(annotation=merge).delete()
    rows = []
    for field, origins in merged.origins.items():
        said = [compared.originals[index] for index in origins]
        rows += [Contribution(annotation=merge, field=field, original=each, version=each.version) for each in said]
        if not said:
            rows.append(Contribution(annotation=merge, field=field))
    Contribution.objects.bulk_create(rows)


@dataclass(frozen=True, slots=True)
class Contributed:
    """A field of a merge: its name and label, and who contributed it."""

    field: str
    label: str
    originals: list[int]
    people: list[str]


def contributions_to(merge: Annotation) -> list[Contributed]:
    """The contributor of each field, in the order of the form; nothing for an annotation that is not a merge."""
    if not merge.is_merge:
        return []
    by_field: dict[str, list[Contribution]] = defaultdict(list)
    rows = Contribution.objects.filter(annotation=merge).select_related("original__annotator").order_by("original")
    for row in rows:
        by_field[row.field].append(row)
    return [
        Contributed(
            name,
            FIELDS[name].label,
            [row.original_id for row in by_field[name] if row.original_id is not None],
            [row.original.writer if row.original else str(merge.merged_by) for row in by_field[name]],
        )
        for name in FIELDS
        if name in by_field
    ]
