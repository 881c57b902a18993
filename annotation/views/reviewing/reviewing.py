"""For reviewers: the waiting annotations, one annotation to read, and the decision on it."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from core.languages import say
from core.lists.pages import page_of
from core.models import Event, Role, User
from core.outside import version_number, whole_number
from core.web.access import SignedInRequest, role_required

from ...content.marking import mark_tag
from ...desk import decisions
from ...desk.comments.about_annotations import AboutAnnotation
from ...desk.comments.conversations import conversation_about
from ...desk.visibility import annotations_for, note_seen
from ...models import Annotation, ReviewState
from ...reviewing import queue
from ...reviewing.comparing import compare
from ...reviewing.merging import contributions_to
from ...reviewing.read_only import show_annotation
from ..desk.evidence import REVIEWS, pane_context


@role_required(Role.REVIEWER, Role.ADMIN)
@require_GET
def waiting(request: SignedInRequest) -> HttpResponse:
    """The list, filtered by review state and writer."""
    found = queue.listed_for(request.user)
    without_mine = request.GET.get("mine") == "no"
    if without_mine:
        found = found.exclude(annotator=request.user)
    chosen = request.GET.get("state")
    review_state = ReviewState(chosen) if chosen in queue.SHOWN else ReviewState.WAITING
    page = page_of(
        request,
        found.in_review_state(review_state, request.user),
        window=queue.annotations_near(review_state),
        fetch=queue.listed_annotations,
    )
    if review_state != ReviewState.INCOMPLETE:
        # Whether each holds its tag valid.
        note_seen([each.pk for each in page], reader=request.user)
    counts = queue.chip_counts(reader=request.user, without_own=without_mine)
    context = {
        "page": page,
        "review_state": review_state,
        "chips": [(each, counts[each]) for each in queue.SHOWN],
        "without_mine": without_mine,
        "exports": review_state == ReviewState.ACCEPTED and request.user.has_role(Role.ADMIN),
        "may_have_next": queue.may_have_next(request.user),
    }
    return render(request, "annotation/reviewing.html", context)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_GET
def next_waiting(request: SignedInRequest) -> HttpResponse:
    """Redirect to the annotation that has waited longest; `?after=` skips one."""
    after = None
    if (number := whole_number(request.GET.get("after"))) is not None:
        after = annotations_for(request.user).filter(pk=number).first()
    return _go_on(queue.next_annotation(reviewer=request.user, after=after), request.user)


def _go_on(annotation: Annotation | None, reviewer: User) -> HttpResponse:
    return redirect(queue.address_of(annotation, reviewer=reviewer))


@role_required(Role.REVIEWER, Role.ADMIN)
@never_cache
@require_GET
def annotation(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = queue.find_annotation(reviewer=request.user, pk=pk)
    others = queue.others_of(shown, reviewer=request.user)
    together = sorted([shown, *others], key=lambda each: each.pk)
    waiting = [each for each in together if each.review_state == ReviewState.WAITING and not each.is_merge]
    compared = compare(together) if others else []
    context = {
        "annotation": shown,
        "review_state": ReviewState(shown.review_state),
        "source": queue.source_address(shown.tag.article),
        "paragraph": mark_tag(shown.tag.raw, shown.tag.paragraph),
        "may_suggest": queue.may_suggest(shown, reviewer=request.user),
        "is_mine": decisions.has_written(shown, request.user),
        "together": [(each, ReviewState(each.review_state)) for each in together],
        "compared": compared,
        "may_merge": len(waiting) > 1 and request.user not in [each.annotator for each in together],
        "contributed": contributions_to(shown),
        "differing": [field for field in compared if not field.agree],
        "alike": [field for field in compared if field.agree],
        "talk": conversation_about(AboutAnnotation(shown), person=request.user),
        "events": Event.objects.about(shown).select_related("actor"),
    }
    pane = pane_context(request, shown, desk=REVIEWS)
    return render(request, "annotation/review_annotation.html", pane | show_annotation(shown) | context)


def _decide(
    request: SignedInRequest, pk: int, rule: Callable, done: str, *, undo: str = "", **words: str
) -> HttpResponse:
    """Carry out the decision on the version that was shown, and continue with the next one waiting. The notice offers
    to undo it at the address of this name.
    """
    found = queue.find_annotation(reviewer=request.user, pk=pk)
    seen_version = version_number(request.POST.get("seen_version"))
    rule(annotation=found, reviewer=request.user, seen_version=seen_version, **words)
    said = say("{done}: {title}.", done=done, title=found.tag.article.title)
    messages.success(request, said, extra_tags=reverse(undo, args=[pk]) if undo else "")
    return _go_on(queue.next_annotation(reviewer=request.user, after=found), request.user)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def accept(request: SignedInRequest, pk: int) -> HttpResponse:
    return _decide(request, pk, decisions.accept_annotation, say("Accepted"), undo="reviews_undo")


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Undo the reviewer's own acceptance, and show the annotation again."""
    decisions.undo_acceptance(annotation=queue.find_annotation(reviewer=request.user, pk=pk), reviewer=request.user)
    messages.success(request, say("Undone. The annotation is waiting for review again."))
    return redirect("reviews_annotation", pk=pk)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def return_to_annotator(request: SignedInRequest, pk: int) -> HttpResponse:
    message = request.POST.get("message", "")
    return _decide(request, pk, decisions.return_annotation, say("Returned"), message=message)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def exclude(request: SignedInRequest, pk: int) -> HttpResponse:
    reason = request.POST.get("reason", "")
    return _decide(request, pk, decisions.exclude_annotation, say("Excluded"), reason=reason)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def reconsider(request: SignedInRequest, pk: int) -> HttpResponse:
    """Return it to the waiting ones; the reviewer stays on its page."""
    found = queue.find_annotation(reviewer=request.user, pk=pk)
    decisions.reconsider_annotation(annotation=found, reviewer=request.user, reason=request.POST.get("reason", ""))
    messages.success(request, say("The annotation is waiting for review again."))
    return redirect("reviews_annotation", pk=pk)
