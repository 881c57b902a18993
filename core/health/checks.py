"""The shape of a check: a function that returns findings. Apps register theirs."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ..languages import say

log = logging.getLogger(__name__)


class State(StrEnum):
    """The state of one part, from good to bad."""

    OK = "ok"
    WARNING = "warning"
    UNKNOWN = "unknown"
    FAILED = "failed"


SEVERITY = list(State)


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of one part of the site: a sentence about it, and the next step if it is not in order."""

    name: str
    state: State
    sentence: str
    todo: str = ""

    def as_json(self) -> dict[str, str]:
        return {"name": self.name, "state": str(self.state), "sentence": self.sentence, "todo": self.todo}


Check = Callable[[], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Registered:
    """A check with its name. One that is `far` asks other machines, so it can take seconds."""

    name: str
    check: Check
    is_far: bool
    order: int


_registered: list[Registered] = []


def register(name: str, check: Check, *, order: int, is_far: bool = False) -> None:
    """Add a check under the name that its finding has if the check itself breaks."""
    _registered.append(Registered(name, check, is_far, order))
    _registered.sort(key=lambda each: each.order)


def findings(*, far: bool) -> Iterator[Finding]:
    """The findings of the registered checks in their order, each as it is made: those of other machines if `far`,
    else all others.
    """
    for each in _registered:
        if each.is_far == far:
            yield from found_by(each.name, each.check)


def found_by(name: str, check: Check) -> Iterator[Finding]:
    """The findings of one check. If it breaks, its state is unknown: a check that cannot be made is no good sign."""
    try:
        yield from list(check())
    except Exception as error:
        log.warning("the check “%s” broke", name, exc_info=True)
        yield Finding(
            name,
            State.UNKNOWN,
            say("This could not be checked ({error}).", error=type(error).__name__),
            say("Read the web server's log, which has the error."),
        )


def worst(found: Iterable[Finding]) -> State:
    """The worst state among the findings; unknown if there are none."""
    states = [finding.state for finding in found]
    return max(states, key=SEVERITY.index) if states else State.UNKNOWN
