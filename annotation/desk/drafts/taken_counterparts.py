"""The suggested counterpart that an annotator took, as long as the passages have its text."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.languages import say
from core.models import User
from core.refusals import Refusal

from ...models import Annotation, CounterpartOffer, PassageSource, TakenWith


@transaction.atomic
def take_counterpart(*, annotation: Annotation, annotator: User, number: int, taken_with: str) -> None:
    """Record that a suggested counterpart or pair was taken; the last one counts. Raises Refusal if there is no
    such suggestion, or if the passages do not have its text, for example because it was taken back meanwhile.
    """
    annotation.check_own(annotator)
    annotation.check_writable()
    offer = CounterpartOffer.objects.select_for_update().filter(annotation=annotation).first()
    if offer is None or not 0 <= number < len(offer.shown) or taken_with not in TakenWith.values:
        raise Refusal(say("There is no such suggestion. Nothing was changed."), status=400)
    if not _is_in_passages(annotation, offer.shown[number]):
        raise Refusal(say("The passages do not have the text of this suggestion. Nothing was changed."))
    offer.taken, offer.taken_with, offer.taken_at = number, taken_with, timezone.now()
    offer.save(update_fields=["taken", "taken_with", "taken_at"])


def forget_removed_counterpart(annotation: Annotation) -> None:
    """Record that no counterpart is taken, if the passages no longer have the text of the one that was: it was undone
    or cleared. Call this within the transaction that changes the sources of a passage.
    """
    taken = CounterpartOffer.objects.select_for_update().filter(annotation=annotation, taken__isnull=False)
    offer = taken.first()
    if offer is None or _is_in_passages(annotation, offer.shown[offer.taken or 0]):
        return
    offer.taken, offer.taken_with, offer.taken_at = None, "", None
    offer.save(update_fields=["taken", "taken_with", "taken_at"])


def _is_in_passages(annotation: Annotation, shown: dict[str, Any]) -> bool:
    """Return whether passage 2 has text of this suggestion and, for a pair, passage 1 the first text."""
    texts = {2: shown} | ({1: shown["passage_1"]} if "passage_1" in shown else {})
    sources = PassageSource.objects.filter(passage__annotation=annotation)
    return all(
        sources.filter(
            passage__position=position, evidence=text["evidence"], start__lt=text["end"], end__gt=text["start"]
        ).exists()
        for position, text in texts.items()
    )
