"""For admins: harvests, a new one, and one with its progress."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.languages import say
from core.models import Role, User
from core.refusals import Refusal
from core.waking import wake
from core.web.access import SignedInRequest, role_required

from .. import tasks
from ..harvesting.forms import HarvestForm
from ..harvesting.harvests import cancel_harvest, resume_harvest, start_harvest
from ..harvesting.preview import Preview, preview_harvest
from ..harvesting.progress import Progress
from ..harvesting.uploads import kept_upload
from ..models import Harvest, Wiki

HARVESTS_SHOWN = 100
PROBLEMS_SHOWN = 500


@role_required(Role.ADMIN)
@require_GET
def harvests(request: SignedInRequest) -> HttpResponse:
    # Its cursor has the number of every page it has seen.
    rows = Harvest.objects.select_related("wiki", "requested_by").defer("cursor").order_by("-pk")
    context = {
        "progresses": [Progress(row) for row in rows.annotate(problem_count=Count("problems"))[:HARVESTS_SHOWN]]
    }
    return render(request, "annotation/harvests.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def harvest_new(request: SignedInRequest) -> HttpResponse:
    form = HarvestForm(request.POST or None, request.FILES or None, initial=_initial(request))
    if request.method == "POST" and form.is_valid():
        try:
            if "count" in request.POST and form.is_countable:
                return _new_page(request, form, preview=preview_harvest(**form.request()))
            harvest = start(form, request.user)
        except Refusal as refusal:
            form.refuse(refusal.message)
            return _new_page(request, form, status=refusal.status)
        wake(tasks.run_harvest, harvest.pk)
        return redirect("harvest", harvest.pk)
    status = 400 if request.method == "POST" else 200
    return _new_page(request, form, status=status)


def _initial(request: SignedInRequest) -> dict[str, object]:
    """The form's initial values, taken from the link."""
    named = {name: request.GET[name] for name in ("source", "wiki", "category", "depth") if name in request.GET}
    return {"wiki": Wiki.objects.filter(is_allowed=True).first(), **named}


def _new_page(
    request: SignedInRequest, form: HarvestForm, *, preview: Preview | None = None, status: int = 200
) -> HttpResponse:
    context = {"form": form, "preview": preview}
    return render(request, "annotation/harvest_new.html", context, status=status)


def start(form: HarvestForm, person: User) -> Harvest:
    """Start the harvest of a valid form."""
    asked = form.request()
    if not form.is_file:
        return start_harvest(**asked, requested_by=person)
    with kept_upload(form.file) as path:
        asked["parameters"] = {"path": str(path), "file_name": form.file.name}
        return start_harvest(**asked, requested_by=person)


@role_required(Role.ADMIN)
@require_GET
def harvest(request: SignedInRequest, pk: int) -> HttpResponse:
    """The page; for htmx, only the part that changes while the harvest runs."""
    shown = get_object_or_404(
        Harvest.objects.select_related("wiki", "requested_by").annotate(problem_count=Count("problems")), pk=pk
    )
    context = {"progress": Progress(shown), "problems": shown.problems.all()[:PROBLEMS_SHOWN]}
    template = "_harvest.html" if request.headers.get("HX-Request") else "harvest.html"
    return render(request, f"annotation/{template}", context)


@role_required(Role.ADMIN)
@require_POST
def harvest_cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    cancel_harvest(harvest=get_object_or_404(Harvest, pk=pk), by=request.user)
    messages.success(request, say("The harvest is cancelled. Everything it stored is kept."))
    return redirect("harvest", pk)


@role_required(Role.ADMIN)
@require_POST
def harvest_resume(request: SignedInRequest, pk: int) -> HttpResponse:
    resume_harvest(harvest=get_object_or_404(Harvest, pk=pk), by=request.user)
    wake(tasks.run_harvest, pk)
    return redirect("harvest", pk)
