"""For admins: all tags, one tag, changes to them, and the annotators' progress."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from core.lists import ROWS_ON_A_PAGE, page_of
from core.models import Role, User
from core.outside import MOST_NUMBER, row_numbers, signed_number, whole_number
from core.web.access import SignedInRequest, role_required

from ..assisting.model_suggestions import machine_share
from ..models import Annotation, Tag
from ..tags.changes import TagAction, change_tags
from ..tags.listing import TagFilters, TagState, activity_of, count_states, with_state
from ..tags.progress import annotators_progress

SOURCE_AROUND = 1_500
REFUSALS_SHOWN = 5


@role_required(Role.ADMIN)
@require_GET
def tags(request: SignedInRequest) -> HttpResponse:
    filters = TagFilters(request.GET)
    filters.offer_wikis()
    chosen, counts = filters.chosen, count_states(filters.tags())
    all_count = sum(counts.values())
    context = {
        "page": page_of(request, filters.listed(), count=counts[chosen["state"]] if chosen["state"] else all_count),
        "filters": filters,
        "chosen": chosen,
        "states": [(value, label, counts[value]) for value, label in TagState.choices],
        "all_count": all_count,
        "actions": TagAction.choices,
        "annotators": _annotators(),
        "person": User.objects.filter(pk=chosen["person"]).first() if chosen["person"] else None,
    }
    return render(request, "annotation/tags.html", context)


@role_required(Role.ADMIN)
@require_POST
def tags_change(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the ticked tags; then back to the page they were ticked on."""
    ids = row_numbers(request.POST.getlist("tag"))[:ROWS_ON_A_PAGE]
    person = whole_number(request.POST.get("annotator"))
    done, refused = change_tags(
        tags=Tag.objects.filter(pk__in=ids).select_related("article"),
        action=request.POST.get("action", ""),
        admin=request.user,
        annotator=None if person is None else get_object_or_404(User, pk=person),
        number=signed_number(request.POST.get("number", "").strip(), most=MOST_NUMBER),
    )
    if not ids:
        messages.warning(request, "No tag was ticked, so nothing was changed.")
    elif done:
        messages.success(request, f"Done for {done} {'tag' if done == 1 else 'tags'}.")
    for message in refused[:REFUSALS_SHOWN]:
        messages.warning(request, message)
    if len(refused) > REFUSALS_SHOWN:
        messages.warning(request, f"{len(refused) - REFUSALS_SHOWN} more were refused.")
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return redirect(back if safe and back.startswith("/") else reverse("tags"))


@role_required(Role.ADMIN)
@require_GET
def tag(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(
        with_state(Tag.objects.select_related("article__wiki", "last_seen_in", "harvest")), pk=pk
    )
    context = {
        "tag": shown,
        "state": TagState(shown.state),  # type: ignore[attr-defined]
        "source": _source(shown),
        "tag_assignments": shown.assignments.select_related("annotator", "assigned_by"),
        "annotations": shown.annotations.with_choices().select_related("annotator", "reviewed_by"),
        "skips": shown.skips.select_related("annotator"),
        "events": activity_of(shown),
        "actions": TagAction.choices,
        "annotators": _annotators(),
    }
    return render(request, "annotation/tag.html", context)


@role_required(Role.ADMIN)
@require_GET
def tag_source(request: SignedInRequest, pk: int) -> HttpResponse:
    """The wikitext as it was read, as plain text."""
    article = get_object_or_404(Tag.objects.select_related("article"), pk=pk).article
    return HttpResponse(article.wikitext, content_type="text/plain; charset=utf-8")


@role_required(Role.ADMIN)
@require_GET
def progress(request: SignedInRequest) -> HttpResponse:
    context = {"rows": annotators_progress(), "suggested": machine_share(Annotation.objects.all())}
    return render(request, "annotation/progress.html", context)


def _annotators():
    return User.objects.filter(groups__name=Role.ANNOTATOR, is_active=True).order_by("username")


def _source(shown: Tag) -> dict[str, str] | None:
    """The wikitext around the tag, in whole lines unless they are too long; None if unknown."""
    if shown.start is None or shown.end is None or not shown.article.wikitext:
        return None
    text = shown.article.wikitext
    start, end = max(0, shown.start - SOURCE_AROUND), min(len(text), shown.end + SOURCE_AROUND)
    return {
        "before": ("… " if start else "") + text[start : shown.start],
        "tag": text[shown.start : shown.end],
        "after": text[shown.end : end] + (" …" if end < len(text) else ""),
    }
