"""Pages that are closed to a person at present, with the reason, so that no page links to a refusal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import resolve, reverse

from ..models import User

# Returns why something is closed to this person now, and "" if it is open; may also take the arguments of an address.
Why = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Closing:
    why: Why
    by_arguments: bool


def closed_because(why: Why, *, by_arguments: bool = False) -> Callable[[Callable], Callable]:
    """For a view that refuses some people who have its role: tells links to it why. The view refuses by itself.

    With `by_arguments`, `why` is also given the arguments of the view's address.
    """

    def mark(view: Callable) -> Callable:
        view.closing = Closing(why, by_arguments)  # type: ignore[attr-defined]  # decorators around it carry it on
        return view

    return mark


def why_closed(person: User, name: str, *arguments: Any) -> str:
    """The reason why the page of this name is closed to the person; "" if it is open."""
    closing = closing_of(name, *arguments)
    if closing is None or not person.is_authenticated:
        return ""
    return reason_for(person, closing.why, *(arguments if closing.by_arguments else ()))


def reason_for(person: User, why: Why, *arguments: Any) -> str:
    """The answer of `why`, asked once per request: each request has a `User` of its own."""
    known = person.__dict__.setdefault("_why_closed", {})
    if (why, arguments) not in known:
        known[why, arguments] = why(person, *arguments)
    return known[why, arguments]


_closings: dict[str, Closing | None] = {}


def closing_of(name: str, *arguments: Any) -> Closing | None:
    """Whom the page of this name is closed to; None if it is closed to nobody with its role."""
    if name not in _closings:
        _closings[name] = getattr(resolve(reverse(name, args=arguments)).func, "closing", None)
    return _closings[name]
