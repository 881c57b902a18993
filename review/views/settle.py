"""Settling disagreements: both judgments side by side, without names and without the model."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.access import SignedInRequest, role_required
from annotation.errors import Refusal
from annotation.models import Event, Role

from .. import adjudication as rules
from ..forms import ReasonForm, SettleForm
from ..models import SetAside
from ..pairing import complete_pairs
from ..rounds import hidden_from
from ..setting_aside import set_aside, take_back_in
from ..showing import ShownResponse

PER_PAGE = 50
# A reviewer gets in where the two settle it together; what they may see is decided row by row.
SETTLERS = (Role.ADJUDICATOR, Role.REVIEWER)


@role_required(*SETTLERS)
@never_cache
@require_GET
def settle(request: SignedInRequest) -> HttpResponse:
    """What waits, what is settled; or, with ?next, the one that waits longest."""
    # Not of rounds in which this person judges: that the page took longer would tell that something came in.
    complete_pairs(without=hidden_from(request.user))
    if "next" in request.GET:
        found = rules.next_adjudication(person=request.user)
        if found is not None:
            return redirect("settle_item", found.key)
        messages.success(request, "Nothing more waits to be settled by you.")
    show = "settled" if request.GET.get("show") == "settled" else "waiting"
    waiting = rules.waiting_for(request.user)
    settled = rules.adjudications_for(request.user).settled().order_by("-settled_at", "-pk")
    rows = (settled if show == "settled" else waiting).select_related(
        "round", "item__response__instance", "item__response__template", "adjudicator"
    )
    context = {
        "show": show,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "waiting": waiting.count(),
        "settled": settled.count(),
        "query": f"show={show}&",
    }
    return render(request, "review/settle.html", context)


@role_required(*SETTLERS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settle_item(request: SignedInRequest, key: UUID) -> HttpResponse:
    found = rules.find_adjudication(person=request.user, key=key)
    if request.method == "POST":
        form = SettleForm(request.POST)
        if not form.is_valid():
            raise Refusal(
                "Choose a verdict and say why: the reason is kept with it. Nothing was settled.", status=400
            )
        rules.settle(adjudication=found, person=request.user, **form.cleaned_data)
        messages.success(request, f"Settled: {form.cleaned_data['verdict'].replace('_', ' ')}.")
        following = rules.next_adjudication(person=request.user, after=found)
        return redirect("settle_item", following.key) if following else redirect("settle")
    if found.settled_at is None:
        rules.hold(found, request.user)
    instance = found.item.response.instance
    context = {
        "adjudication": found,
        "shown": ShownResponse(found.item.response),
        "sides": rules.both_sides(found),
        "events": Event.objects.about(found).select_related("actor"),
        "set_aside": SetAside.objects.active().filter(instance=instance).select_related("by").first(),
        "can_set_aside": request.user.has_role(Role.ADJUDICATOR),
        "place": found,
    }
    return render(request, "review/settle_item.html", context)


@role_required(*SETTLERS)
@require_POST
def settle_reopen(request: SignedInRequest, key: UUID) -> HttpResponse:
    found = rules.find_adjudication(person=request.user, key=key)
    rules.reopen(adjudication=found, person=request.user, reason=_reason(request))
    messages.success(request, "Open again. Reports say that it was reopened.")
    return redirect("settle_item", key)


@role_required(Role.ADJUDICATOR)
@require_POST
def settle_set_aside(request: SignedInRequest, key: UUID) -> HttpResponse:
    """Set the instance of a disagreement aside: found ambiguous, all its responses leave the reports."""
    found = rules.find_adjudication(person=request.user, key=key)
    set_aside(instance=found.item.response.instance, person=request.user, reason=_reason(request))
    messages.success(request, "Set aside. All responses to this question are out of the reports.")
    following = rules.next_adjudication(person=request.user, after=found)
    return redirect("settle_item", following.key) if following else redirect("settle")


@role_required(Role.ADJUDICATOR, Role.ADMIN)
@require_GET
def set_aside_list(request: SignedInRequest) -> HttpResponse:
    rows = SetAside.objects.select_related("instance", "by", "taken_back_by").order_by("-pk")
    context = {
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "active": SetAside.objects.active().count(),
    }
    return render(request, "review/set_aside.html", context)


@role_required(Role.ADJUDICATOR, Role.ADMIN)
@require_POST
def set_aside_take_back(request: SignedInRequest, pk: int) -> HttpResponse:
    row = SetAside.objects.select_related("instance").filter(pk=pk).first()
    if row is None:
        raise Refusal("There is nothing set aside at this address.", status=404)
    take_back_in(row=row, person=request.user)
    messages.success(request, "Taken back in: its responses count in reports again.")
    return redirect("set_aside")


def _reason(request: SignedInRequest) -> str:
    form = ReasonForm(request.POST)
    return form.cleaned_data["reason"] if form.is_valid() else ""
