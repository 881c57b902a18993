"""For admins: begin a round, see its progress, close it; and its reviewers.

An admin who judges in a round sees no numbers of it until it is finished, regardless of their other roles.
"""

from typing import Any

from django.contrib import messages
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.languages import changed, joined, say
from core.lists.filters import TickedField
from core.lists.pages import Window, page_of
from core.models import Event, Role, User
from core.outside import whole_number
from core.refusals import Refusal
from core.waking import wake
from core.web.access import SignedInRequest, role_required
from core.words import NUMBER_WORDS
from core.writing.reads import record_read
from judging.models import Mark, Response, Run
from judging.protocol.tasks import judged_tasks
from judging.runs.blinding import names_models

from ..forms import (
    BLIND_TO_MODELS,
    DeadlineForm,
    HandOverForm,
    QuestionnaireRoundForm,
    ResetForm,
    RoundFilters,
    RoundForm,
    releases_of_contents,
)
from ..models import FEWEST_EACH, Judgment, KnownUse, KnownVerdict, Round, RoundReviewer, RoundState, Saw
from ..models.people import judges, may_judge
from ..rounds import rounds as rules
from ..rounds.dealing.choosing import (
    LeftOut,
    count_left_out,
    responses_in,
    responses_of,
    responses_with_reason,
    runs_to_judge,
)
from ..rounds.final_verdicts.pairing import complete_pairs
from ..rounds.judgments import reset_judgment
from ..rounds.keeping.registered import keeping_of
from ..rounds.questionnaires import QUESTIONNAIRES, Needs, Questionnaire, Wanted, questionnaire_of
from ..rounds.reviewers import handing_over
from ..rounds.reviewers import reviewers as statistics
from ..rounds.turns.seen import record_seen
from ..tasks import deal_round

# The end of a refusal, of no use in a preview.
NOT_MADE = say("No round was made.")


@role_required(Role.ADMIN)
@require_GET
def rounds(request: SignedInRequest) -> HttpResponse:
    rows = Round.objects.annotate(people=Count("reviewers")).prefetch_related("runs")
    filters = RoundFilters(request.GET)
    window = Window(Round.objects.all(), is_whole=not filters.narrow)
    context = {
        "filters": filters,
        "hidden": set(rules.hidden_from(request.user).values_list("pk", flat=True)),
        "page": page_of(request, filters.among(rows), window=window),
        "questionnaires": [each for each in QUESTIONNAIRES.values() if not each.begin_page],
        "can_begin": runs_to_judge(judged_tasks()).exists() and judges().count() > 1,
    }
    return render(request, "review/rounds.html", context)


