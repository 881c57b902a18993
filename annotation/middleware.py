"""Turns a refusal into a page, in one place, so that no view needs a `try`."""

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from .errors import Refusal

TITLES = {
    400: "That could not be read",
    403: "Not one of your pages",
    404: "Nothing here",
    409: "That was not done",
    410: "This link no longer works",
    503: "The database does not answer",
}


def refusal_response(request: HttpRequest, message: str, status: int) -> HttpResponse:
    """The refusal as a fragment for htmx, else as a page."""
    template = "_refusal.html" if request.headers.get("HX-Request") else "refusal.html"
    title = TITLES.get(status, TITLES[409])
    response = render(request, template, {"title": title, "message": message}, status=status)
    if status == 503:
        response["Retry-After"] = "5"
    return response


class RefusalMiddleware:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal):
            return refusal_response(request, exception.message, exception.status)
        if isinstance(exception, OperationalError):
            message = "Nothing was changed by this request. What you typed is still in your browser: try again soon."
            return refusal_response(request, message, 503)
        return None
