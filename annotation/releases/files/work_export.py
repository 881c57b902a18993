"""Exports how annotations were made: the paper's record has no field for it.

One JSON object per line for each annotation that was begun here, and for each merge. `lead_time`, in seconds, is
Label Studio's word: https://labelstud.io/guide/task_format.
"""

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Q

from core.engine.writing.pieces import few_at_a_time
from core.files.writing import json_lines
from core.languages.kept import said
from core.models import User

from ...content.paper_record import BY_PROGRAM, FOUND_BY
from ...content.rows import passages_of
from ...content.word_changes import KEPT, Change, word_changes
from ...desk.drafts.sources import changes_by_hand
from ...desk.drafts.time import moves_of, seconds_per_step
from ...desk.visibility import as_shown, known_to
from ...models import Annotation, CounterpartOffer, ModelSuggestion, Passage, PassageSource, Suggestion
from ...reviewing.merging import contributions_to


def work_lines(reader: User | None = None, tags: Collection[int] | None = None) -> Iterator[str]:
    """The lines of all annotations, or of those of some tags, that `reader` may know of; None may know of all."""
    made_here = Q(annotator__isnull=False) | Q(merged_by__isnull=False)
    if tags is not None:
        made_here &= Q(tag__in=tags)
    begun = Annotation.objects.without_checks().filter(made_here, known_to(reader), version__gt=0)
    rows = (
        begun.select_related("tag__article", "draft")
        .defer("tag__article__wikitext")
        .prefetch_related("passages")
        .order_by("pk")
    )
    return json_lines(map(work_record, as_shown(few_at_a_time(rows), reader=reader)))


def work_record(annotation: Annotation) -> dict[str, object]:
    """The making of one annotation, as far as it is known. Times are active seconds."""
    times = seconds_per_step(annotation)
    moves = moves_of(Annotation.objects.filter(pk=annotation.pk)).get(annotation.pk)
    found_by = {FOUND_BY: BY_PROGRAM} if annotation.tag.is_found_by_program else {}
    suggestions = Suggestion.objects.filter(annotation=annotation).order_by("field")
    return {
        "title": annotation.tag.article.title,
        "url": annotation.tag.article.url,
        "tag": annotation.tag.raw,
        **found_by,
        "annotation": annotation.pk,
        "state": annotation.state,
        "without_review": annotation.is_accepted_without_review,
        "guideline": annotation.guideline_id,
        "lead_time": sum(times.values()),
        "seconds_per_step": {str(step): seconds for step, seconds in times.items()},
        "actions": moves.actions if moves else None,
        "typed_characters": moves.typed if moves else None,
        "passages": [_passage(passage) for passage in passages_of(annotation)],
        "suggestions": [
            {"field": row.field, "suggested": row.suggested, "outcome": row.outcome} for row in suggestions
        ],
        "machine_drafts": [
            {"target": row.target, "model": row.model, "suggested": row.texts, "outcome": row.state}
            for row in ModelSuggestion.objects.filter(annotation=annotation)
        ],
        "counterparts": _counterparts(annotation),
        "machine_made": annotation.machine_made,
        "merged_from": [
            {"field": each.field, "annotations": each.originals} for each in contributions_to(annotation)
        ],
    }


def _counterparts(annotation: Annotation) -> dict[str, object] | None:
    """The suggested counterparts and the one taken; None for an annotation whose desk never asked for any."""
    offer = CounterpartOffer.objects.filter(annotation=annotation).first()
    if offer is None:
        return None
    return {
        "is_on": offer.is_on,
        "shown": [_counterpart(each) for each in offer.shown],
        "ranked_by": offer.model,
        "taken": offer.taken,
        "taken_with": offer.taken_with,
    }


def _counterpart(shown: dict[str, Any]) -> dict[str, object]:
    """One suggestion without the number of its page in this database; of a pair, the first text within the second."""
    names = ("kind", "start", "end", "text", "heading", "chance", "score", "reason")
    first = {"passage_1": _counterpart(shown["passage_1"])} if "passage_1" in shown else {}
    reason = {"reason": said(shown["reason"])} if "reason" in shown else {}
    return {name: shown[name] for name in names if name in shown} | reason | first


def _passage(passage: Passage) -> dict[str, object]:
    sources = PassageSource.objects.filter(passage=passage.pk).select_related("evidence")
    standalone = word_changes(passage.text, passage.standalone_text) if passage.standalone_text else []
    return {
        "position": passage.position,
        "sources": [
            {
                "title": source.evidence.title,
                "language": source.evidence.language,
                "revision_id": source.evidence.revision_id,
                "url": source.evidence.url,
                "start": source.start,
                "end": source.end,
                "kind": source.kind,
                "text": source.text,
            }
            for source in sources.order_by("pk")
        ],
        "changed_by_hand": _pairs(changes_by_hand(passage)),
        "changed_to_stand_alone": _pairs(standalone),
    }


def _pairs(changes: list[Change]) -> list[list[str]]:
    """The removed and added text, piece by piece, without the kept text."""
    return [[change.kind, change.text] for change in changes if change.kind != KEPT]
