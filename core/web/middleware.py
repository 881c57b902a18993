"""Turns a refusal or an outage into a page, so that no view needs a `try`."""

from codecs import lookup
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import escape_leading_slashes

from ..languages import say
from ..outside import whole_number
from ..refusals import Refusal
from .outages import outage_of, outage_response
from .problems import is_for_program, problem_response

TITLES = {
    400: say("The request could not be read"),
    403: say("You cannot open this page"),
    404: say("Page not found"),
    409: say("Nothing was changed"),
    410: say("This link no longer works"),
}


def refusal_response(request: HttpRequest, message: str, status: int, *, title: str | None = None) -> HttpResponse:
    """The refusal as a fragment for htmx, as problem details for a program, else as a page."""
    if is_for_program(request):
        return problem_response(status, message)
    template = "_refusal.html" if request.headers.get("HX-Request") else "refusal.html"
    context = {"title": title or TITLES.get(status, TITLES[409]), "message": message}
    return render(request, template, context, status=status)


class ReadableMiddleware(MiddlewareMixin):
    """Refuses requests with unreadable text: invalid UTF-8, or a NUL in the address."""

    def process_request(self, request) -> HttpResponse | None:
        if not is_utf8(request.content_params.get("charset", "utf-8")):
            message = say("The request is not in UTF-8, the only encoding supported. Nothing was changed.")
            return refusal_response(request, message, 400)
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return refusal_response(
                request, say("This address contains a NUL character, which is not valid text."), 400
            )
        if (length := request.META.get("CONTENT_LENGTH")) and whole_number(length) is None:
            return refusal_response(request, say("The request does not give its length as a number."), 400)
        return None


def is_utf8(charset: str) -> bool:
    try:
        return lookup(charset).name in ("utf-8", "ascii")
    except (LookupError, ValueError):
        return False


class SlashMiddleware(CommonMiddleware):
    """Redirects from an address without its closing slash; requests that send data get a 308, and are repeated
    unchanged. After a 301, clients would send a GET and silently change nothing.
    """

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        return _sent_again(request, super().process_request(request))

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return _sent_again(request, super().process_response(request, response))

    def get_full_path_with_slash(self, request: HttpRequest) -> str:
        # Without Django's error for developers, which is for 301.
        return escape_leading_slashes(request.get_full_path(force_append_slash=True))


def _sent_again(request: HttpRequest, response: object) -> Any:
    if isinstance(response, HttpResponsePermanentRedirect) and request.method not in ("GET", "HEAD"):
        response.status_code = 308
    return response


class NoStoreMiddleware(MiddlewareMixin):
    """Keeps pages out of browser and proxy caches, where they could be read after signing out. Static files are
    served before this middleware."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        patch_cache_control(response, private=True, no_store=True)
        return response


class RefusalMiddleware(MiddlewareMixin):
    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal):
            return refusal_response(request, exception.message, exception.status)
        if outage := outage_of(exception):
            return outage_response(request, outage, exception)
        return None
