"""The benchmark's stages from harvested to adjudicated, for admins on the first page: finished and waiting work at
each stage, and decisions that only a person can make.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.utils import timezone

from ..engine.counted import counted
from ..engine.queries.counts import Counted, PreparedCounts
from ..models import User
from .items import CountsFor
from .menu import address_of


@dataclass(frozen=True, slots=True)
class Need:
    """Work that continues only after a person's decision: its number among the `counts`, and its list."""

    key: str
    word: str
    plural: str
    url_name: str
    query: str = ""

    @property
    def address(self) -> str:
        return address_of(self.url_name) + self.query


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage. The names of its counts are "done", "waiting", and the key of each need. `act` says what an admin does
    next with what waits, `act_at` where: it is added to the stage's address. `begin` says how the first work comes
    here, `begin_at` where: the name of an address.
    """

    label: str
    url_name: str
    order: int
    counts: CountsFor
    done: str
    waits: str
    needs: tuple[Need, ...] = ()
    act: str = ""
    act_at: str = ""
    begin: str = ""
    begin_at: str = ""


@dataclass(frozen=True, slots=True)
class StageNow:
    """A stage with its numbers. `share` is the finished part of all work so far, in percent; None if there is no
    work.
    """

    stage: Stage
    done: int
    waiting: int
    needs: list[tuple[Need, int]]

    @property
    def address(self) -> str:
        return address_of(self.stage.url_name)

    @property
    def share(self) -> int | None:
        there = self.done + self.waiting
        # Neither nothing nor all by rounding.
        return None if not there else max(int(self.done > 0), 100 * self.done // there)


_stages: list[Stage] = []


def register_stages(*stages: Stage) -> None:
    _stages.extend(stages)
    _stages.sort(key=lambda stage: stage.order)


def pipeline_for(user: User) -> list[StageNow]:
    """The stages in their order, limited to what this person may know."""
    counts = counted(
        ("stages", user.pk), lambda: _counts(user.roles).now(person=user.pk, now=timezone.now()), of_all=True
    )
    return [
        StageNow(
            stage,
            done=counts[stage.label, "done"] or 0,
            waiting=counts[stage.label, "waiting"] or 0,
            needs=[(need, count) for need in stage.needs if (count := counts[stage.label, need.key])],
        )
        for stage in _stages
    ]


@lru_cache
def _counts(roles: frozenset[str]) -> PreparedCounts[tuple[str, str]]:
    def made(person: int, now: datetime) -> dict[tuple[str, str], Counted]:
        user = User.with_these_roles(person, roles)
        return {(stage.label, key): rows for stage in _stages for key, rows in stage.counts(user, now).items()}

    return PreparedCounts(made, person=int, now=datetime)
