"""The worker's part: does one work after another, and tells their rows how far they are."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.files import File
from django.db import DatabaseError
from django.http import QueryDict
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from ..languages import say
from ..models import BackgroundWork, Role, WorkState
from ..refusals import Refusal
from ..writing.batches import Busy
from ..writing.progress import heard_by
from ..writing.repeating import repeated
from .registry import Kind, kind_of
from .works import LEASE, claim_next, end_work, held, put_back

log = logging.getLogger(__name__)

# Between two notes of progress: the page asks as often.
EVERY_SECONDS = 1.0
MOST_LINES = 1_000
READING = say("Reading the file")


class WorkLost(Exception):
    """Raised when the work was cancelled, or taken over by another worker: nothing more may be stored."""


class Progress:
    """The progress of one work. A thread of its own writes it to the row: the work may be within a transaction, whose
    changes nobody else sees.
    """

    def __init__(self, work: BackgroundWork):
        self.work = work
        self.said: dict[str, Any] = {}
        self.is_lost = False

    def hear(self, step: str, done: int, of: int | None = None) -> None:
        """Note the progress. Raises WorkLost."""
        if self.is_lost:
            raise WorkLost
        self.said = {"step": step[:40], "done": done, "of": of}

    def write(self) -> None:
        """Write it to the row, and learn whether the work is still this worker's."""
        if not held(self.work).update(lease_expires_at=timezone.now() + LEASE, **self.said):
            self.is_lost = BackgroundWork.objects.filter(pk=self.work.pk).exists()


class ToldFile(File):
    """An uploaded file whose reading is progress."""

    def __init__(self, stream: Any, name: str, hear: Callable[[str, int, int], None]):
        super().__init__(stream, name=name)
        self.stream, self.hear = stream, hear

    @property
    def path(self) -> str:
        """Its path on the server, for work that several processes read."""
        return str(self.stream.name)

    def read(self, size: int = -1) -> bytes:
        data: bytes = self.stream.read(size)
        self.hear(READING, self.stream.tell(), self.size)
        return data


def do_waiting() -> int:
    """Do everything that waits, one after another; returns how many works this was. Stops at one that has to wait
    for what others write: the clock sends the next message.
    """
    count = 0
    while (work := claim_next()) and do_work(work):
        count += 1
    return count


def do_work(work: BackgroundWork) -> bool:
    """Do a work that the caller has claimed, and end it with its result or the reason why it has none.

    Returns whether it is over: while others write an import or a release, it waits again.
    """
    progress = Progress(work)
    try:
        with repeated(progress.write, every=EVERY_SECONDS), heard_by(progress.hear):
            lines = result_of(work, progress)
    except WorkLost:
        return True
    except Busy:
        put_back(work)
        return False
    except Refusal as refusal:
        end_work(work, WorkState.REFUSED, problem=refusal.message)
    except DatabaseError:
        raise  # nothing can be written now; when the lease has lapsed, the next worker begins again
    except Exception as error:
        log.exception("background work %s", work.pk)
        end_work(
            work,
            WorkState.FAILED,
            problem=say("Something unexpected happened ({error}).", error=type(error).__name__),
        )
    else:
        end_work(work, WorkState.DONE, lines=lines)
    return True


def result_of(work: BackgroundWork, progress: Progress) -> list[str]:
    """Do the work and return the lines of its result. Raises Refusal."""
    kind = kind_of(work.what)
    if kind is None:
        raise Refusal(say("This version of the program cannot do this. Nothing was done."))
    if not (work.asked_by.is_active and work.asked_by.has_role(Role.ADMIN)):
        raise Refusal(say("The person who asked for it is no longer an admin. Nothing was done."))
    with ExitStack() as opened:
        files = {
            field: ToldFile(opened.enter_context(open_upload(file["path"])), file["name"], progress.hear)
            for field, file in work.files.items()
        }
        given = cleaned(kind, work, files)
        result = kind.do(given, check_only=work.check_only, user=work.asked_by, **work.about)
        return list(result.lines())[:MOST_LINES]


def open_upload(path: str) -> Any:
    """The uploaded file. Raises Refusal if it is no longer there."""
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise Refusal(
            say("The uploaded file is no longer on the server. Nothing was written: upload it again.")
        ) from error


def cleaned(kind: Kind, work: BackgroundWork, files: dict[str, ToldFile]) -> dict[str, Any]:
    """The cleaned values of the form, as they are now. Raises Refusal if it is no longer valid."""
    data = QueryDict(mutable=True)
    for name, values in work.given.items():
        data.setlist(name, values)
    form = kind.form(data, MultiValueDict({name: [file] for name, file in files.items()}), **work.about)
    if not form.is_valid():
        reasons = " ".join(str(each) for errors in form.errors.values() for each in errors)
        raise Refusal(say("{reasons} Nothing was done.", reasons=reasons))
    return form.cleaned_data
