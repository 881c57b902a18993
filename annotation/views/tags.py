"""For admins: all tags, one tag, changes to them, and the annotators' progress."""

from functools import cache

from django import forms
from django.contrib import messages
from django.db.models import QuerySet, prefetch_related_objects
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from core.accounts.forms import PeopleFilters
from core.accounts.people import people_with_roles
from core.languages import say, say_count
from core.lists.columns import Columns
from core.lists.pages import ROWS_ON_A_PAGE, CountsUpTo, Window, page_of
from core.models import Project, Role, User
from core.outside import MOST_NUMBER, row_numbers, signed_number, storable, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.acts import page_before

from ..desk.review_sample import set_review_share
from ..desk.visibility import known_to, note_opened
from ..desk.work.workload import HIGHEST_QUOTA, set_quota, workloads
from ..models import Annotation, BulkChange, Tag
from ..tags.changes import TagAction, change_tags
from ..tags.listing import FILTERS, TagFilters, activity_of, assigned, shown_tags
from ..tags.progress import annotators, progress_of
from ..tags.states import TagState, chip_counts, with_state
from ..tags.undoing import latest_changes, undo_change

SOURCE_AROUND = 1_500
REFUSALS_SHOWN = 5
# With more annotators than that, their user name is written rather than chosen.
MOST_TO_CHOOSE = 100
COLUMNS = Columns(
    2,
    tag=say("Tag"),
    state=say("State"),
    people=say("People"),
    priority=say("Priority"),
    found=say("Found"),
)


@role_required(Role.ADMIN)
@require_GET
def tags(request: SignedInRequest) -> HttpResponse:
    filters = TagFilters(request.GET)
    filters.offer_wikis()
    chosen, narrowed = filters.chosen, [name for name in FILTERS if filters.chosen[name]]
    # Beside another filter the numbers would be of something else.
    counts = chip_counts(request.user).now() if narrowed in ([], ["state"]) else dict.fromkeys(TagState.values, "")
    reader = request.user
    page = page_of(
        request,
        filters.listed(reader),
        window=filters.window(reader),
        fetch=lambda tags: shown_tags(tags, reader=reader),
    )
    context = {
        "page": page,
        "rows": assigned(page, reader=request.user),
        "filters": filters,
        "chosen": chosen,
        "narrowed": narrowed,
        "states": [(value, label, counts[value]) for value, label in TagState.choices],
        "actions": TagAction.choices,
        "columns": COLUMNS.chosen(request.GET),
        "annotators": _annotators(),
        "person": User.objects.filter(pk=chosen["person"]).first() if chosen["person"] else None,
    }
    return render(request, "annotation/tags.html", context)


