"""The sources of a passage: ranges of the pages in the reading pane, and later changes by hand."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import QuerySet

from core.languages import say
from core.models import User
from core.refusals import Refusal

from ...content.word_changes import KEPT, Change, word_changes
from ...models import Annotation, Evidence, Passage, PassageSource
from ...reading.selection import Selected, has_words, joined, mended, select, tagged_offsets
from ..visibility import pages_open_to
from .taken_counterparts import forget_removed_counterpart

MOST_SOURCES = 30
OTHER_WORDS = say(
    "The selected words are not those of the article. Your browser may be translating this page, or an "
    "extension may be changing it: turn that off, reload the page and select again. Nothing was changed."
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a passage: a range of a page in the reading pane."""

    evidence: int
    selected: Selected


@transaction.atomic
def select_passage(
    *,
    annotation: Annotation,
    annotator: User,
    evidence: int,
    offsets: tuple[int, int] | None,
    words: str,
    position: int,
    is_first: bool,
) -> Evidence:
    """Record that the text between two offsets of a page was selected for passage 1 or 2; several selections are
    combined by `with_part`. Returns the page.

    `offsets` count UTF-16 units of the page's text; None means the paragraph marked as the tag's. `words` are the
    selected words on the screen. `is_first` says that the passage is empty, so that earlier selections are dropped.
    Raises Refusal if the page has other words there, if nothing but marks was selected, or if the annotation is not
    this person's to write.
    """
    passage = _passage(annotation, annotator, position)
    page = _pages_for(annotation, annotator, [evidence])[evidence]
    part = Part(evidence, selected_in(page.html, offsets, words))
    before = [] if is_first else _parts_of(passage)
    _write(passage, with_part(before, part, page=page.html, position=position))
    return page


@transaction.atomic
def set_sources(
    *, annotation: Annotation, annotator: User, position: int, parts: Sequence[tuple[int, int, int]]
) -> None:
    """Set the sources of a passage to these pages, each with two offsets. The list is empty when the passage is
    started anew; earlier sources are restored when a change is undone. Raises Refusal as `select_passage` does.
    """
    passage = _passage(annotation, annotator, position)
    pages = _pages_for(annotation, annotator, [evidence for evidence, _, _ in parts])
    stretches = [(evidence, (start, end)) for evidence, start, end in parts]
    _write(passage, [Part(evidence, selected_in(pages[evidence].html, at)) for evidence, at in stretches])


def with_part(parts: list[Part], new: Part, *, page: str, position: int) -> list[Part]:
    """The parts of a passage plus another one, from `page`. Parts of one page are in its order, and adjacent ones are
    joined. Raises Refusal if the text is in the passage already, or if there are too many.
    """
    own = [part.selected for part in parts if part.evidence == new.evidence]
    if any(each.start <= new.selected.start and new.selected.end <= each.end for each in own):
        raise Refusal(say("Passage {position} already contains this text. Nothing was changed.", position=position))
    after: list[Part] = []
    for evidence in dict.fromkeys(part.evidence for part in (*parts, new)):
        if evidence == new.evidence:
            after += [Part(evidence, each) for each in joined(page, [*own, new.selected])]
        else:
            after += [part for part in parts if part.evidence == evidence]
    refuse_too_many(len(after))
    return after


def refuse_too_many(parts: int) -> None:
    if parts > MOST_SOURCES:
        raise Refusal(
            say(
                "A passage can have at most {most} selections. Nothing was changed.",
                most=MOST_SOURCES,
            )
        )


def selected_in(html: str, offsets: tuple[int, int] | None, words: str | None = None) -> Selected:
    """The text between two offsets of a page or, without them, in the paragraph marked as the tag's.

    Raises Refusal if `words` are given and the page has others there, if no paragraph is marked, or if nothing but
    marks was selected.
    """
    if offsets and words is not None and not has_words(html, *offsets, words):
        raise Refusal(OTHER_WORDS)
    offsets = offsets or tagged_offsets(html)
    if offsets is None:
        raise Refusal(say("The tagged paragraph is not marked in this page. Select it by hand; nothing was changed."))
    selected = select(html, *offsets)
    if selected is None:
        raise Refusal(say("You selected only citation marks and tags. Select words of the article."), status=400)
    return selected


def refuse_position(position: int) -> None:
    if position not in (1, 2):
        raise Refusal(say("There are only passages 1 and 2. Nothing was changed."), status=400)


def _passage(annotation: Annotation, annotator: User, position: int) -> Passage:
    """The passage, locked."""
    annotation.check_own(annotator)
    annotation.check_writable()
    refuse_position(position)
    return Passage.objects.select_for_update().get_or_create(annotation=annotation, position=position)[0]


def _pages_for(annotation: Annotation, annotator: User, numbers: Sequence[int]) -> dict[int, Evidence]:
    kept = Evidence.objects.filter(pages_open_to(annotator), tag=annotation.tag_id, pk__in=numbers)
    pages = kept.select_related("page").in_bulk()
    if not pages.keys() >= set(numbers):
        raise Refusal(
            say("This page of the reading pane is not kept with this tag. Reload the desk; nothing is lost.")
        )
    return pages


def _parts_of(passage: Passage) -> list[Part]:
    rows = _of(passage)
    return [Part(row.evidence_id, Selected(row.text, row.kind, row.start, row.end)) for row in rows]


def _write(passage: Passage, parts: Sequence[Part]) -> None:
    """Store these as the sources of the passage, in this order."""
    since = {(row.evidence_id, row.start, row.end): row.selected_at for row in _of(passage)}
    _of(passage).delete()
    rows = []
    for part in parts:
        at = (part.evidence, part.selected.start, part.selected.end)
        row = PassageSource(passage=passage, evidence_id=part.evidence, **asdict(part.selected))
        row.selected_at = since.get(at, row.selected_at)
        rows.append(row)
    PassageSource.objects.bulk_create(rows)
    forget_removed_counterpart(passage.annotation)


def _of(passage: Passage) -> QuerySet[PassageSource]:
    return PassageSource.objects.filter(passage=passage.pk).order_by("pk")


def sources_of(annotation: Annotation) -> list[dict[str, object]]:
    """The sources of both passages as plain values, for the page's script."""
    rows = PassageSource.objects.filter(passage__annotation=annotation).select_related("passage", "evidence")
    return [
        {
            "position": row.passage.position,
            "evidence": row.evidence_id,
            "page": row.evidence.kind,
            "title": row.evidence.title,
            "revision": row.evidence.revision_id,
            "start": row.start,
            "end": row.end,
            "text": row.text,
            "kind": row.kind,
        }
        for row in rows.order_by("pk")
    ]


def selected_text(passage: Passage) -> str:
    """The text that was selected for the passage; "" if it was typed."""
    return "\n".join(source.text for source in _of(passage))


def is_changed_by_hand(passage: Passage) -> bool:
    selected = selected_text(passage)
    return bool(selected) and mended(passage.text) != mended(selected)


def changes_by_hand(passage: Passage) -> list[Change]:
    """The changes from the selection to the passage; empty if nothing was changed or nothing selected."""
    changes = word_changes(selected_text(passage), passage.text) if is_changed_by_hand(passage) else []
    return changes if any(change.kind != KEPT for change in changes) else []
