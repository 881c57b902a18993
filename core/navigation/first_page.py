"""The parts of the first page that are the frame's own."""

from typing import Any

from ..models import Role, User
from .items import offers_for
from .pipeline import pipeline_for
from .sections import Section, register_sections


def _waiting(user: User) -> dict[str, Any] | None:
    offers = offers_for(user)
    if not offers:
        return None
    return {"waiting": [each for each in offers if each.words], "empty": [each for each in offers if not each.words]}


def _pipeline(user: User) -> dict[str, Any]:
    return {"pipeline": pipeline_for(user)}


def register() -> None:
    register_sections(
        Section("core/_first_pipeline.html", (Role.ADMIN,), 20, _pipeline, later=True),
        Section("core/_first_waiting.html", tuple(Role.values), 30, _waiting),
    )
