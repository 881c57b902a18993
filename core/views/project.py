"""For admins: the project's settings, and the activity log."""

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import cached_property
from django.views.decorators.http import require_GET, require_http_methods

from ..accounts.forms import ProjectForm
from ..lists.filters import SUBMITS, Filters, RowField, SearchField
from ..lists.pages import Window, page_of
from ..models import Event, Project, Role, User
from ..models.events import note_read, open_log_kinds
from ..outside import whole_number
from ..project import change_settings
from ..queries.conditions import is_one_of
from ..queries.instances import PreparedInstances
from ..queries.parameters import Numbers
from ..web.access import SignedInRequest, role_required


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
    # Written, as a list to choose from would have everybody who ever took part.
    actor = SearchField(label="By (user name)")
    subject = RowField(label="Number", widget=forms.TextInput(attrs={"inputmode": "numeric"}))

    @cached_property
    def person(self) -> int:
        """The person whose user name or number was written, 0 if there is none."""
        written = self.chosen["actor"]
        named = Q(username__iexact=written)
        if number := whole_number(written):
            named |= Q(pk=number)
        found = User.objects.filter(named).order_by("pk").first() if written else None
        return found.pk if found else 0

    def events(self, reader: User) -> QuerySet[Event]:
        """The chosen events that this person may read, in no order."""
        columns = {"kind": "subject_kind", "actor": "actor", "subject": "subject_id"}
        wanted = {columns[name]: value for name, value in (self.chosen | {"actor": self.person}).items() if value}
        return Event.objects.open_log(reader).filter(**wanted)

    def window(self) -> Window:
        """The events among which the chosen ones are, newest first: those that the best index names."""
        chosen, events = self.chosen, Event.objects.all()
        if chosen["kind"] and chosen["subject"]:
            return Window(events.filter(subject_kind=chosen["kind"], subject_id=chosen["subject"]))
        if chosen["actor"]:
            return Window(events.filter(actor=self.person))
        return Window(events.filter(subject_kind=chosen["kind"]) if chosen["kind"] else events)


_with_actors = PreparedInstances(
    lambda events: Event.objects.filter(is_one_of("pk", events)).select_related("actor"), events=Numbers
)


@role_required(Role.ADMIN)
@require_GET
def log(request: SignedInRequest) -> HttpResponse:
    filters = LogFilters(request.GET)
    page = page_of(
        request,
        filters.events(request.user),
        window=filters.window(),
        fetch=lambda events: _with_actors.all(events=events),
    )
    note_read(page, reader=request.user)
    return render(request, "core/activity.html", {"page": page, "filters": filters})
