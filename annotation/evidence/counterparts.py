"""Counterparts of a tagged text among its evidence: suggested once for each annotation, and recorded with what was
taken.

Nothing is chosen by itself. The setting can be off, and an admin can have a share of the tags go without.
"""

import hashlib
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.models import Project, User
from core.refusals import Refusal

from ..assisting.counterparts.ranking import likely, rank
from ..assisting.counterparts.reasons import reason_for
from ..models import Annotation, CounterpartOffer, Evidence, EvidenceKind, Tag, TakenWith
from ..reading.page_sentences import PageTexts, page_texts
from ..reading.readable import as_read
from .pane import kept_article

LONGEST_SHOWN = 300


def offer_of(annotation: Annotation, annotator: User) -> CounterpartOffer | None:
    """The counterparts suggested for this annotation: the stored ones, or else new ones, which are stored.

    None while the article is not here, so that they are found once it is. Raises Forbidden if another person writes
    the annotation.
    """
    annotation.check_own(annotator)
    if stored := CounterpartOffer.objects.filter(annotation=annotation).first():
        return stored
    if not annotation.is_writable:
        return None
    is_on = is_offered(annotation.tag)
    article = kept_article(annotation.tag) if is_on else None
    if is_on and (article is None or not article.html):
        return None
    shown = counterparts_in(annotation.tag, article) if article else []
    return CounterpartOffer.objects.get_or_create(annotation=annotation, defaults={"is_on": is_on, "shown": shown})[0]


def is_offered(tag: Tag) -> bool:
    """Return whether counterparts are suggested for this tag: the setting is on, and the tag is not one of the share
    that goes without. The draw depends on the tag's number alone, so that all its annotators get the same.
    """
    project = Project.get()
    drawn = int(hashlib.sha256(f"counterparts:{tag.pk}".encode()).hexdigest()[:8], 16) % 100
    return project.counterparts_on and drawn >= project.counterparts_left_out_percent


def counterparts_in(tag: Tag, article: Evidence) -> list[dict[str, Any]]:
    """The likeliest counterparts of a tag's text, in the article or in the other article that the tag names."""
    page = page_texts(article.html, article.language or "en")
    own = page.tagged_texts()
    query = " ".join(page.texts[at].words for at in own)
    if not own and not article.details.get("tag_found"):
        query = as_read(tag.paragraph_clean)
    other = Evidence.objects.filter(tag=tag, kind=EvidenceKind.OTHER).select_related("page").order_by("pk").last()
    if other is not None and other.html:
        return _best(other, page_texts(other.html, other.language or "en"), query, [], tag.reason)
    return _best(article, page, query, own, tag.reason)


def _best(evidence: Evidence, page: PageTexts, query: str, own: list[int], reason: str) -> list[dict[str, Any]]:
    texts = [text.words if not text.is_heading else "" for text in page.texts]
    headings = [text.heading for text in page.texts]
    found = likely(rank(query, texts, own, reason=reason, headings=headings))
    return [
        {
            "evidence": evidence.pk,
            "kind": str(evidence.kind),
            "start": page.texts[one.position].start,
            "end": page.texts[one.position].end,
            "text": texts[one.position][:LONGEST_SHOWN],
            "heading": headings[one.position],
            "chance": round(one.chance, 3),
            "reason": reason_for(query, texts[one.position]),
        }
        for one in found
    ]


@transaction.atomic
def take_counterpart(*, annotation: Annotation, annotator: User, number: int, taken_with: str) -> None:
    """Record that a suggested counterpart was taken as a passage; the last one counts. Raises Refusal if there is no
    such suggestion.
    """
    annotation.check_own(annotator)
    annotation.check_writable()
    offer = CounterpartOffer.objects.select_for_update().filter(annotation=annotation).first()
    if offer is None or not 0 <= number < len(offer.shown) or taken_with not in TakenWith.values:
        raise Refusal("There is no such suggestion. Nothing was changed.", status=400)
    offer.taken, offer.taken_with, offer.taken_at = number, taken_with, timezone.now()
    offer.save(update_fields=["taken", "taken_with", "taken_at"])
