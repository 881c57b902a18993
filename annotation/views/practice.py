"""Practice runs: the list, the desk with a practice tag, and the comparison of each step with its reference."""

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from core.languages import say
from core.models import Project, Role
from core.outside import whole_number
from core.web.access import SignedInRequest, role_required
from core.web.scripted import is_script

from ..assisting.assistance import references_in
from ..content.fields import clean_content, empty_content
from ..desk.assignments.assignment import Standing
from ..desk.drafts.forms import as_typed
from ..models import PracticeAttempt, PracticeTag
from ..practice import attempts
from ..practice.showing import compared_step, next_offer, offers_for, pane_of, practice_desk, result_of, shown_tab
from ..practice.timing import note_practice_time
from .desk.evidence import counted_in, number_in, parts_in, selection_in, sent_by
from .desk.saving import (
    arguments_of,
    problems_answer,
    saved_answer,
    sent_from_desk,
    stale_answer,
    with_question_buttons,
)


def own_attempt(request: SignedInRequest, pk: int) -> PracticeAttempt:
    found = PracticeAttempt.objects.filter(person=request.user).select_related("practice_tag")
    return get_object_or_404(found, pk=pk)


@role_required(Role.ANNOTATOR)
@never_cache
@require_GET
def practice(request: SignedInRequest) -> HttpResponse:
    """The practice tags, with this person's results."""
    offers = offers_for(request.user)
    context = {"offers": offers, "next": next_offer(offers), "is_required": Project.get().practice_required}
    return render(request, "annotation/practice.html", context)


@role_required(Role.ANNOTATOR)
@require_POST
def begin(request: SignedInRequest, pk: int) -> HttpResponse:
    practice_tag = get_object_or_404(PracticeTag, pk=pk)
    attempt = attempts.begin_attempt(practice_tag=practice_tag, person=request.user)
    tour = "?tour=1" if "tour" in request.POST else ""
    return redirect(reverse("practice_attempt", args=[attempt.pk]) + tour)


@role_required(Role.ANNOTATOR)
@never_cache
@require_GET
def attempt(request: SignedInRequest, pk: int) -> HttpResponse:
    """The desk with the practice tag; once it is finished, the comparison."""
    shown = own_attempt(request, pk)
    if shown.finished_at is not None:
        context = result_of(shown) | pane_of(shown) | {"next": next_offer(offers_for(request.user))}
        return render(request, "annotation/practice_result.html", context)
    questions = whole_number(request.GET.get("questions", ""), most=99) or 1
    removing = whole_number(request.GET.get("remove", ""), most=10) or ""
    return _render(request, shown, questions=questions, removing=str(removing))


def _render(request: SignedInRequest, shown: PracticeAttempt, *, status: int = 200, **more) -> HttpResponse:
    content = more.pop("content", None) or empty_content() | shown.content
    context = practice_desk(shown, content, more.pop("problems", ()), questions=more.pop("questions", 1))
    if more.get("removing"):
        context["open_steps"] |= {5}
    context |= pane_of(shown) | more | {"lease_seconds": Project.get().lease_seconds}
    return render(request, "annotation/practice_desk.html", context, status=status)


