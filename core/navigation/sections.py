"""The parts of the first page for each role, in order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..models import User


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the first page. `make` returns its values for the template; None leaves the section out. Slow
    sections come `later`: the page is shown without them, and requests them then.
    """

    template: str
    roles: tuple[str, ...]
    order: int
    make: Callable[[User], dict[str, Any] | None]
    later: bool = False


_sections: list[Section] = []


def register_sections(*sections: Section) -> None:
    _sections.extend(sections)
    _sections.sort(key=lambda section: section.order)


def sections_for(user: User, *, later: bool) -> list[tuple[str, dict[str, Any]]]:
    """The sections that this person is shown now, or later: each with its template and values."""
    made = [(section, section.make(user)) for section in _sections_of(user, later)]
    return [(section.template, content) for section, content in made if content is not None]


def has_later(user: User) -> bool:
    return bool(_sections_of(user, True))


def _sections_of(user: User, later: bool) -> list[Section]:
    return [section for section in _sections if section.later == later and user.has_role(*section.roles)]
