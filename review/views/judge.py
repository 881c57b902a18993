"""The judging page: one response after the other, and nothing of what others did.

Each view answers from the person's own places alone. There is no other way in for reviewers; see docs/reviewing.md.
"""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.access import SignedInRequest, role_required
from annotation.desk.spans import spans_of
from annotation.errors import Refusal
from annotation.models import Role

from ..forms import JudgmentForm
from ..judgments import find_place, hand_in, record_judgment, take_back
from ..models import ItemKind, Judgment, RoundReviewer
from ..rounds import is_settled, skip_training
from ..showing import ShownResponse
from ..turns import (
    can_take_back,
    find_reviewer,
    last_to_take_back,
    next_places,
    open_places,
    progress,
    rounds_of,
)

PER_PAGE = 50


@role_required(Role.REVIEWER)
@require_GET
def judge(request: SignedInRequest) -> HttpResponse:
    """Straight to the one round that is open, or the list of rounds."""
    rounds = rounds_of(request.user)
    working = [each for each in rounds if each.round.is_open]
    if len(working) == 1 and "all" not in request.GET:
        return redirect("judge_round", working[0].round.key)
    context = {"rounds": [(each, progress(each)) for each in rounds]}
    return render(request, "review/judge_rounds.html", context)


@role_required(Role.REVIEWER)
@never_cache
@require_GET
def judge_round(request: SignedInRequest, key: UUID) -> HttpResponse:
    reviewer = find_reviewer(person=request.user, round_key=key)
    return render(request, "review/judge.html", work(reviewer))


def work(reviewer: RoundReviewer) -> dict:
    """What the judging page shows: the response at hand, the one after it, how far the person is."""
    own = open_places(reviewer)
    places = next_places(reviewer, own=own)
    spans = spans_of(place.item.response.instance for place in places)
    shown = [(place, ShownResponse(place.item.response, spans[place.item.response.instance_id])) for place in places]
    return {
        "reviewer": reviewer,
        "round": reviewer.round,
        "current": shown[0] if shown else None,
        "following": shown[1] if len(shown) > 1 else None,
        "progress": progress(reviewer, own),
        "last": last_to_take_back(reviewer),
    }


@role_required(Role.REVIEWER)
@never_cache
@require_POST
def judgment(request: SignedInRequest, key: UUID) -> HttpResponse:
    """Take a verdict, answer with what comes next."""
    form = JudgmentForm(request.POST)
    if not form.is_valid():
        raise Refusal(
            "That is no judgment: " + " ".join(str(line) for lines in form.errors.values() for line in lines),
            status=400,
        )
    values = dict(form.cleaned_data)
    showing = values.pop("showing")
    place = find_place(person=request.user, key=key)
    given = record_judgment(place=place, reviewer=request.user, **values)
    reviewer = find_reviewer(person=request.user, round_key=given.round.key)
    explain = given if given.item.kind == ItemKind.TRAINING else None
    if not request.headers.get("HX-Request"):
        return (
            render(request, "review/judge.html", work(reviewer) | {"explain": explain})
            if explain
            else redirect("judge_round", given.round.key)
        )
    context = work(reviewer) | {"explain": explain}
    context["is_shown"] = not explain and context["current"] and context["current"][0].key == showing
    return render(request, "review/_judge.html", context)


@role_required(Role.REVIEWER)
@never_cache
@require_POST
def judgment_take_back(request: SignedInRequest, key: UUID) -> HttpResponse:
    place = find_place(person=request.user, key=key)
    take_back(place=place, reviewer=request.user)
    reviewer = find_reviewer(person=request.user, round_key=place.round.key)
    if not request.headers.get("HX-Request"):
        return redirect("judge_round", place.round.key)
    return render(request, "review/_judge.html", work(reviewer))


@role_required(Role.REVIEWER)
@require_POST
def judge_hand_in(request: SignedInRequest, key: UUID) -> HttpResponse:
    reviewer = find_reviewer(person=request.user, round_key=key)
    hand_in(reviewer=reviewer)
    messages.success(request, "Your judgments count from now on.")
    return redirect("judge_round", key)


@role_required(Role.REVIEWER)
@require_POST
def judge_skip_training(request: SignedInRequest, key: UUID) -> HttpResponse:
    skip_training(reviewer=find_reviewer(person=request.user, round_key=key))
    return redirect("judge_round", key)


@role_required(Role.REVIEWER)
@never_cache
@require_GET
def my_judgments(request: SignedInRequest, key: UUID) -> HttpResponse:
    """What the person judged in a round; with model and final verdict only once the round is settled."""
    reviewer = find_reviewer(person=request.user, round_key=key)
    settled = is_settled(reviewer.round)
    related = ["item__response__instance", "item__response__template"]
    if settled:
        related += ["item__response__model", "item__settlement"]
    own = Judgment.objects.given().filter(round=reviewer.round, reviewer=request.user).select_related(*related)
    page = Paginator(own.order_by("-judged_at", "-pk"), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "reviewer": reviewer,
        "round": reviewer.round,
        "page": page,
        "settled": settled,
        "now": timezone.now(),
        "can_take_back": reviewer.round.is_open and can_take_back(reviewer).exists(),
    }
    return render(request, "review/my_judgments.html", context)
