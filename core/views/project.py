"""For admins: the project's settings, and the activity log."""

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from ..accounts.forms import ProjectForm
from ..lists import SUBMITS, Filters, RowField
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
    messages.success(request, "The settings are saved." if changed else "There were no changes to save.")
    return redirect("project")


def kinds_to_choose() -> list[tuple[str, str]]:
    return [("", "everything"), *((kind, kind) for kind in open_log_kinds())]


class LogFilters(Filters):
    """Which events of the activity log are shown."""

    kind = forms.ChoiceField(label="About", choices=kinds_to_choose, widget=forms.Select(attrs=SUBMITS))
    actor = RowField(label="By", widget=forms.Select(attrs=SUBMITS))
    subject = RowField(label="Number", widget=forms.TextInput(attrs={"inputmode": "numeric"}))

    def events(self) -> QuerySet[Event]:
        """The chosen events, newest first."""
        columns = {"kind": "subject_kind", "actor": "actor", "subject": "subject_id"}
        wanted = {columns[name]: value for name, value in self.chosen.items() if value}
        return Event.objects.open_log().filter(**wanted).select_related("actor").order_by("-pk")


@role_required(Role.ADMIN)
@require_GET
def log(request: SignedInRequest) -> HttpResponse:
    filters = LogFilters(request.GET)
    filters.offer(actor=("everybody", [(person.pk, str(person)) for person in User.objects.order_by("username")]))
    events = filters.events()
    if older_than := whole_number(request.GET.get("older_than")):
        events = events.filter(pk__lt=older_than)
    shown = list(events[: EVENTS_ON_A_PAGE + 1])
    context = {
        "events": shown[:EVENTS_ON_A_PAGE],
        "older_than": shown[EVENTS_ON_A_PAGE - 1].pk if len(shown) > EVENTS_ON_A_PAGE else None,
        "filters": filters,
    }
    return render(request, "core/activity.html", context)
