"""The first page after signing in, and the plain pages for what is not there."""

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ..access import SignedInRequest, role_required
from ..middleware import refusal_response
from ..places import places_for


@role_required()
@require_GET
def home(request: SignedInRequest) -> HttpResponse:
    offers = [(place, place.now(request.user) if place.now else "") for place in places_for(request.user)]
    return render(request, "home.html", {"offers": offers})


@require_GET
def health(request: HttpRequest) -> HttpResponse:
    """200 when the database answers; for supervisors and load balancers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refusal_response(request, "This page is not open to your roles. An admin can change them.", 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refusal_response(request, "There is no page at this address, or it is not open to you.", 404)


def server_error(request: HttpRequest) -> HttpResponse:
    # No template context here: whatever broke may break again while rendering.
    return HttpResponse(
        "<!doctype html><title>Something broke</title><h1>Something broke on our side</h1>"
        "<p>What you had saved is safe. Go back and try again; if it happens again, tell an admin the time.</p>",
        status=500,
    )
