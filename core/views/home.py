"""The first page after signing in, and the plain error pages."""

import sys

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ..languages import say
from ..navigation import has_later, sections_for, tour_of
from ..web.access import SignedInRequest, role_required
from ..web.middleware import refusal_response
from ..web.outages import outage_of, outage_response
from ..web.problems import is_for_program, problem_response


@role_required()
@require_GET
def home(request: SignedInRequest) -> HttpResponse:
    """The first page: what to do next. The open page requests it again regularly."""
    context: dict[str, object] = {
        "sections": sections_for(request.user, later=False),
        "has_later": has_later(request.user),
        # Whoever has just opened an account, or signed in as a sample person.
        "welcome": tour_of(request.user) if "welcome" in request.GET else None,
    }
    return render(request, "_home.html" if _is_part(request) else "home.html", context)


@role_required()
@require_GET
def overview(request: SignedInRequest) -> HttpResponse:
    """The project overview: the later part of the first page, or without script a page of its own."""
    context = {"sections": sections_for(request.user, later=True)}
    return render(request, "_home.html" if _is_part(request) else "overview.html", context)


def _is_part(request: HttpRequest) -> bool:
    return bool(request.headers.get("HX-Request"))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        message = say(
            "Nothing was changed. Open the site at the address that you were given. If it is this one, the person "
            "who runs the site has to add its host to ALLOWED_HOSTS."
        )
        return refusal_response(request, message, 400, title=say("This site has another address"))
    message = say("The form or file could not be read. Nothing was changed: go back and send it again.")
    return refusal_response(request, message, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    message = say("Your roles do not give you access to this page. An admin can change them.")
    return refusal_response(request, message, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refusal_response(request, say("There is no page at this address, or you do not have access to it."), 404)


def server_error(request: HttpRequest) -> HttpResponse:
    # For an outage in a middleware or in an error page: `RefusalMiddleware` sees only the views.
    error = sys.exception()
    if error is not None and (outage := outage_of(error)):
        return outage_response(request, outage, error)
    if is_for_program(request):
        return problem_response(500, "Something broke on our side. Everything saved before is safe.")
    # No template context here: whatever broke may break again while rendering.
    said = [
        say("Something broke on our side"),
        say("Everything that you saved is safe. Go back and try again; if it happens again, tell an admin the time."),
    ]
    page = "<!doctype html><title>{0}</title><h1>{0}</h1><p>{1}</p>".format(*(each.__html__() for each in said))
    return HttpResponse(page, status=500)
