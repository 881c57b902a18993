"""The judging page: one response after the other, and nothing about others' work.

Each view answers from the person's own slots alone. There is no other way in for reviewers; see docs/reviewing.md.
"""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.releases.reading import note_instances_read
from core.languages import say
from core.lists.pages import page_of
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..forms import JudgmentForm, answers_in
from ..models import ItemKind, Judgment, RoundReviewer, Saw
from ..models.people import JUDGE
from ..rounds.judgments import find_slot, record_judgment, submit_judgments, take_back
from ..rounds.keeping.registered import keeping_of
from ..rounds.questionnaires import questionnaire_of
from ..rounds.rounds import is_finished, skip_training
from ..rounds.turns.seen import record_seen
from ..rounds.turns.turns import can_take_back, find_reviewer, last_to_take_back, next_slots, progress, rounds_of


@role_required(JUDGE)
@require_GET
def judge(request: SignedInRequest) -> HttpResponse:
    """Redirect to the only open round, or show the list of rounds."""
    rounds = rounds_of(request.user)
    working = [each for each in rounds if each.round.is_open]
    if len(working) == 1 and "all" not in request.GET:
        return redirect("judge_round", working[0].round.key)
    context = {"rounds": [(each, progress(each)) for each in rounds]}
    return render(request, "review/judge_rounds.html", context)


@role_required(JUDGE)
@never_cache
@require_GET
def judge_round(request: SignedInRequest, key: UUID) -> HttpResponse:
    reviewer = find_reviewer(person=request.user, round_key=key)
    context = work(reviewer) | {"opened": reviewer.round.accounts_opened.splitlines()}
    return render(request, "review/judge.html", context)


def work(reviewer: RoundReviewer, *, given: Judgment | None = None) -> dict:
    """The context of the judging page: the current response, the next one if it is sent ahead, the person's progress.
    `given` is the judgment just recorded.
    """
    questionnaire = questionnaire_of(reviewer.round.questionnaire)
    slots = next_slots(reviewer, count=2 if questionnaire.is_sent_ahead else 1)
    note_instances_read(
        [slot.item.response.instance for slot in slots if slot.item.response_id], reader=reviewer.person
    )
    shown = list(zip(slots, questionnaire.show([slot.item for slot in slots]), strict=True))
    return {
        "questionnaire": questionnaire,
        "reviewer": reviewer,
        "round": reviewer.round,
        "current": shown[0] if shown else None,
        "following": shown[1] if len(shown) > 1 else None,
        "progress": progress(reviewer),
        "last": last_to_take_back(reviewer, given=given),
    }


@role_required(JUDGE)
@never_cache
@require_POST
def judgment(request: SignedInRequest, key: UUID) -> HttpResponse:
    """Record a verdict and answer with the next response."""
    form = JudgmentForm(request.POST)
    if not form.is_valid():
        raise Refusal(
            say(
                "That is not a judgment: {errors}",
                errors=" ".join(str(line) for lines in form.errors.values() for line in lines),
            ),
            status=400,
        )
    values = dict(form.cleaned_data)
    showing = values.pop("showing")
    slot = find_slot(person=request.user, key=key)
    # A page sends each answer as a field of its own.
    sent = answers_in(request.POST, questionnaire_of(slot.round.questionnaire))
    values["verdict"], answers = keeping_of(slot.round.questionnaire).from_page(sent)
    values["answers"] = None if values["cannot_judge"] else answers
    given = record_judgment(slot=slot, reviewer=request.user, **values)
    reviewer = find_reviewer(person=request.user, round_key=given.round.key)
    explain = given if given.item.kind == ItemKind.TRAINING else None
    if not request.headers.get("HX-Request"):
        return (
            render(request, "review/judge.html", work(reviewer, given=given) | {"explain": explain})
            if explain
            else redirect("judge_round", given.round.key)
        )
    context = work(reviewer, given=given) | {"explain": explain}
    context["is_shown"] = not explain and context["current"] and context["current"][0].key == showing
    return render(request, "review/_judge.html", context)


@role_required(JUDGE)
@never_cache
@require_POST
def judgment_take_back(request: SignedInRequest, key: UUID) -> HttpResponse:
    judgment = find_slot(person=request.user, key=key)
    take_back(judgment=judgment, reviewer=request.user)
    reviewer = find_reviewer(person=request.user, round_key=judgment.round.key)
    if not request.headers.get("HX-Request"):
        return redirect("judge_round", judgment.round.key)
    return render(request, "review/_judge.html", work(reviewer))


@role_required(JUDGE)
@require_POST
def judge_submit(request: SignedInRequest, key: UUID) -> HttpResponse:
    reviewer = find_reviewer(person=request.user, round_key=key)
    submit_judgments(reviewer=reviewer)
    messages.success(request, say("Your judgments count from now on."))
    return redirect("judge_round", key)


@role_required(JUDGE)
@require_POST
def judge_skip_training(request: SignedInRequest, key: UUID) -> HttpResponse:
    skip_training(reviewer=find_reviewer(person=request.user, round_key=key))
    return redirect("judge_round", key)


@role_required(JUDGE)
@never_cache
@require_GET
def my_judgments(request: SignedInRequest, key: UUID) -> HttpResponse:
    """The person's judgments in a round; with model and final verdict only once the round is finished."""
    reviewer = find_reviewer(person=request.user, round_key=key)
    finished = is_finished(reviewer.round)
    questionnaire, of = questionnaire_of(reviewer.round.questionnaire), keeping_of(reviewer.round.questionnaire)
    related = [*questionnaire.read_in_lists, *of.related(finished=finished)]
    own = Judgment.objects.given().filter(round=reviewer.round, reviewer=request.user).select_related(*related)
    page = page_of(request, own, "-judged_at", "-pk")
    if finished:
        shown = [each.item for each in page if hasattr(each.item, of.final)]
        record_seen(person=request.user, what=Saw.VERDICTS, items=shown)
    context = {
        "reviewer": reviewer,
        "round": reviewer.round,
        "questionnaire": questionnaire,
        "page": page,
        "finished": finished,
        "now": timezone.now(),
        "can_take_back": reviewer.round.is_open and can_take_back(reviewer).exists(),
    }
    return render(request, "review/my_judgments.html", context)
