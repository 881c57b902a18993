"""Errors for programs: problem details as RFC 9457 has them, at every address of the API."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

API_ROOT = "/api/v1/"
PROBLEM = "application/problem+json"


def is_for_program(request: HttpRequest) -> bool:
    """Whether the request is for an address of the API."""
    return request.path.startswith(API_ROOT)


def problem_details(
    status: int, detail: str, errors: Sequence[Mapping[str, str]] = (), **more: Any
) -> dict[str, Any]:
    """The problem as RFC 9457 (section 3.1) names its members. `errors` say which part of the request is wrong: a
    JSON pointer or the name of a parameter, and why. `more` is what a program needs to go on."""
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Error"
    found: dict[str, Any] = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return found | ({"errors": list(errors)} if errors else {}) | more


def problem_response(status: int, detail: str) -> HttpResponse:
    body = json.dumps(problem_details(status, detail), ensure_ascii=False)
    return HttpResponse(body, content_type=PROBLEM, status=status)
