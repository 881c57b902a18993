"""The worker's work for claims: makes those that admins asked for on a page, or whose making was interrupted."""

import logging

from celery import shared_task
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.refusals import Refusal
from core.waking import wake

from ..models import ClaimSet
from .making import MAKING_LEASE, make_claims
from .twins import make_twins

log = logging.getLogger(__name__)


def sets_to_make() -> QuerySet[ClaimSet]:
    """Sets with claims to be made that nobody is making: new ones, or those whose process died."""
    lapsed = Q(making_until=None) | Q(making_until__lte=timezone.now())
    return ClaimSet.objects.filter(lapsed, finished_at=None).order_by("pk")


@shared_task(ignore_result=True)
def make_claims_asked_for() -> None:
    """Make claims that are waiting. The clock sends this, and asking for claims sends it immediately."""
    for claim_set in sets_to_make().select_related("twins_of"):
        taken = sets_to_make().filter(pk=claim_set.pk).update(making_until=timezone.now() + MAKING_LEASE)
        if taken:
            go_on(claim_set)


def go_on(claim_set: ClaimSet) -> None:
    """Make the claims that are left of a set. Those that cannot be made now wait for the clock."""
    try:
        if claim_set.twins_of:
            make_twins(seed=claim_set.seed, of=claim_set.twins_of.seed)
        else:
            make_claims(seed=claim_set.seed, leave_out_living=claim_set.leaves_out_living)
    except Refusal as refusal:
        log.warning("%s wait: %s", claim_set, refusal)


def wake_making() -> None:
    """Have a worker make claims that are waiting immediately."""
    if sets_to_make().exists():
        wake(make_claims_asked_for)
