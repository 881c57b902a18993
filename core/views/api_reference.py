"""The reference of the API, made from its own description."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from ..models import ROLE_WORDS, Role
from ..web.access import SignedInRequest, role_required

METHODS = ("get", "post", "put", "patch", "delete")


@role_required()
@require_GET
def reference(request: SignedInRequest) -> HttpResponse:
    # Imported late: no other page needs it.
    from ..api.schema import schema

    described = schema()
    groups: dict[str, list[dict[str, Any]]] = {}
    for address, methods in described["paths"].items():
        for method in METHODS:
            if method in methods:
                groups.setdefault(address.split("/")[1], []).append(
                    _shown(described, address, method, methods[method])
                )
    titled = [(name, name.replace("-", " ").capitalize(), found) for name, found in sorted(groups.items())]
    return render(request, "core/api_reference.html", {"groups": titled})


def _shown(described: dict[str, Any], address: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    """The description of one address and method for the page."""
    body = _of_kind(operation.get("requestBody", {}), "application/json")
    answers = [(code, answer) for code, answer in operation["responses"].items() if not code.endswith("XX")]
    return {
        "address": f"/api/v1{address}",
        "method": method.upper(),
        "about": operation.get("description", ""),
        "roles": [ROLE_WORDS[Role(name)] for name in operation["x-roles"]],
        "scope": operation["x-scope"],
        "asked": [(each, each["schema"].get("type", "")) for each in operation.get("parameters", [])],
        "sent": _members(described, body),
        "answers": [(code, _members(described, _of_kind(answer, "application/json"))) for code, answer in answers],
    }


def _of_kind(part: dict[str, Any], kind: str) -> dict[str, Any]:
    return part.get("content", {}).get(kind, {}).get("schema", {})


def _members(described: dict[str, Any], found: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """Name, kind, and whether it is required, of each member of an object; for a list of rows, those of a row."""
    found = _named(described, found)
    properties = found.get("properties", {})
    if "results" in properties:
        found = _named(described, properties["results"].get("items", {}))
        properties = found.get("properties", {})
    required = found.get("required", [])
    return [(name, _kind(described, of), name in required) for name, of in properties.items()]


def _named(described: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    name = found.get("$ref", "").rpartition("/")[2]
    return described["components"]["schemas"][name] if name else found


def _kind(described: dict[str, Any], of: dict[str, Any]) -> str:
    """The kind of a value, in a few words."""
    of = _named(described, (of.get("allOf") or of.get("oneOf") or [of])[0])
    if "enum" in of:
        return " or ".join(map(str, of["enum"]))
    kind = of.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"list of {_kind(described, of['items'])}" if words == "array" and of.get("items") else words
