"""For admins: make a release, see its content and changes, download it."""

from collections.abc import Mapping

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from core.languages import say
from core.lists.bulk import ticked_numbers
from core.lists.filters import SUBMITS, ColumnFilters
from core.lists.pages import page_of
from core.models import Role
from core.refusals import Refusal
from core.web import files
from core.web.access import SignedInRequest, role_required

from ..desk.visibility import known_to
from ..kinds.registry import annotated, benchmark, benchmarks, is_annotated, name_of
from ..models import Annotation, AnnotationState, Release, ReleasedInstance, ReleasedRecord
from ..releases.datasheets.datasheet import sheet_of
from ..releases.datasheets.sources import source_rows
from ..releases.files.exports import CURRENT_FORMATS, tags_of_accepted
from ..releases.files.formats import FileFormat
from ..releases.files.writing import content_hash_of, file_name, format_of, release_formats
from ..releases.freezing import (
    NAME_LENGTH,
    changes_between,
    create_release,
    get_release,
    latest_release,
    next_number,
    previous_release,
    snapshot_now,
    snapshot_of,
)
from ..releases.items.files import file_in_of
from ..releases.next_steps import next_steps
from ..releases.reading import note_instances_read, note_release_read, refuse_release


class ReleaseFilters(ColumnFilters):
    """The filters of the list of releases."""

    benchmark = forms.CharField(label=say("Benchmark"), widget=forms.Select(attrs=SUBMITS))

    def __init__(self, values: Mapping[str, str]):
        super().__init__(values)
        self.offer(benchmark=(say("All"), [(kind.code, kind.name) for kind in benchmarks()]))


