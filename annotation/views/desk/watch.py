"""On the desk: changes of the tag in its article, and a new check."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.languages import say
from core.models import Role
from core.outside import whole_number
from core.refusals import Refusal
from core.waking import wake
from core.web.access import SignedInRequest, role_required

from ...evidence.watch import ask_to_look
from ...evidence.watched import watched
from ...models import Annotation
from ...reviewing.queue import find_annotation
from ...tasks import watch_tag
from .evidence import DESK, REVIEWS
from .own import own_annotation

MOST_TRIES = 30  # two seconds apart
EXPIRES = 120


@role_required(Role.ANNOTATOR)
@never_cache
@require_http_methods(["GET", "POST"])
def own(request: SignedInRequest, pk: int) -> HttpResponse:
    return _look(request, own_annotation(request, pk), DESK)


@role_required(Role.REVIEWER, Role.ADMIN)
@never_cache
@require_http_methods(["GET", "POST"])
def review(request: SignedInRequest, pk: int) -> HttpResponse:
    return _look(request, find_annotation(reviewer=request.user, pk=pk), REVIEWS)


def _look(request: SignedInRequest, annotation: Annotation, desk: str) -> HttpResponse:
    """POST asks a worker to check; GET shows the result, and with `?since=` waits for the requested check."""
    tag = annotation.tag
    found = watched(annotation, reader=request.user)
    since, tries = (_number(request.GET.get(name)) for name in ("since", "tries"))
    if request.method == "POST":
        if not found.can_look:
            raise Refusal(
                say("The wiki of this article is not allowed, so it cannot be checked. Nothing was changed.")
            )
        since, tries = int(timezone.now().timestamp()), 0
        ask_to_look(tag=tag)
        wake(watch_tag, tag.pk, expires=EXPIRES)
        if not request.headers.get("HX-Request"):
            messages.success(request, say("A worker is checking the article now. Reload the page in a moment."))
            return redirect(f"{desk}_annotation", annotation.pk)
    is_awaited = bool(since) and not (found.looked_at and found.looked_at.timestamp() >= since)
    context = {
        "watched": found,
        "watch_address": reverse(f"{desk}_watch", args=[annotation.pk]),
        "tag": tag,
        "is_waiting": is_awaited and tries < MOST_TRIES,
        "is_given_up": is_awaited and tries >= MOST_TRIES,
        "since": since,
        "tries": tries + 1,
    }
    return render(request, "annotation/_pane_watch.html", context)


def _number(sent: str | None) -> int:
    return whole_number(sent, most=10**11) or 0