@sent_from_desk
def save(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_attempt(request, pk)
    sent, anchor = _sent_form(request), ""
    if not is_script(request):
        sent["content"], anchor = with_question_buttons(sent["content"], request.POST)
    saved = attempts.save_attempt(attempt=shown, person=request.user, **sent)
    if is_script(request):
        return saved_answer(saved, Standing.HELD) if saved.is_saved else stale_answer(saved)
    if not saved.is_saved:
        return _as_typed(request, shown)
    messages.success(request, say("Draft saved."))
    return redirect(reverse("practice_attempt", args=[pk]) + anchor)


def _sent_form(request: SignedInRequest) -> dict:
    sent = arguments_of(request)
    return {name: sent[name] for name in ("content", "base_version")}


def _as_typed(request: SignedInRequest, shown: PracticeAttempt) -> HttpResponse:
    """Without JavaScript: the form with the sent values, merged over those saved meanwhile in another tab."""
    words = say(
        "Not saved: another tab or window has saved a newer version. The form shows your version; save again to "
        "keep it."
    )
    return _render(request, shown, content=as_typed(request.POST), refused=words, status=409)


@sent_from_desk
def submit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Finish the attempt; the answer leads to the comparison."""
    shown = own_attempt(request, pk)
    address = reverse("practice_attempt", args=[pk])
    if shown.finished_at is None:
        saved = attempts.finish_attempt(attempt=shown, person=request.user, **_sent_form(request))
        if not saved.is_saved:
            return stale_answer(saved) if is_script(request) else _as_typed(request, shown)
        if saved.problems and is_script(request):
            return problems_answer(saved, saved.problems)
        if saved.problems:
            return _render(request, shown, content=saved.content, problems=saved.problems, status=422)
    return JsonResponse({"next": address}) if is_script(request) else redirect(address)


@sent_from_desk
def compare(request: SignedInRequest, pk: int) -> HttpResponse:
    """The comparison of a step with the reference: a fragment for the page's script, which has saved the form before;
    otherwise the form is saved first, and the page shows it.
    """
    shown = own_attempt(request, pk)
    if is_script(request):
        step = number_in(sent_by(request), "step")
    else:
        step = whole_number(request.POST.get("step", ""), most=99) or 0
        if not attempts.save_attempt(attempt=shown, person=request.user, **_sent_form(request)).is_saved:
            return _as_typed(request, shown)
    attempts.compare_attempt(attempt=shown, person=request.user, step=step)
    if not is_script(request):
        return redirect(f"{reverse('practice_attempt', args=[pk])}#compared-{step}")
    context = {"compared": compared_step(shown, step, empty_content() | shown.content)}
    return render(request, "annotation/_practice_compared.html", context)


@sent_from_desk
def renew(request: SignedInRequest, pk: int) -> HttpResponse:
    """Return whether another tab has saved. Nothing expires here."""
    return saved_answer(own_attempt(request, pk), Standing.HELD)


@sent_from_desk
def time(request: SignedInRequest, pk: int) -> HttpResponse:
    note_practice_time(attempt=own_attempt(request, pk), person=request.user, **counted_in(sent_by(request)))
    return JsonResponse({})


@role_required(Role.ANNOTATOR)
@require_GET
def page(request: SignedInRequest, pk: int, kind: str) -> HttpResponse:
    """One tab of the reading pane, as a fragment or as a page of its own."""
    shown = own_attempt(request, pk)
    tab = shown_tab(shown.practice_tag, kind)
    if tab is None:
        raise Http404
    context = pane_of(shown) | {"shown": tab, "back": reverse("practice_attempt", args=[pk])}
    name = "_pane_panel.html" if request.headers.get("HX-Request") else "pane_page.html"
    return render(request, f"annotation/{name}", context)


@sent_from_desk
def select(request: SignedInRequest, pk: int) -> HttpResponse:
    shown, selection = own_attempt(request, pk), selection_in(sent_by(request))
    attempts.take_passage(attempt=shown, person=request.user, **selection)
    title = shown.practice_tag.pages[selection["evidence"] - 1]["title"]
    return JsonResponse({"title": title, "sources": shown.sources})


@sent_from_desk
def sources(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_attempt(request, pk)
    attempts.set_sources(attempt=shown, person=request.user, **parts_in(sent_by(request)))
    return JsonResponse({"sources": shown.sources})


@sent_from_desk
def assist(request: SignedInRequest, pk: int) -> HttpResponse:
    """Words of the stand-alone versions that may need their context. Types are not suggested, since choosing them is
    the exercise.
    """
    own_attempt(request, pk)
    content = clean_content(sent_by(request).get("content"))
    return JsonResponse({"references": references_in(content), "suggestions": {}, "questions": []})
