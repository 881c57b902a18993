"""For admins: the work that they asked for and a worker does, with its progress and its result."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from ..background.shown import shown
from ..background.works import cancel_work
from ..languages import say
from ..models import BackgroundWork, Role
from ..web.access import SignedInRequest, role_required


@role_required(Role.ADMIN)
@never_cache
@require_GET
def background_work(request: SignedInRequest, key: UUID) -> HttpResponse:
    """The page; for htmx, only the part that changes. Only the person who asked sees it: its result may name what
    another admin must not know.
    """
    work = get_object_or_404(BackgroundWork, key=key, asked_by=request.user)
    template = "_background_work.html" if request.headers.get("HX-Request") else "core/background_work.html"
    return render(request, template, {"shown": shown(work)})


@role_required(Role.ADMIN)
@require_POST
def background_work_cancel(request: SignedInRequest, key: UUID) -> HttpResponse:
    work = get_object_or_404(BackgroundWork, key=key, asked_by=request.user)
    cancel_work(work=work, by=request.user)
    messages.success(request, say("It is cancelled. What it had begun is removed, or complete up to its last step."))
    return redirect("background_work", work.key)
