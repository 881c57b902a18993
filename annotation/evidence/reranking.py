"""Counterparts ordered anew by a local model, ahead of the desk: a worker stores them, the desk only reads them.

The app that knows local models calls this. A tag whose order is not there in time keeps the plain one.
"""

import logging

from django.db.models import Exists, OuterRef, QuerySet

from ..models import CounterpartRanking, Evidence, EvidenceKind, EvidenceRequest, RequestState, Tag
from .counterparts import Score, counterparts_in, other_article
from .pane import kept_article

log = logging.getLogger(__name__)

# The pages that counterparts are found in.
KINDS = (EvidenceKind.ARTICLE, EvidenceKind.OTHER)
# Raised by libraries over a text.
FAILURES = (ValueError, RuntimeError, IndexError, OverflowError, TypeError)


def tags_to_rank(model: str) -> QuerySet[Tag]:
    """The tags in the queue, in its order, whose pages are here and were not ranked by this model."""
    of_tag = {"tag": OuterRef("pk")}
    awaited = EvidenceRequest.objects.filter(**of_tag, kind__in=KINDS, state__in=RequestState.unanswered())
    article = Evidence.objects.filter(**of_tag, kind=EvidenceKind.ARTICLE, page__isnull=False)
    ranked = CounterpartRanking.objects.filter(**of_tag, model=model)
    waiting = Tag.objects.offered().filter(Exists(article), ~Exists(awaited), ~Exists(ranked))
    return waiting.order_by("-priority", "pk")


def rank_by_model(tag: Tag, model: str, score: Score) -> None:
    """Store the counterparts of a tag in the order of this model, named with its version, or that it failed."""
    article, other = kept_article(tag), other_article(tag)
    if article is None:
        article = Evidence.objects.filter(tag=tag, kind=EvidenceKind.ARTICLE, page__isnull=False).latest("pk")
    try:
        shown = counterparts_in(tag, article, score) if article.html else None
    except FAILURES as error:
        log.warning("The model %s did not rank the counterparts of tag %s: %s", model, tag.pk, error)
        shown = None
    values = {"model": model, "article": article, "other": other, "shown": shown}
    CounterpartRanking.objects.update_or_create(tag=tag, defaults=values)
