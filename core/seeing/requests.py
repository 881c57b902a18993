"""One line of the log for each request, and the number by which its other lines are found."""

import logging
import re
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import LazyObject, empty
from structlog.contextvars import bound_contextvars

from .alarms import look_now_and_then
from .patterns import pattern_of

log = logging.getLogger(__name__)

HEADER = "X-Request-ID"
# Asked every few seconds by supervisors and monitoring. They get a line if the answer is an error.
ASKED_BY_PROGRAMS = ("/health/", "/ready/", "/metrics/")


class RequestLogMiddleware:
    """The outermost middleware. A request's number comes from its header or is new, and goes back in the response.
    Scripts and style sheets have neither line nor number: they come without Django's middleware.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(settings.STATIC_URL):
            return self.get_response(request)
        began, number = time.perf_counter(), number_of(request)
        with bound_contextvars(request_id=number):
            response = self.get_response(request)
            response[HEADER] = number
            note(request, response, seconds=time.perf_counter() - began)
        return response


def note(request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> None:
    """Write the request's line, and count it where figures are wanted."""
    look_now_and_then()
    found = facts(request, response, seconds=seconds)
    if settings.METRICS_TOKEN:
        from .counters import count  # loads Prometheus's library

        count(method=found["method"], path=found["path"], status=response.status_code, seconds=seconds)
    if request.path not in ASKED_BY_PROGRAMS or response.status_code >= 500:
        log.info("request", extra=found)


def number_of(request: HttpRequest) -> str:
    """The number in the request's header, if it looks like one; else a new one."""
    given = request.headers.get(HEADER, "")
    return given if re.fullmatch(r"[A-Za-z0-9-]{8,64}", given) else uuid4().hex


def facts(request: HttpRequest, response: HttpResponseBase, *, seconds: float) -> dict[str, Any]:
    """The fields of the request's line. `ms` ends when the response begins: a file may be sent for longer."""
    found: dict[str, Any] = {
        "method": request.method if request.method in METHODS else "other",
        "path": pattern_of(request),
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
    }
    number = person_number(request)
    return found | ({"user_id": number} if number else {})


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def person_number(request: HttpRequest) -> int | None:
    """The number of the person signed in, if the request has looked for it: a line costs no query."""
    user = request.__dict__.get("user")
    if isinstance(user, LazyObject):
        user = None if user.__dict__.get("_wrapped", empty) is empty else user.__dict__["_wrapped"]
    return getattr(user, "pk", None)
