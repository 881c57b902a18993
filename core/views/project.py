"""For admins: the project's settings, and the activity log."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from ..accounts.forms import ProjectForm
from ..activity import LogFilters, with_actors
from ..languages import say
from ..lists.pages import page_of
from ..models import Project, Role
from ..models.events import note_read
from ..project import change_settings
from ..web.access import SignedInRequest, role_required


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def project(request: SignedInRequest) -> HttpResponse:
    form = ProjectForm(request.POST or None, instance=Project.get())
    # Annotators must not know which tags are checks.
    context = {"form": form, "has_check_tags": not request.user.has_role(Role.ANNOTATOR)}
    if request.method != "POST":
        return render(request, "core/project.html", context)
    if not form.is_valid():
        return render(request, "core/project.html", context, status=400)
    changed = change_settings(admin=request.user, **form.cleaned_data)
    messages.success(request, say("The settings are saved.") if changed else say("There were no changes to save."))
    return redirect("project")


@role_required(Role.ADMIN)
@require_GET
def log(request: SignedInRequest) -> HttpResponse:
    filters = LogFilters(request.GET)
    page = page_of(request, filters.events(request.user), window=filters.window(), fetch=with_actors)
    note_read(page, reader=request.user)
    return render(request, "core/activity.html", {"page": page, "filters": filters})
