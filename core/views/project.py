"""For admins: the project's settings, and the log of what was changed by whom."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from ..accounts.forms import ProjectForm
from ..models import Event, Project, Role, User
from ..models.events import open_log_kinds
from ..outside import whole_number
from ..project import change_settings
from ..web.access import SignedInRequest, role_required

EVENTS_ON_A_PAGE = 100


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def project(request: SignedInRequest) -> HttpResponse:
    form = ProjectForm(request.POST or None, instance=Project.get())
    if request.method != "POST":
        return render(request, "core/project.html", {"form": form})
    if not form.is_valid():
        return render(request, "core/project.html", {"form": form}, status=400)
    changed = change_settings(admin=request.user, **form.cleaned_data)
    messages.success(request, "The settings are saved." if changed else "Nothing was different.")
    return redirect("project")


@role_required(Role.ADMIN)
@require_GET
def log(request: SignedInRequest) -> HttpResponse:
    events = _events(request)
    shown = list(events[: EVENTS_ON_A_PAGE + 1])
    context = {
        "events": shown[:EVENTS_ON_A_PAGE],
        "older_than": shown[EVENTS_ON_A_PAGE - 1].pk if len(shown) > EVENTS_ON_A_PAGE else None,
        "kinds": open_log_kinds(),
        "people": User.objects.order_by("username"),
        "chosen": {name: request.GET.get(name, "") for name in ("kind", "actor", "subject")},
    }
    return render(request, "core/activity.html", context)


def _events(request: HttpRequest) -> QuerySet[Event]:
    """Newest first; a filter that cannot be read is no filter."""
    events = Event.objects.open_log().select_related("actor").order_by("-pk")
    chosen = request.GET
    if chosen.get("kind") in open_log_kinds():
        events = events.filter(subject_kind=chosen["kind"])
    for name, column in (("actor", "actor_id"), ("subject", "subject_id"), ("older_than", "pk__lt")):
        if (number := whole_number(chosen.get(name))) is not None:
            events = events.filter(**{column: number})
    return events
