"""Every error of the API as problem details (RFC 9457)."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.forms import BaseForm
from django.http import Http404, UnreadablePostError
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response

from ..outside import storable
from ..refusals import Refusal
from ..web.problems import PROBLEM, problem_details

NOT_THERE = "There is nothing at this address, or you do not have access to it."
NOT_VALID = "Part of the request is not valid. Nothing was changed."


class Problem(Refusal):
    """A refusal that gives a program more than its message."""

    def __init__(self, message: str, *, status: int, headers: Mapping[str, str] | None = None, **more: object):
        super().__init__(message, status=status)
        self.headers, self.more = dict(headers or {}), more


def refuse_form(form: BaseForm, *, where: str = "pointer") -> None:
    """Raises Problem (400) with the error of each field, if there are any."""
    if form.errors:
        errors = [
            {where: _pointer(name) if where == "pointer" else name, "detail": str(line)}
            for name, lines in form.errors.items()
            for line in lines
        ]
        raise Problem(NOT_VALID, status=400, errors=errors)


def _pointer(*names: object) -> str:
    return "".join(f"/{str(name).replace('~', '~0').replace('/', '~1')}" for name in names if name != "__all__")


def as_problem(error: Exception, context: Any = None) -> Response | None:
    """The answer to a request that failed; None for an error of the server, which is raised again."""
    match error:
        case Problem():
            return _response(error.status, error.message, headers=error.headers, **error.more)
        case Refusal():
            return _response(error.status, error.message)
        case Http404():
            return _response(404, NOT_THERE)
        case PermissionDenied():
            return _response(403, str(error) or "You are not allowed to do this.")
        case RequestDataTooBig():
            return _response(413, "The body is larger than the site accepts. Nothing was changed.")
        case SuspiciousOperation() | UnreadablePostError():
            return _response(400, "The request could not be read. Nothing was changed.")
        case ValidationError():
            return _response(400, NOT_VALID, errors=list(_errors(error.detail)))
        case APIException():
            return _response(error.status_code, str(error.detail), headers=_headers(error))
    return None


def _response(status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    body = problem_details(status, storable(detail), **more)
    return Response(body, status=status, headers=headers, content_type=PROBLEM)


def _headers(error: APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(max(1, round(wait)))
    return headers


def _errors(detail: object, *at: object) -> Iterator[dict[str, str]]:
    """A serializer's errors, each with a JSON pointer."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _errors(inner, *at, *(() if name == "non_field_errors" else (name,)))
    elif isinstance(detail, list) and any(isinstance(each, Mapping | list) for each in detail):
        for number, inner in enumerate(detail):
            yield from _errors(inner, *at, number)
    else:
        for line in detail if isinstance(detail, list) else [detail]:
            yield {"pointer": storable(_pointer(*at))[:200], "detail": storable(str(line))}
