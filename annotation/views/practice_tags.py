"""For admins: the practice tags, the reasons for people to read, and people's results."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.languages import say
from core.models import Project, Role
from core.outside import whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..content.fields import STEPS, empty_content
from ..desk.visibility import known_to, note_seen
from ..models import Annotation, PracticeTag
from ..practice.comparing import compare_step, needed_steps
from ..practice.offering import (
    cells_of,
    choose_for_practice,
    explain_practice,
    move_practice,
    offer_practice,
    scores_of_people,
    to_choose_from,
)

MOST_OFFERED = 50


@role_required(Role.ADMIN)
@require_GET
def practice_tags(request: SignedInRequest) -> HttpResponse:
    """The practice tags, the other annotations that can be chosen, and the scores."""
    tags = list(PracticeTag.objects.defer("pages", "reference", "tag"))
    tried = [tag for tag in tags if tag.is_offered]
    choices = list(to_choose_from(request.user)[:MOST_OFFERED])
    note_seen([each.pk for each in choices], reader=request.user)
    context = {
        "tags": tags,
        "tried": tried,
        "choices": choices,
        "scores": [(score, cells_of(score, tried)) for score in scores_of_people()],
        "is_required": Project.get().practice_required,
        "steps": STEPS,
    }
    return render(request, "annotation/practice_tags.html", context)


@role_required(Role.ADMIN)
@require_POST
def choose(request: SignedInRequest) -> HttpResponse:
    known = Annotation.objects.filter(known_to(request.user)).select_related("tag__article")
    pk = whole_number(request.POST.get("annotation", ""))
    if pk is None:
        raise Refusal(say("Choose an annotation from the list. Nothing was changed."), status=400)
    chosen = choose_for_practice(annotation=get_object_or_404(known, pk=pk), admin=request.user)
    messages.success(
        request, say("“{title}” is offered for practice. Give the reasons for each step.", title=chosen.title)
    )
    return redirect("practice_tags_tag", chosen.pk)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def practice_tag(request: SignedInRequest, pk: int) -> HttpResponse:
    """One practice tag: its reference by step, and the reasons, in a form."""
    shown = get_object_or_404(PracticeTag, pk=pk)
    why, refused, status = shown.why, "", 200
    if request.method == "POST":
        why = {str(step): request.POST.get(f"why_{step}", "").replace("\r\n", "\n") for step in STEPS}
        try:
            explain_practice(practice_tag=shown, admin=request.user, why=why)
        except Refusal as refusal:
            refused, status = refusal.message, refusal.status
        else:
            messages.success(request, say("The reasons are saved."))
            return redirect("practice_tags_tag", pk)
    if shown.annotation_id:
        note_seen([shown.annotation_id], reader=request.user)
    reference = empty_content() | shown.reference
    steps = [
        (compare_step(step, reference, reference), why.get(str(step), "").replace("\0", ""))
        for step in needed_steps(reference)
    ]
    context = {"shown": shown, "steps": steps, "refused": refused}
    return render(request, "annotation/practice_tag.html", context, status=status)


@role_required(Role.ADMIN)
@require_POST
def offer(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(PracticeTag, pk=pk)
    is_offered = request.POST.get("offered") == "yes"
    offer_practice(practice_tag=shown, admin=request.user, is_offered=is_offered)
    if is_offered:
        messages.success(request, say("“{title}” is offered.", title=shown.title))
    else:
        messages.success(request, say("“{title}” is no longer offered.", title=shown.title))
    return redirect("practice_tags")


@role_required(Role.ADMIN)
@require_POST
def move(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(PracticeTag, pk=pk)
    move_practice(practice_tag=shown, admin=request.user, to=request.POST.get("to", ""))
    return redirect(reverse("practice_tags") + "#tags-title")
