"""For admins: let everything go out again after a restore, and new calls after workers were drained."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from ..keeping import sending
from ..languages import say
from ..models import Role
from ..web.access import SignedInRequest, role_required


@role_required(Role.ADMIN)
@require_POST
def allow_sending(request: SignedInRequest) -> HttpResponse:
    is_new = sending.allow_sending(admin=request.user)
    messages.success(request, say("Sending is allowed.") if is_new else say("Sending was allowed already."))
    return redirect("doctor")


@role_required(Role.ADMIN)
@require_POST
def resume_calls(request: SignedInRequest) -> HttpResponse:
    is_new = sending.resume_calls(admin=request.user)
    messages.success(request, say("New calls are made again.") if is_new else say("New calls were not stopped."))
    return redirect("doctor")
