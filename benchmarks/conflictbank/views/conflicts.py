"""For admins: facts, the claims made of them, and a conflict with its evidence and checks."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from core.languages import say
from core.lists.pages import MOST_COUNTED, count_each_up_to, page_of
from core.models import Event, Role
from core.outside import storable
from core.web.access import SignedInRequest, role_required
from core.words import up_to
from judging.runs.blinding import names_models

from ..evidence.checking import overrule
from ..evidence.listing import ClaimFilters, FactFilters, evidence_of, other_objects
from ..facts.truth import take_down
from ..models import Cause, CheckOutcome, Claim, ClaimSet, Conflict, DropReason, Evidence, Fact, FactState
from ..questionnaires.truth import tells_truth

LONGEST_REASON = 500


@role_required(Role.ADMIN)
@tells_truth
@require_GET
def fact(request: SignedInRequest, key: str) -> HttpResponse:
    row = get_object_or_404(Fact.objects.select_related("subject", "object", "file"), key=key)
    context = {
        "fact": row,
        "objects": row.true_objects.select_related("entity").order_by("pk"),
        "conflicts": row.conflicts.select_related("claim_set", "replacement").order_by("-pk"),
    }
    return render(request, "conflictbank/fact.html", context)


@role_required(Role.ADMIN)
@tells_truth
@require_GET
def facts(request: SignedInRequest) -> HttpResponse:
    filters = FactFilters(request.GET)
    page = page_of(request, filters.facts().select_related("subject", "object"), "pk")
    others = other_objects(page)
    counts = count_each_up_to(
        MOST_COUNTED, {each: Fact.objects.filter(state=each).order_by() for each in FactState.values}
    )
    reason = filters.chosen["reason"]
    context = {
        "page": page,
        "rows": [(each, others.get(each.pk, [])) for each in page],
        "chosen": filters.chosen,
        "reason": DropReason(reason).label if reason else "",
        "chips": [(each.value, str(each.label), up_to(counts[each.value], MOST_COUNTED)) for each in FactState],
    }
    return render(request, "conflictbank/facts.html", context)


@role_required(Role.ADMIN)
@names_models
@require_GET
def conflicts(request: SignedInRequest) -> HttpResponse:
    filters = ClaimFilters(request.GET)
    page = page_of(request, filters.claims().select_related("conflict"), "pk")
    written = evidence_of(page)
    counts = count_each_up_to(
        MOST_COUNTED, {each: Claim.objects.filter(cause=each).order_by() for each in Cause.values}
    )
    outcome = filters.chosen["outcome"]
    context = {
        "page": page,
        "rows": [(each, written.get(each.pk, [])) for each in page],
        "chosen": filters.chosen,
        "claim_set": ClaimSet.objects.filter(pk=filters.chosen["set"]).first() if filters.chosen["set"] else None,
        "narrowed": any(filters.chosen.values()),
        "outcome": CheckOutcome(outcome).label.lower() if outcome else "",
        "chips": [(each.value, str(each.label), up_to(counts[each.value], MOST_COUNTED)) for each in Cause],
    }
    return render(request, "conflictbank/conflicts.html", context)


@role_required(Role.ADMIN)
@names_models
@require_GET
def conflict(request: SignedInRequest, key: str) -> HttpResponse:
    related = ("claim_set__twins_of", "fact__subject", "template", "object", "replacement")
    row = get_object_or_404(Conflict.objects.select_related(*related), key=key)
    claims = row.claims.order_by("pk").prefetch_related(
        "evidence__checks", "evidence__model", "evidence__attempt__call"
    )
    objects = row.fact.true_objects.select_related("entity").order_by("pk")
    context = {
        "conflict": row,
        "claims": claims,
        "objects": [each.entity for each in objects],
        "events": Event.objects.about(row).select_related("actor"),
    }
    return render(request, "conflictbank/conflict.html", context)


@role_required(Role.ADMIN)
@tells_truth
@require_POST
def conflict_taken_down(request: SignedInRequest, key: str) -> HttpResponse:
    row = get_object_or_404(Conflict, key=key)
    reason = storable(request.POST.get("reason", ""))[:LONGEST_REASON]
    take_down(conflict=row, reason=reason, admin=request.user)
    messages.success(request, say("Saved."))
    return redirect("conflict", row.key)


@role_required(Role.ADMIN)
@tells_truth
@require_POST
def overrule_evidence(request: SignedInRequest, key: str) -> HttpResponse:
    evidence = get_object_or_404(Evidence.objects.select_related("claim__conflict"), key=key)
    overrule(evidence=evidence, reason=storable(request.POST.get("reason", ""))[:LONGEST_REASON], admin=request.user)
    messages.success(request, say("Saved."))
    return redirect("conflict", evidence.claim.conflict.key)