@role_required(Role.ADMIN)
@require_POST
def tags_change(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the selected tags; then return to their page."""
    ids = row_numbers(request.POST.getlist("tag"))[:ROWS_ON_A_PAGE]
    change, done, refused = change_tags(
        tags=Tag.objects.filter(pk__in=ids).select_related("article"),
        action=request.POST.get("action", ""),
        admin=request.user,
        annotator=_chosen_annotator(request),
        number=signed_number(request.POST.get("number", "").strip(), most=MOST_NUMBER),
    )
    if not ids:
        messages.warning(request, say("No tag was selected, so nothing was changed."))
    elif change:
        undo = reverse("tags_undo", args=[change.pk])
        said = say_count(done, "Done for {count} tag.", "Done for {count} tags.")
        messages.success(request, said, extra_tags=undo)
    for message in refused[:REFUSALS_SHOWN]:
        messages.warning(request, message)
    if len(refused) > REFUSALS_SHOWN:
        messages.warning(request, say("{more} more were refused.", more=len(refused) - REFUSALS_SHOWN))
    return redirect(page_before(request) or reverse("tags"))


@role_required(Role.ADMIN)
@require_GET
def tags_changes(request: SignedInRequest) -> HttpResponse:
    """The latest changes of tags, each with its undo."""
    return render(request, "annotation/tag_changes.html", {"changes": latest_changes(request.user)})


@role_required(Role.ADMIN)
@require_POST
def tags_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    count = undo_change(change=get_object_or_404(BulkChange, pk=pk), admin=request.user)
    messages.success(request, say_count(count, "Undone for {count} tag.", "Undone for {count} tags."))
    return redirect("tags_changes")


@role_required(Role.ADMIN)
@require_GET
def tag(request: SignedInRequest, pk: int) -> HttpResponse:
    found = Tag.objects.select_related("article__wiki", "last_seen_in", "harvest")
    shown = get_object_or_404(with_state(found, reader=request.user), pk=pk)
    context = {
        "tag": shown,
        "state": TagState(shown.state),  # type: ignore[attr-defined]
        "source": _source(shown),
        "tag_assignments": shown.assignments.select_related("annotator", "assigned_by"),
        "annotations": _annotations_shown(shown, request.user),
        "skips": shown.skips.filter(known_to(request.user)).select_related("annotator"),
        "events": activity_of(shown, reader=request.user),
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
    filters = PeopleFilters(request.GET)
    window = Window(User.objects.all(), ("username",))
    page = page_of(request, filters.among(annotators(request.user)), window=window, fetch=people_with_roles)
    context = {"filters": filters, "page": page, "rows": progress_of(page, reader=request.user)}
    return render(request, "annotation/progress.html", context)


@role_required(Role.ADMIN)
@require_GET
def workload(request: SignedInRequest) -> HttpResponse:
    """Quota, deadline, work and forecast of each annotator."""
    filters = PeopleFilters(request.GET)
    window = Window(User.objects.all(), ("username",))
    page = page_of(request, filters.among(annotators(request.user)), window=window, fetch=people_with_roles)
    people = list(page)
    prefetch_related_objects(people, "review_share")
    context = {"filters": filters, "page": page, "rows": workloads(people, reader=request.user)}
    context["review_percent"] = Project.get().review_percent
    return render(request, "annotation/workload.html", context)


@role_required(Role.ADMIN)
@require_POST
def quota(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set or remove the quota and the deadline of a person."""
    person = get_object_or_404(User, pk=pk)
    form = QuotaForm(request.POST)
    if not form.is_valid():
        raise Refusal(say("Give the quota as a number and the deadline as a day. Nothing was changed."), status=400)
    set_quota(person=person, admin=request.user, **form.cleaned_data)
    messages.success(request, say("The quota of {person} is saved.", person=person))
    return redirect("workload")


@role_required(Role.ADMIN)
@require_POST
def review_share(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set or remove the share of a person's submissions that are reviewed."""
    person = get_object_or_404(User, pk=pk)
    form = ReviewShareForm(request.POST)
    if not form.is_valid():
        raise Refusal(say("A share is a number from 0 to 100. Nothing was changed."), status=400)
    set_review_share(person=person, admin=request.user, percent=form.cleaned_data["percent"])
    messages.success(request, say("The share of reviewed annotations of {person} is saved.", person=person))
    return redirect("person_quality", pk)


class ReviewShareForm(forms.Form):
    percent = forms.IntegerField(required=False, min_value=0, max_value=100)


class QuotaForm(forms.Form):
    annotations = forms.IntegerField(required=False, min_value=1, max_value=HIGHEST_QUOTA)
    deadline = forms.DateField(required=False)


def _annotations_shown(shown: Tag, reader: User) -> list[Annotation]:
    """The annotations that the reader may know of. The page shows the tag's validity and the reviewers' decisions, so
    its reader has seen them.
    """
    annotations = shown.annotations.filter(known_to(reader)).with_choices().with_review_state(reader)
    found = list(annotations.select_related("annotator", "merged_by", "reviewed_by"))
    note_opened([each for each in found if each.validity_now], reader=reader)  # type: ignore[attr-defined]
    return found


def _chosen_annotator(request: SignedInRequest) -> User | None:
    """The person chosen in the list or, where there are too many for one, entered by user name. Raises Http404
    without one.
    """
    if name := request.POST.get("annotator_name", "").strip():
        return get_object_or_404(User, username=storable(name))
    person = whole_number(request.POST.get("annotator"))
    return None if person is None else get_object_or_404(User, pk=person)


def _annotators() -> list[User]:
    """All annotators, to choose one; none of them if they are more than `MOST_TO_CHOOSE`."""
    are_few = _count_of_annotators().now()[""] <= MOST_TO_CHOOSE
    return list(_active_annotators().order_by("username")) if are_few else []


def _active_annotators() -> QuerySet[User]:
    return User.objects.filter(groups__name=Role.ANNOTATOR, is_active=True)


@cache
def _count_of_annotators() -> CountsUpTo[str]:
    return CountsUpTo(MOST_TO_CHOOSE, {"": _active_annotators()})


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