class ReleaseForm(forms.Form):
    name = forms.CharField(
        label=say("Name"),
        max_length=NAME_LENGTH,
        help_text=say("A name that people will recognise, for example “First hundred tags”."),
    )
    notes = forms.CharField(
        label=say("Notes"),
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=say("Shown at the top of the datasheet."),
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def releases(request: SignedInRequest) -> HttpResponse:
    form = ReleaseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        release = create_release(admin=request.user, **form.cleaned_data)
        messages.success(request, say("Release {number} is frozen.", number=release.number))
        return redirect("release", release.number)
    filters = ReleaseFilters(request.GET)
    rows = list(filters.among(Release.objects.select_related("created_by")))
    tags = dict(ReleasedRecord.objects.values_list("release").annotate(count=Count("pk")).order_by())
    instances = dict(ReleasedInstance.objects.values_list("release").annotate(count=Count("pk")).order_by())
    context = {
        "form": form,
        "filters": filters,
        "next_number": next_number(),
        "is_any_accepted": Annotation.objects.filter(known_to(request.user), state=AnnotationState.ACCEPTED).exists(),
        "annotated": annotated().name,
        "files_in": [kind for kind in benchmarks() if file_in_of(kind)],
        "rows": [
            (release, name_of(release.benchmark), _tags(release, tags), instances.get(release.pk, 0))
            for release in rows
        ],
    }
    return render(request, "annotation/releases.html", context, status=400 if form.errors else 200)


def _tags(release: Release, counts: Mapping[int, int]) -> int | None:
    """The number of the release's tags; None for a benchmark that is not made of tags."""
    return counts.get(release.pk, 0) if is_annotated(release.benchmark) else None


@role_required(Role.ADMIN)
@require_GET
def preview(request: SignedInRequest) -> HttpResponse:
    """The content of a release made now, as far as this person may know of it, and its differences from the last."""
    last, now = latest_release(annotated().code), snapshot_now(request.user)
    context = {
        "last": last,
        "tags": len(now.tags),
        "instances": len(now.instances),
        "changes": changes_between(snapshot_of(last), now),
    }
    is_fragment = request.headers.get("HX-Request")
    return render(request, f"annotation/{'_' if is_fragment else ''}release_preview.html", context)


@role_required(Role.ADMIN)
@require_GET
def release(request: HttpRequest, number: int) -> HttpResponse:
    release = get_release(number)
    before, kind = previous_release(release), benchmark(release.benchmark)
    formats = release_formats(release.benchmark).items()
    context = {
        "release": release,
        "kind": kind,
        "is_annotated": kind.is_annotated,
        "only_instances": not kind.is_annotated,
        "formats": [
            (code, each.words) for code, each in formats if isinstance(each, FileFormat) and code != "datasheet"
        ],
        "has_datasheet": "datasheet" in release_formats(release.benchmark),
        "before": before,
        "counts": kind.statistics(release),
        "about": kind.release_about(release),
        "sources": list(source_rows(release)),
        "next_steps": next_steps(release),
        "changes": changes_between(snapshot_of(before), snapshot_of(release)),
    }
    return render(request, "annotation/release.html", context)


@role_required(Role.ADMIN)
@require_GET
def instances(request: SignedInRequest, number: int) -> HttpResponse:
    release = get_release(number)
    refuse_release(release, reader=request.user)
    rows = ReleasedInstance.objects.filter(release=release).select_related("instance").defer("instance__content")
    page = page_of(request, rows, "number")
    note_instances_read([each.instance for each in page], reader=request.user)
    # Annotated items are listed by their question alone.
    context = {"release": release, "page": page, "shows_groups": not is_annotated(release.benchmark)}
    return render(request, "annotation/release_instances.html", context)


@role_required(Role.ADMIN)
@require_GET
def instance(request: SignedInRequest, number: int, instance_number: int) -> HttpResponse:
    """One instance of a release, as its benchmark shows it."""
    release = get_release(number)
    refuse_release(release, reader=request.user)
    rows = ReleasedInstance.objects.filter(release=release)
    row = rows.filter(number=instance_number).select_related("instance").first() if instance_number < 2**31 else None
    if row is None:
        raise Refusal(
            say(
                "Release {number} has no instance {instance_number}.", number=number, instance_number=instance_number
            ),
            status=404,
        )
    note_instances_read([row.instance], reader=request.user)
    numbers = rows.order_by("number").values_list("number", flat=True)
    context = {
        "release": release,
        "row": row,
        "before": numbers.filter(number__lt=row.number).last(),
        "after": numbers.filter(number__gt=row.number).first(),
    }
    return render(request, "annotation/release_instance.html", context)


@role_required(Role.ADMIN)
@require_GET
def check(request: HttpRequest, number: int) -> HttpResponse:
    """Verify that the release is unchanged: recompute its hash."""
    release = get_release(number)
    found = content_hash_of(release)
    if request.headers.get("HX-Request"):
        return render(request, "annotation/_release_check.html", {"release": release, "found": found})
    if found == release.content_hash:
        messages.success(request, say("The content has this hash: it is unchanged since freezing."))
    else:
        messages.error(
            request, say("The content has the hash {found}: it differs from the frozen content.", found=found)
        )
    return redirect("release", number)


@role_required(Role.ADMIN)
@require_GET
def show_datasheet(request: SignedInRequest, number: int) -> HttpResponse:
    release = get_release(number)
    refuse_release(release, reader=request.user)
    format_of(release, "datasheet")
    return render(request, "annotation/release_datasheet.html", {"release": release, "sections": sheet_of(release)})


@role_required(Role.ADMIN)
@require_GET
def download(request: SignedInRequest, number: int, kind: str) -> HttpResponseBase:
    release = get_release(number)
    chosen = format_of(release, kind)
    if not isinstance(chosen, FileFormat):
        raise Refusal(
            say("A release cannot be downloaded as “{kind}”: that is a folder of files.", kind=kind), status=404
        )
    note_release_read(release, reader=request.user)
    return files.download(file_name(release, chosen), chosen.chunks(release))


@role_required(Role.ADMIN)
@require_GET
def download_now(request: SignedInRequest, kind: str) -> HttpResponseBase:
    """The accepted annotations, or the selected ones, in their current state, as far as this person may know of
    them.
    """
    if kind not in CURRENT_FORMATS:
        raise Refusal(say("Annotations cannot be downloaded as “{kind}”.", kind=kind), status=404)
    name = f"{annotated().code}-" + ("work.jsonl" if kind == "work" else f"annotations.{kind}")
    tags = None
    if "annotation" in request.GET:
        tags = tags_of_accepted(ticked_numbers(request.GET.getlist("annotation")), request.user)
    return files.download(name, CURRENT_FORMATS[kind](request.user, tags))
