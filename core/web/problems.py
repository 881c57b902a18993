"""Errors for programs: problem details as in RFC 9457, at every address of the API."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

API_ROOT = "/api/v1/"
PROBLEM = "application/problem+json"


def is_for_program(request: HttpRequest) -> bool:
    """Return whether the request is for an address of the API."""
    return request.path.startswith(API_ROOT)


def problem_details(
    status: int, detail: str, errors: Sequence[Mapping[str, str]] = (), **more: object
) -> dict[str, object]:
    """The problem with the member names of RFC 9457 (section 3.1). `errors` name the invalid parts of the request: a
    JSON pointer or a parameter, and the reason. `more` has further information for the program.
    """
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Error"
    found: dict[str, Any] = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return found | ({"errors": list(errors)} if errors else {}) | more


def problem_response(status: int, detail: str) -> HttpResponse:
    body = json.dumps(problem_details(status, detail), ensure_ascii=False)
    return HttpResponse(body, content_type=PROBLEM, status=status)
