"""Figures for monitoring programs, and the page Now."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET

from ..models import Role
from ..seeing.now import now_for
from ..web.access import SignedInRequest, role_required


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures and counters for Prometheus. Without METRICS_TOKEN there is no such page."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(
            "Send the token: Authorization: Bearer …\n",
            content_type="text/plain; charset=utf-8",
            status=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
    # Loaded only where figures are wanted.
    from ..seeing.exposition import CONTENT_TYPE, exposition

    return HttpResponse(exposition(), content_type=CONTENT_TYPE)


@role_required(Role.ADMIN)
@require_GET
def now(request: SignedInRequest) -> HttpResponse:
    """The site at this moment; the page refreshes its part every few seconds."""
    template = "core/_now.html" if request.headers.get("HX-Request") else "core/now.html"
    return render(request, template, now_for(request.user))
