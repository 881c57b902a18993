"""A background work as pages show it."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from ..languages import say
from ..models import BackgroundWork, User, WorkState
from .doing import READING
from .registry import kind_of

# A worker takes up what waits within this time, if there is one.
PATIENCE = timedelta(seconds=60)
# The latest works of a page that it shows beside those in progress.
MOST_SHOWN = 3
TONES = {WorkState.DONE: "good", WorkState.REFUSED: "bad", WorkState.FAILED: "bad"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A background work, and the words for it."""

    work: BackgroundWork
    title: str
    # The name of the page that shows what it stored; empty without one.
    page: str = ""

    @property
    def tone(self) -> str:
        """The CSS class of the state's chip."""
        return TONES.get(WorkState(self.work.state), "")

    @property
    def files(self) -> str:
        return ", ".join(file["name"] for file in self.work.files.values())

    @property
    def is_in_bytes(self) -> bool:
        return self.work.step == READING

    @property
    def hint(self) -> str:
        """The words on what happens next, while it has not ended."""
        work, now = self.work, timezone.now()
        if work.state == WorkState.WAITING:
            running = BackgroundWork.objects.filter(state=WorkState.RUNNING, lease_expires_at__gt=now)
            if running.exclude(pk=work.pk).exists():
                return say("It begins when the one before it has ended.")
            if now - work.asked_at > PATIENCE:
                return say(
                    "No worker has started it yet. Is one running? Start one with manage.py up; nothing is lost in "
                    "the meantime."
                )
            return say("A worker will start it in a moment.")
        if work.state == WorkState.RUNNING and work.lease_expires_at and work.lease_expires_at <= now:
            return say("Its worker has stopped responding. Another one begins again automatically.")
        return say("You can leave this page.") if work.is_open else ""


def shown(work: BackgroundWork) -> Shown:
    kind = kind_of(work.what)
    return Shown(work, kind.title, kind.page) if kind else Shown(work, work.what)


def latest(what: str, user: User) -> list[Shown]:
    """The works of this kind that this person asked for last, the newest first."""
    return [shown(work) for work in BackgroundWork.objects.filter(asked_by=user, what=what)[:MOST_SHOWN]]