@role_required(Role.ADMIN)
@names_models
@require_http_methods(["GET", "HEAD", "POST"])
def round_new(request: SignedInRequest) -> HttpResponse:
    ticked = TickedField(required=False).clean(request.GET.getlist("ticked"))
    form = RoundForm(request.POST or None, initial={"responses": ticked})
    if request.method == "POST" and form.is_valid():
        return _begun(request, form.cleaned_data)
    known = dict(
        KnownVerdict.objects.filter(is_offered=True).values_list("use").annotate(count=Count("pk")).order_by()
    )
    context = {"form": form, "ticked": form["responses"].value()}
    context |= {"training": known.get(KnownUse.TRAINING, 0), "checks": known.get(KnownUse.CHECK, 0)}
    return render(request, "review/round_new.html", context, status=400 if form.errors else 200)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_new_of(request: SignedInRequest, code: str) -> HttpResponse:
    """Begin a round of another questionnaire than the three verdicts."""
    of = questionnaire_of(code)
    if of.begin_page:
        return redirect(of.begin_page)
    form = QuestionnaireRoundForm(of, request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _begun(request, form.values)
    context = {"form": form, "of": of, "nothing": _nothing_to_deal(of)}
    return render(request, "review/round_new_of.html", context, status=400 if form.errors else 200)


def _nothing_to_deal(of: Questionnaire) -> str:
    """Why no round of this questionnaire could be begun now, as a sentence; "" if one could."""
    fewest = of.fewest_each or of.judgments_each
    if judges().count() < fewest:
        return say("A round needs at least {fewest} people with the role reviewer.", fewest=NUMBER_WORDS[fewest])
    if of.needs == Needs.RUNS:
        return (
            "" if runs_to_judge(of.tasks()).exists() else say("There is no run with {plural} yet.", plural=of.plural)
        )
    if of.needs == Needs.RELEASE:
        return (
            "" if releases_of_contents().exists() else say("There is no release with {plural} yet.", plural=of.plural)
        )
    why = of.why_nothing(Wanted(Round(questionnaire=of.code), Response.objects.none(), []))
    return why and say("{nothing} waiting to be judged.", nothing=why)


def _begun(request: SignedInRequest, wanted: dict[str, Any]) -> HttpResponse:
    round = rules.create_round(admin=request.user, **wanted)
    wake(deal_round, round.pk)
    messages.success(request, say("{name} is being dealt.", name=round.name))
    return redirect("round", round.pk)


@role_required(Role.ADMIN)
@names_models
@require_GET
def round_preview(request: SignedInRequest) -> HttpResponse:
    """The content of a round of these runs, before it is begun."""
    form = RoundForm(request.GET)
    form.is_valid()
    responses = form.cleaned_data.get("responses")
    runs = form.cleaned_data.get("runs") or Run.objects.none()
    people = len(form.cleaned_data.get("reviewers") or [])
    each = form.cleaned_data.get("judgments_each") or FEWEST_EACH
    counts = count_left_out(responses_in(runs, responses or ()), judged_tasks())
    there = counts.pop("")
    size = form.cleaned_data.get("sample_size")
    dealt = min(there, size) if size else there
    context = {
        "is_chosen": bool(runs or responses),
        "there": there,
        "dealt": dealt,
        "people": people,
        "each": -(-each * dealt // people) if people else 0,
        "hours": statistics.hours_for(each * dealt, of="verdicts"),
        "judgments_each": each,
        "left_out": _by_reason(counts),
    }
    return render(request, "review/_round_preview.html", context)


@role_required(Role.ADMIN)
@require_GET
def round_preview_of(request: SignedInRequest, code: str) -> HttpResponse:
    """The content of a round of another questionnaire, before it is begun."""
    of = questionnaire_of(code)
    form = QuestionnaireRoundForm(of, request.GET)
    form.is_valid()
    given = {"reviewers": [], **form.cleaned_data}
    needed = [name for name in ("runs", "release") if name in form.fields]
    context: dict[str, Any] = {"is_chosen": all(given.get(name) for name in needed), "of": of, "needed": needed}
    if context["is_chosen"]:
        context |= _planned(request.user, form, given)
    return render(request, "review/_round_preview_of.html", context)


def _planned(admin: User, form: QuestionnaireRoundForm, given: dict[str, Any]) -> dict[str, Any]:
    """The responses that a round of these values would deal and leave out, or the reason why it would be refused."""
    try:
        form.cleaned_data = {"undo_minutes": 0, "lease_minutes": 1, "seed": 0, **given, "name": ""}
        wanted = rules.plan_round(admin=admin, **form.values)
        chosen, left_out = form.questionnaire.choose(wanted)
    except Refusal as refusal:
        return {"refused": changed(refusal.message, _without_the_end)}
    judgments = len(chosen) * wanted.round.judgments_each
    return {
        "dealt": len(chosen),
        "judgments_each": wanted.round.judgments_each,
        "people": len(wanted.people),
        "each": -(-judgments // len(wanted.people)),
        "hours": statistics.hours_for(judgments, of=form.questionnaire.code),
        "left_out": _by_reason(left_out),
    }


def _without_the_end(refusal: str) -> str:
    return refusal.removesuffix(NOT_MADE).removesuffix(NOT_MADE.shown()).rstrip()


def _by_reason(counts: dict[str, int]) -> list[tuple[LeftOut, int]]:
    return [(reason, counts[reason]) for reason in LeftOut if counts.get(reason)]


@role_required(Role.ADMIN)
@never_cache
@require_GET
def round_page(request: SignedInRequest, pk: int) -> HttpResponse:
    round = rules.find_round(pk)
    is_hidden = rules.is_hidden_from(round, request.user)
    context: dict = {"round": round, "is_hidden": is_hidden, "left_out": _by_reason(round.left_out)}
    context |= {"questionnaire": questionnaire_of(round.questionnaire), "keeping": keeping_of(round.questionnaire)}
    context["selected"] = round.selected_responses.count()
    if request.headers.get("HX-Request") and request.GET.get("dealing"):
        return _dealing(request, round)
    if not is_hidden:
        complete_pairs(round=round)
        context["progress"] = rules.round_progress(round)
        context["is_finished"] = rules.is_finished(round)
        context["outcomes"] = rules.outcomes_of(round)
        context["reviewers"] = statistics.reviewers_of(round)
    else:
        context["reviewers"] = [
            statistics.Overview(reviewer)
            for reviewer in round.reviewers.select_related("person").order_by("person__username")
        ]
    context["blind_to_models"] = BLIND_TO_MODELS
    context["to_add"] = judges().exclude(review_rounds__round=round) if round.is_open else None
    context["can_reopen"] = not round.reviewers.filter(person=request.user).exists()
    context["events"] = _activity(round, is_hidden=is_hidden)
    return render(request, "review/round.html", context)


def _activity(subject: Round | RoundReviewer, *, is_hidden: bool) -> QuerySet[Event]:
    """The activity log of a round or a reviewer. For an admin who judges there, without others' work: what they take
    back, submit, take over, get, or have had imported.
    """
    events = Event.objects.about(subject).select_related("actor")
    return events.filter(action__in=rules.TELLS_NOTHING) if is_hidden else events


def _dealing(request: SignedInRequest, round: Round) -> HttpResponse:
    """The answer to the open page's polling while responses are dealt; afterwards the whole page is replaced."""
    if round.state == RoundState.DEALING:
        return render(request, "review/_round_dealing.html", {"round": round})
    messages.success(request, say("The responses are dealt. Reviewers can begin."))
    return HttpResponse(headers={"HX-Refresh": "true"})


@role_required(Role.ADMIN)
@require_GET
def round_left_out(request: SignedInRequest, pk: int) -> HttpResponse:
    """The responses of the round's runs that are not answers, and so are not judged."""
    round = rules.find_round(pk)
    rules.refuse_who_judges(round, request.user, say("see the responses left out"))
    there = responses_with_reason(responses_of(round), questionnaire_of(round.questionnaire).tasks())
    reasons = there.filter(left_out=LeftOut.NO_ANSWER)
    rows = Response.objects.filter(pk__in=reasons).select_related("instance", "template")
    marks = [mark for mark in Mark if mark != Mark.COMPLETE]
    not_answers = Response.objects.filter(run__in=round.runs.all(), mark__in=marks)
    context = {"round": round, "page": page_of(request, rows, window=Window(not_answers, ("pk",)))}
    return render(request, "review/round_left_out.html", context)


@role_required(Role.ADMIN)
@require_POST
def round_deadline(request: SignedInRequest, pk: int) -> HttpResponse:
    round = rules.find_round(pk)
    form = DeadlineForm(request.POST)
    if not form.is_valid():
        raise Refusal(say("Give the deadline as a day. Nothing was changed."), status=400)
    rules.set_deadline(round=round, admin=request.user, **form.cleaned_data)
    messages.success(request, say("The deadline is saved."))
    return redirect("round", pk)


@role_required(Role.ADMIN)
@require_POST
def round_close(request: SignedInRequest, pk: int) -> HttpResponse:
    rules.close_round(round=rules.find_round(pk), admin=request.user)
    messages.success(request, say("The round is closed. Everything judged so far counts."))
    return redirect("round", pk)


@role_required(Role.ADMIN)
@require_POST
def round_release(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make a release of a finished round's outcome."""
    round = rules.find_round(pk)
    release = questionnaire_of(round.questionnaire).release
    if release is None:
        raise Refusal(say("A round of this questionnaire has nothing to release."))
    made = release(round, request.POST.get("name", "").strip() or round.name, request.user)
    messages.success(request, say("Release {number} “{name}” is made.", number=made.number, name=made.name))
    return redirect("release", made.number)


@role_required(Role.ADMIN)
@require_POST
def round_reopen(request: SignedInRequest, pk: int) -> HttpResponse:
    rules.reopen_round(round=rules.find_round(pk), admin=request.user)
    messages.success(request, say("The round is reopened."))
    return redirect("round", pk)


@role_required(Role.ADMIN)
@require_POST
def round_add_reviewer(request: SignedInRequest, pk: int) -> HttpResponse:
    round = rules.find_round(pk)
    person = _person(request.POST.get("person", ""))
    rules.add_reviewer(round=round, person=person, admin=request.user)
    messages.success(
        request,
        say("{person} now judges in this round. Reassign another reviewer's responses to them.", person=person),
    )
    return redirect("round", pk)


def _person(number: str) -> User:
    pk = whole_number(number)
    person = None if pk is None else User.objects.filter(pk=pk).first()
    if person is None:
        raise Refusal(say("Choose a person."), status=400)
    return person


def _reviewer(pk: int, person: int) -> RoundReviewer:
    return rules.find_round_reviewer(rules.find_round(pk), person)


@role_required(Role.ADMIN)
@never_cache
@require_GET
def round_reviewer(request: SignedInRequest, pk: int, person: int) -> HttpResponse:
    """One reviewer's work in a round: amount, speed, agreement with the others, and their changes."""
    reviewer = _reviewer(pk, person)
    others = reviewer.round.reviewers.exclude(pk=reviewer.pk).filter(person__in=judges()).select_related("person")
    context: dict = {
        "reviewer": reviewer,
        "round": reviewer.round,
        "others": others,
        "may_judge": may_judge(reviewer.person),
        "is_hidden": rules.is_hidden_from(reviewer.round, request.user),
        "questionnaire": questionnaire_of(reviewer.round.questionnaire),
        "keeping": keeping_of(reviewer.round.questionnaire),
    }
    context["events"] = _activity(reviewer, is_hidden=context["is_hidden"])
    if not context["is_hidden"]:
        complete_pairs(round=reviewer.round)
        own = Judgment.objects.filter(round=reviewer.round, reviewer=reviewer.person)
        fixed = own.fixed().select_related("item__known", *context["questionnaire"].read_in_lists)
        page = page_of(request, fixed, window=Window(own.given(), ("-judged_at", "-pk")))
        if reviewer.person != request.user:
            record_seen(person=request.user, what=Saw.JUDGMENTS, items=[each.item for each in page])
            record_read([reviewer], reader=request.user)
        context |= {
            "overview": statistics.overview_of(reviewer),
            "weeks": statistics.weeks_of(reviewer),
            "page": page,
        }
    return render(request, "review/round_reviewer.html", context)


@role_required(Role.ADMIN)
@require_POST
def reviewer_pause(request: SignedInRequest, pk: int, person: int) -> HttpResponse:
    reviewer = _reviewer(pk, person)
    rules.pause_reviewer(reviewer=reviewer, admin=request.user)
    messages.success(
        request, say("{person} is paused and gets no more responses in this round.", person=reviewer.person)
    )
    return redirect("round_reviewer", pk, person)


@role_required(Role.ADMIN)
@require_POST
def reviewer_resume(request: SignedInRequest, pk: int, person: int) -> HttpResponse:
    reviewer = _reviewer(pk, person)
    rules.resume_reviewer(reviewer=reviewer, admin=request.user)
    messages.success(request, say("{person} can continue judging.", person=reviewer.person))
    return redirect("round_reviewer", pk, person)


@role_required(Role.ADMIN)
@require_POST
def reviewer_hand_over(request: SignedInRequest, pk: int, person: int) -> HttpResponse:
    reviewer = _reviewer(pk, person)
    form = HandOverForm(request.POST)
    form.fields["to"].queryset = User.objects.filter(review_rounds__round=pk)  # type: ignore[attr-defined]
    if not form.is_valid():
        raise Refusal(say("Choose the reviewers who get the responses. Nothing was reassigned."), status=400)
    to = [rules.find_round_reviewer(reviewer.round, each.pk) for each in form.cleaned_data["to"]]
    handed = handing_over.hand_over(reviewer=reviewer, to=to, admin=request.user, most=form.cleaned_data["most"])
    stayed = say(
        "{stayed} could not be reassigned: the chosen reviewers already judge them or have seen a judgment of them.",
        stayed=handed.stayed,
    )
    moved = say("{moved} reassigned.", moved=handed.moved)
    messages.success(request, joined([moved, stayed]) if handed.stayed else moved)
    return redirect("round_reviewer", pk, person)


@role_required(Role.ADMIN)
@require_POST
def reviewer_withdraw(request: SignedInRequest, pk: int, person: int) -> HttpResponse:
    reviewer = _reviewer(pk, person)
    done = handing_over.withdraw_open(reviewer=reviewer, admin=request.user)
    stayed = say(
        "{stayed} could not be withdrawn: a response needs at least two judgments.",
        stayed=done.stayed,
    )
    withdrawn = say("{withdrawn} withdrawn.", withdrawn=done.withdrawn)
    messages.success(request, joined([withdrawn, stayed]) if done.stayed else withdrawn)
    return redirect("round_reviewer", pk, person)


@role_required(Role.ADMIN)
@require_POST
def reviewer_reset(request: SignedInRequest, pk: int, person: int, judgment: int) -> HttpResponse:
    reviewer = _reviewer(pk, person)
    rules.refuse_who_judges(reviewer.round, request.user, say("reset this judgment"))
    found = Judgment.objects.fixed().filter(pk=judgment, round=pk, reviewer=person).first()
    if found is None:
        raise Refusal(say("This person has no such judgment."), status=404)
    form = ResetForm(request.POST)
    form.fields["to"].queryset = User.objects.filter(review_rounds__round=pk)  # type: ignore[attr-defined]
    form.is_valid()
    reset_judgment(
        judgment=found,
        admin=request.user,
        reason=form.cleaned_data.get("reason", ""),
        to=form.cleaned_data.get("to"),
    )
    messages.success(request, say("Reset: the response is waiting to be judged again."))
    return redirect("round_reviewer", pk, person)
