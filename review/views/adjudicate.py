"""Adjudicating disagreements: the judgments side by side, without names and without the model."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.desk.comments.conversations import Conversation, conversation_about
from core.languages import say
from core.lists.pages import page_of
from core.models import Event, Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from judging.responses.comments import AboutResponse

from ..forms import ReasonForm, TakeDownForm, answers_in
from ..models import Adjudication, Item, Saw, SetAside
from ..models.people import ADJUDICATORS
from ..rounds import adjudication as rules
from ..rounds.final_verdicts.pairing import complete_pairs
from ..rounds.keeping.registered import keeping_of
from ..rounds.questionnaires import Questionnaire, questionnaire_of
from ..rounds.rounds import hidden_from
from ..rounds.setting_aside import set_aside, take_back_in
from ..rounds.turns.seen import record_seen

# A reviewer gets in where reviewers adjudicate together; what they may see is decided row by row.


@role_required(*ADJUDICATORS)
@never_cache
@require_GET
def adjudicate(request: SignedInRequest) -> HttpResponse:
    """The lists of waiting and decided adjudications or, with ?next, the one that has waited longest."""
    # Not of rounds in which this person judges: a slower page would reveal that judgments came in.
    complete_pairs(without=hidden_from(request.user))
    if "next" in request.GET:
        found = rules.next_adjudication(person=request.user)
        if found is not None:
            return redirect("adjudicate_item", found.key)
        messages.success(request, say("Nothing else is waiting for adjudication."))
    show = "decided" if request.GET.get("show") == "decided" else "waiting"
    window = rules.decided_window(request.user) if show == "decided" else rules.waiting_window(request.user)
    page = page_of(request, window.rows, window=window, fetch=rules.listed_adjudications)
    record_seen(person=request.user, what=Saw.VERDICTS, items=[each.item for each in page])
    can_set_aside = request.user.has_role(Role.ADJUDICATOR)
    context = {"show": show, "page": page, "can_set_aside": can_set_aside, **rules.chip_counts(request.user)}
    return render(request, "review/adjudicate.html", context)


@role_required(*ADJUDICATORS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_item(request: SignedInRequest, key: UUID) -> HttpResponse:
    if request.method == "POST":
        found = rules.find_adjudication(person=request.user, key=key)
        messages.success(request, _decide(request, found, questionnaire_of(found.round.questionnaire)))
        return _to_the_next(request, found)
    found = rules.open_adjudication(person=request.user, key=key)
    questionnaire = questionnaire_of(found.round.questionnaire)
    context = {
        "adjudication": found,
        "sides": rules.sides_of(found),
        "events": Event.objects.about(found).select_related("actor"),
        "talk": _talk_about(request, found),
    }
    context |= {
        "questionnaire": questionnaire,
        "shown": questionnaire.show([found.item])[0],
        "set_aside": SetAside.objects.active().filter(instance=found.item.instance).select_related("by").first(),
        "can_set_aside": request.user.has_role(Role.ADJUDICATOR),
    }
    return render(request, questionnaire.decide_page, context)


def _decide(request: SignedInRequest, found: Adjudication, questionnaire: Questionnaire) -> str:
    """Decide as the page says; returns the decision, in words."""
    of = keeping_of(questionnaire.code)
    verdict, answers = of.from_page(answers_in(request.POST, questionnaire))
    said: dict[str, Any] = {"verdict": verdict, "answers": answers, "reason": _reason(request)}
    rules.adjudicate(adjudication=found, person=request.user, **said)
    return of.in_words(verdict)


def _to_the_next(request: SignedInRequest, found: Adjudication) -> HttpResponse:
    following = rules.next_adjudication(person=request.user, after=found)
    return redirect("adjudicate_item", following.key) if following else redirect("adjudicate")


def _talk_about(request: SignedInRequest, found: Adjudication) -> Conversation | None:
    """The comments on the response, if a response is adjudicated."""
    response = found.item.response
    return conversation_about(AboutResponse(response), person=request.user) if response else None


@role_required(*ADJUDICATORS)
@require_POST
def adjudicate_reopen(request: SignedInRequest, key: UUID) -> HttpResponse:
    found = rules.find_adjudication(person=request.user, key=key)
    rules.reopen(adjudication=found, person=request.user, reason=_reason(request))
    messages.success(request, say("Reopened. Reports will say so."))
    return redirect("adjudicate_item", key)


@role_required(Role.ADJUDICATOR)
@require_POST
def adjudicate_set_aside(request: SignedInRequest, key: UUID) -> HttpResponse:
    """Set the instance of a disagreement aside as ambiguous: all its responses leave the reports."""
    found = rules.find_adjudication(person=request.user, key=key)
    set_aside(instance=found.item.response.instance, person=request.user, reason=_reason(request))
    messages.success(request, say("Set aside. All responses to this question are left out of the reports."))
    return _to_the_next(request, found)


@role_required(Role.ADJUDICATOR, Role.ADMIN)
@require_GET
def set_aside_list(request: SignedInRequest) -> HttpResponse:
    # Not those of a round that is hidden from this person: the reason would reveal that judgments differ.
    hidden = Item.objects.filter(round__in=hidden_from(request.user)).order_by().values("instance")
    rows = SetAside.objects.exclude(instance__in=hidden)
    context = {
        "page": page_of(request, rows.select_related("instance", "by", "taken_back_by"), "-pk"),
        "active": rows.active().count(),
        "form": TakeDownForm() if request.user.has_role(Role.ADMIN) else None,
    }
    return render(request, "review/set_aside.html", context)


@role_required(Role.ADMIN)
@require_POST
def take_down(request: SignedInRequest) -> HttpResponse:
    """Set any released instance aside, in whichever round it is judged, if at all. Releases stay as they are."""
    form = TakeDownForm(request.POST)
    if not form.is_valid():
        raise Refusal(say("Give a release, a number in it, and a reason. Nothing was changed."), status=400)
    given = form.cleaned_data
    released = given["release"].released_instances.filter(number=given["number"]).select_related("instance").first()
    if released is None:
        raise Refusal(
            say(
                "{release} has no number {number}. Nothing was changed.",
                release=given["release"],
                number=given["number"],
            ),
            status=404,
        )
    set_aside(instance=released.instance, person=request.user, reason=given["reason"])
    messages.success(request, say("Set aside. All responses to this question are left out of the reports."))
    return redirect("set_aside")


@role_required(Role.ADJUDICATOR, Role.ADMIN)
@require_POST
def set_aside_take_back(request: SignedInRequest, pk: int) -> HttpResponse:
    row = SetAside.objects.select_related("instance").filter(pk=pk).first()
    if row is None:
        raise Refusal(say("There is nothing set aside at this address."), status=404)
    take_back_in(row=row, person=request.user)
    messages.success(request, say("Put back: its responses count in reports again."))
    return redirect("set_aside")


def _reason(request: SignedInRequest) -> str:
    form = ReasonForm(request.POST)
    return form.cleaned_data["reason"] if form.is_valid() else ""
