"""The parts of the first page for each role, in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ..models import User


class MakeSection(Protocol):
    def __call__(self, user: User, /) -> Mapping[str, object] | None:
        """Return the values for the section's template, of what this person may know of; None leaves it out."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the first page. Slow sections come `later`: the page is shown without them, then requests them. The
    nav items that it `covers` are not repeated under "Waiting for you".
    """

    template: str
    roles: tuple[str, ...]
    order: int
    make: MakeSection
    later: bool = False
    covers: tuple[str, ...] = ()


_sections: list[Section] = []


def register_sections(*sections: Section) -> None:
    _sections.extend(sections)
    _sections.sort(key=lambda section: section.order)


def sections_for(user: User, *, later: bool) -> list[tuple[str, Mapping[str, object]]]:
    """The sections that this person is shown now, or later: each with its template and values."""
    made = [(section, section.make(user)) for section in _sections_of(user, later)]
    return [(section.template, content) for section, content in made if content is not None]


def has_later(user: User) -> bool:
    return bool(_sections_of(user, True))


def covered_for(user: User) -> frozenset[str]:
    """The nav items whose waiting work has a section of its own on this person's first page."""
    return frozenset(name for section in _sections if user.has_role(*section.roles) for name in section.covers)


def _sections_of(user: User, later: bool) -> list[Section]:
    return [section for section in _sections if section.later == later and user.has_role(*section.roles)]
