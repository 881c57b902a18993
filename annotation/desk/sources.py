"""Where a passage comes from: stretches of the pages in the reading pane, and later changes by hand."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from core.models import User
from core.refusals import Refusal

from ..content.word_changes import KEPT, Change, word_changes
from ..models import Annotation, Evidence, Passage, PassageSource
from ..reading.selection import Selected, add_up, has_words, mended, select, tagged_offsets
from .visibility import pages_open_to

MOST_SOURCES = 30
OTHER_WORDS = (
    "The words that you selected are not those of the article. Your browser may be translating this page, or an "
    "extension may be changing it: turn that off, reload the page and select again. Nothing was changed."
)


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
) -> PassageSource:
    """Record that the text between two offsets of a page was selected for passage 1 or 2; several selections add up.
    Returns the passage.

    `offsets` count UTF-16 units of the page's text; None means the paragraph marked as the tag's. `words` are what
    the person saw selected. `is_first` says that the passage is empty, so that earlier selections are forgotten.
    Raises Refusal if the page has other words there, if nothing but marks was selected, or if the annotation is not
    this person's to write.
    """
    passage = _passage(annotation, annotator, position)
    pages = Evidence.objects.filter(pages_open_to(annotator), tag=annotation.tag_id)
    page = pages.filter(pk=evidence).select_related("page").first()
    if page is None:
        raise Refusal("This page of the reading pane is not kept with this tag. Reload the desk; nothing is lost.")
    selected = selected_in(page.html, offsets, words)
    here = {"evidence": page, "start": selected.start, "end": selected.end}
    if is_first:
        _of(passage).delete()
    elif _of(passage).filter(**here).exists():
        raise Refusal(f"Passage {position} already contains this text. Nothing was changed.")
    elif _of(passage).count() >= MOST_SOURCES:
        raise Refusal(f"A passage can have at most {MOST_SOURCES} selections. Nothing was changed.")
    return PassageSource.objects.create(passage=passage, text=selected.text, kind=selected.kind, **here)


def selected_in(html: str, offsets: tuple[int, int] | None, words: str) -> Selected:
    """What lies between two offsets of a page or, without them, in the paragraph marked as the tag's.

    Raises Refusal if the page has other words than `words` there, if no paragraph is marked, or if nothing but marks
    was selected."""
    if offsets and not has_words(html, *offsets, words):
        raise Refusal(OTHER_WORDS)
    offsets = offsets or tagged_offsets(html)
    if offsets is None:
        raise Refusal("The tagged paragraph is not marked in this page. Select it by hand; nothing was changed.")
    selected = select(html, *offsets)
    if selected is None:
        raise Refusal("You selected only citation marks and tags. Select words of the article.", status=400)
    return selected


@transaction.atomic
def clear_sources(*, annotation: Annotation, annotator: User, position: int) -> None:
    """Forget where a passage came from because it is being started afresh."""
    _of(_passage(annotation, annotator, position)).delete()


def refuse_position(position: int) -> None:
    if position not in (1, 2):
        raise Refusal("There are only passages 1 and 2. Nothing was changed.", status=400)


def _passage(annotation: Annotation, annotator: User, position: int) -> Passage:
    annotation.check_own(annotator)
    annotation.check_writable()
    refuse_position(position)
    return Passage.objects.get_or_create(annotation=annotation, position=position)[0]


def _of(passage: Passage) -> QuerySet[PassageSource]:
    return PassageSource.objects.filter(passage=passage.pk).order_by("pk")


def sources_of(annotation: Annotation) -> list[dict[str, Any]]:
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
    text = ""
    for source in _of(passage):
        text = add_up(text, source.text)
    return text


def is_changed_by_hand(passage: Passage) -> bool:
    selected = selected_text(passage)
    return bool(selected) and mended(passage.text) != mended(selected)


def changes_by_hand(passage: Passage) -> list[Change]:
    """The changes from what was selected to what the passage says; empty if nothing was changed or nothing
    selected."""
    changes = word_changes(selected_text(passage), passage.text) if is_changed_by_hand(passage) else []
    return changes if any(change.kind != KEPT for change in changes) else []
