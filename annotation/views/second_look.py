"""For reviewers: the annotations that wait, one annotation to be read, and what is decided about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from ..access import SignedInRequest, role_required
from ..desk import annotations, second_look
from ..desk.conversations import conversation_about
from ..desk.marking import mark_tag
from ..desk.read_only import show_annotation
from ..models import Annotation, Event, Role, SecondLook
from .evidence import SECOND_LOOK, pane_context

ON_A_PAGE = 50


@role_required(Role.REVIEWER, Role.ADMIN)
@require_GET
def waiting(request: SignedInRequest) -> HttpResponse:
    """The list, filtered by where an annotation stands and by whose it is."""
    found = second_look.annotations_for(request.user)
    without_mine = request.GET.get("mine") == "no"
    if without_mine:
        found = found.exclude(annotator=request.user)
    counts = found.count_second_looks()
    chosen = request.GET.get("look")
    look = SecondLook(chosen) if chosen in second_look.SHOWN else SecondLook.WAITING
    listed = found.at_second_look(look).select_related("tag__article", "annotator", "reviewed_by")
    listed = listed.defer("tag__article__wikitext", "tag__paragraph", "tag__paragraph_clean")
    order = ("submitted_at", "pk") if look in (SecondLook.WAITING, SecondLook.INCOMPLETE) else ("-reviewed_at", "-pk")
    context = {
        "page": Paginator(listed.order_by(*order), ON_A_PAGE).get_page(request.GET.get("page")),
        "look": look,
        "chips": [(each, counts.get(each, 0)) for each in second_look.SHOWN],
        "without_mine": without_mine,
        "next": second_look.next_annotation(reviewer=request.user),
    }
    return render(request, "annotation/second_look.html", context)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_GET
def next_waiting(request: SignedInRequest) -> HttpResponse:
    """On to the one that waits longest; `?after=` passes one by."""
    after = None
    if (number := request.GET.get("after", "")).isdecimal() and len(number) < 19:
        after = second_look.annotations_for(request.user).filter(pk=int(number)).first()
    return _go_on(second_look.next_annotation(reviewer=request.user, after=after))


def _go_on(annotation: Annotation | None) -> HttpResponse:
    return redirect("second_look_annotation", pk=annotation.pk) if annotation else redirect("second_look")


@role_required(Role.REVIEWER, Role.ADMIN)
@never_cache
@require_GET
def annotation(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = second_look.find_annotation(reviewer=request.user, pk=pk)
    second_look.note_seen(shown, reviewer=request.user)
    others = second_look.others_of(shown, reviewer=request.user)
    together = sorted([shown, *others], key=lambda each: each.pk)
    compared = second_look.compare(together) if others else []
    context = {
        "annotation": shown,
        "look": SecondLook(shown.second_look),
        "source": second_look.source_address(shown.tag.article),
        "paragraph": mark_tag(shown.tag.raw, shown.tag.paragraph),
        "may_suggest": second_look.may_suggest(shown, reviewer=request.user),
        "is_mine": shown.annotator == request.user,
        "together": [(each, SecondLook(each.second_look)) for each in together],
        "compared": compared,
        "same": sum(field.agree for field in compared),
        "talk": conversation_about(shown, person=request.user),
        "events": Event.objects.about(shown).select_related("actor"),
    }
    pane = pane_context(request, shown, desk=SECOND_LOOK)
    return render(request, "annotation/second_look_annotation.html", pane | show_annotation(shown) | context)


def _decide(request: SignedInRequest, pk: int, rule: Callable, done: str, **words: Any) -> HttpResponse:
    """Carry out the decision, and go on to the next that waits."""
    found = second_look.find_annotation(reviewer=request.user, pk=pk)
    rule(annotation=found, reviewer=request.user, **words)
    messages.success(request, f"{done}: {found.tag.article.title}.")
    return _go_on(second_look.next_annotation(reviewer=request.user, after=found))


def _seen_version(request: SignedInRequest) -> int:
    """The version that the page showed; one that never was for a page that does not say."""
    seen = request.POST.get("seen_version", "")
    return int(seen) if seen.isdecimal() and len(seen) < 10 else -1


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def accept(request: SignedInRequest, pk: int) -> HttpResponse:
    return _decide(request, pk, annotations.accept_annotation, "Accepted", seen_version=_seen_version(request))


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def return_to_annotator(request: SignedInRequest, pk: int) -> HttpResponse:
    words = {"message": request.POST.get("message", ""), "seen_version": _seen_version(request)}
    return _decide(request, pk, annotations.return_annotation, "Returned", **words)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def exclude(request: SignedInRequest, pk: int) -> HttpResponse:
    words = {"reason": request.POST.get("reason", ""), "seen_version": _seen_version(request)}
    return _decide(request, pk, annotations.exclude_annotation, "Excluded", **words)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def reconsider(request: SignedInRequest, pk: int) -> HttpResponse:
    """Back among those that wait; the reviewer stays with it."""
    found = second_look.find_annotation(reviewer=request.user, pk=pk)
    annotations.reconsider_annotation(annotation=found, reviewer=request.user, reason=request.POST.get("reason", ""))
    messages.success(request, "It waits for a second look again.")
    return redirect("second_look_annotation", pk=pk)
