"""The patterns of addresses, for logs and figures: an address itself can hold a secret or a text."""

from django.http import HttpRequest
from django.urls import Resolver404, resolve

UNKNOWN = "(no page)"


def pattern_of(request: HttpRequest) -> str:
    """The pattern of the address that was asked for, such as `annotation/tags/<row:pk>/`; UNKNOWN if it has none."""
    match = request.resolver_match
    return f"/{match.route}" if match is not None else pattern_of_path(request.path_info)


def pattern_of_path(path: str) -> str:
    """The pattern of the page with this path; UNKNOWN if there is none."""
    try:
        return f"/{resolve(path).route}"
    except (Resolver404, ValueError):
        return UNKNOWN
