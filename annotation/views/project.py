"""For admins: the project's settings, and the log of what was changed by whom."""

from django.apps import apps
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from ..access import SignedInRequest, role_required
from ..models import Event, Project, Role, User
from ..people_forms import ProjectForm
from ..project import change_settings

EVENTS_ON_A_PAGE = 100


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def project(request: SignedInRequest) -> HttpResponse:
    form = ProjectForm(request.POST or None, instance=Project.get())
    if request.method != "POST":
        return render(request, "annotation/project.html", {"form": form})
    if not form.is_valid():
        return render(request, "annotation/project.html", {"form": form}, status=400)
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
        "kinds": _kinds(),
        "people": User.objects.order_by("username"),
        "chosen": {name: request.GET.get(name, "") for name in ("kind", "actor", "subject")},
    }
    return render(request, "annotation/log.html", context)


def _kinds() -> list[str]:
    """What this app's events are about. Judgments are not among them: an admin may judge, and that a response was
    judged already must not show."""
    return sorted(str(model._meta.model_name) for model in apps.get_app_config("annotation").get_models())


def _events(request: HttpRequest) -> QuerySet[Event]:
    """Newest first; a filter that cannot be read is no filter."""
    events = Event.objects.filter(subject_kind__in=_kinds()).select_related("actor").order_by("-pk")
    chosen = request.GET
    if chosen.get("kind") in _kinds():
        events = events.filter(subject_kind=chosen["kind"])
    for name, column in (("actor", "actor_id"), ("subject", "subject_id"), ("older_than", "pk__lt")):
        if (value := chosen.get(name, "")).isdecimal() and len(value) < 19:
            events = events.filter(**{column: int(value)})
    return events
