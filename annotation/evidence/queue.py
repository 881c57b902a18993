"""The queue of evidence requests: each is claimed by one conditional UPDATE, held by a lease, and finished once.

Only one worker at a time asks a wiki for evidence, as https://www.mediawiki.org/wiki/API:Etiquette requests.
"""

import logging
import time
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from core.backoff import doubled
from core.engine.writing.pieces import in_pieces
from core.writing.leases import Hold, LeaseLost
from core.writing.locking import lock

from ..models import EvidenceRequest, RequestState, Wiki
from .fetching import NotToBeHad, TryLater, fetch_request
from .sharing import forget

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=3)
MOST_TRIES = 8
FIRST_PAUSE, LONGEST_PAUSE = 30.0, 6 * 3600.0  # seconds before a temporary error is retried; doubles each time


@transaction.atomic
def claim_request(request_id: int) -> EvidenceRequest | None:
    """Claim the request for the caller; None if it is finished or held, or if another worker is asking its wiki."""
    now = timezone.now()
    request = EvidenceRequest.objects.filter(pk=request_id).first()
    if request is None:
        return None
    if request.wiki_id:
        lock(Wiki.objects.filter(pk=request.wiki_id))
        running = EvidenceRequest.objects.filter(wiki=request.wiki_id, state=RequestState.RUNNING)
        if running.filter(lease_expires_at__gt=now).exclude(pk=request_id).exists():
            return None
    claimed = EvidenceRequest.objects.due(at=now).filter(pk=request_id)
    if not claimed.update(state=RequestState.RUNNING, lease_expires_at=now + LEASE, tries=F("tries") + 1):
        return None
    held = EvidenceRequest.objects.select_related("tag", "article__wiki", "wiki").get(pk=request_id)
    if held.tries > MOST_TRIES:
        _finish(
            _hold(held), RequestState.MISSING, reason=held.reason or "The worker stopped each time this was tried."
        )
        return None
    return held


def next_tags() -> list[int]:
    """For each wiki, the tag with the most urgent due evidence."""
    due = EvidenceRequest.objects.due().by_urgency().values_list("wiki", "tag")
    first: dict[int | None, int] = {}
    for wiki_id, tag_id in due[:2_000]:
        first.setdefault(wiki_id, tag_id)
    return list(dict.fromkeys(first.values()))


def work_off(tag_id: int, *, seconds: float = 60.0) -> int:
    """Fetch due evidence for a tag and its page, then for others, for about `seconds` seconds; returns the number of
    finished requests.
    """
    forget()
    until = time.monotonic() + seconds
    finished = 0
    stuck: set[int] = set()
    waiting = [tag_id]
    while waiting and time.monotonic() < until:
        tag_id = waiting[0]
        done = sum(fetch_claimed(request_id) for request_id in _due_with_siblings(tag_id))
        finished += done
        if not done:
            stuck.add(tag_id)  # another worker is asking its wiki
        waiting = [tag for tag in next_tags() if tag not in stuck]
    return finished


def _due_with_siblings(tag_id: int) -> list[int]:
    """The requests due for a tag, then for the other tags of its article, which need the same answers from the
    wiki."""
    due = EvidenceRequest.objects.due().by_urgency()
    own = list(due.filter(tag=tag_id).values_list("pk", flat=True))
    articles = EvidenceRequest.objects.filter(tag=tag_id).values("article")
    return own + list(due.filter(article__in=articles).exclude(tag=tag_id).values_list("pk", flat=True))


def fetch_claimed(request_id: int) -> bool:
    """Claim a request, fetch it and finish it; returns whether the claim succeeded. A repeated call does no harm."""
    request = claim_request(request_id)
    if request is None:
        return False
    hold = _hold(request)
    try:
        evidence = fetch_request(request, renew=hold.renew)
    except LeaseLost:
        return False
    except NotToBeHad as reason:
        _finish(hold, RequestState.MISSING, reason=str(reason))
    except TryLater as reason:
        _try_later(request, hold, reason)
    except DatabaseError:
        raise  # nothing can be written now; once the lease has lapsed, the next worker continues
    except Exception as error:
        logger.exception("evidence request %s", request.pk)
        unexpected = f"Something unexpected happened ({type(error).__name__}: {error})."
        _finish(hold, RequestState.MISSING, reason=unexpected[:2_000])
    else:
        _finish(hold, RequestState.DONE, evidence=evidence)
    return True


def _hold(request: EvidenceRequest) -> Hold:
    running = EvidenceRequest.objects.filter(pk=request.pk, state=RequestState.RUNNING)
    return Hold(request, running, lease=LEASE)


def _finish(hold: Hold, state: RequestState, *, reason: str = "", **values: object) -> None:
    hold.let_go(state=state, reason=reason, priority=0, **values)


def _try_later(request: EvidenceRequest, hold: Hold, reason: TryLater) -> None:
    """Postpone the request, longer each time, along with the other requests to a wiki that is in trouble."""
    if request.tries >= reason.most_tries:
        _finish(hold, RequestState.MISSING, reason=f"{reason} It was tried {request.tries} times.")
        return
    pause = max(reason.retry_after or 0.0, doubled(request.tries, first=FIRST_PAUSE, most=LONGEST_PAUSE))
    at = timezone.now() + timedelta(seconds=min(pause, LONGEST_PAUSE))
    hold.let_go(state=RequestState.WAITING, reason=str(reason), not_before=at)
    others = EvidenceRequest.objects.filter(wiki=request.wiki_id, wiki__isnull=False, state=RequestState.WAITING)
    # A large harvest has some 100,000 of them.
    sooner = list(others.filter(not_before__lt=at).values_list("pk", flat=True))
    in_pieces(sooner, lambda piece: others.filter(pk__in=piece, not_before__lt=at).update(not_before=at))
