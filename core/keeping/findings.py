"""Findings for `doctor` about the pause after a restore, and of calls that an admin has stopped."""

from collections.abc import Iterator

from ..health.checks import Finding, State, register
from ..languages import say
from ..models import Project
from .sending import held_folders


def sending_findings() -> Iterator[Finding]:
    """Return whether anything may go out."""
    for folder in held_folders():
        todo = say("Look through the runs, then allow it on the page System or by `manage.py allow_sending`.")
        yield Finding(
            say("Sending"),
            State.WARNING,
            say("Nothing goes out from {folder}: {held_because}", folder=folder, held_because=folder.held_because),
            todo,
        )
    if at := Project.get().calls_stopped_at:
        said = say("New calls to models are stopped since {at:%Y-%m-%d %H:%M} UTC.", at=at)
        yield Finding(say("Sending"), State.WARNING, said, say("`manage.py drain --undo` allows them again."))


def register_checks() -> None:
    register(say("Sending"), sending_findings, order=35)
