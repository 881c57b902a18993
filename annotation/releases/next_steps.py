"""The acts that can follow on a release, offered on its page by the apps above."""

from collections.abc import Callable
from dataclasses import dataclass

from ..models import Release


@dataclass(frozen=True, slots=True)
class NextStep:
    """An act on another page: the words of its button, and the page's address."""

    words: str
    href: str


_steps: list[Callable[[Release], NextStep]] = []


def register(step: Callable[[Release], NextStep]) -> None:
    _steps.append(step)


def next_steps(release: Release) -> list[NextStep]:
    return [step(release) for step in _steps]
