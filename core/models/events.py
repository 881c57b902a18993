"""The log of every change of state. Rows are only ever added; the database refuses to change or delete one."""

from collections.abc import Iterable
from functools import cache
from typing import Protocol

from django.apps import apps
from django.conf import settings
from django.db import models
from django.utils import timezone

from ..engine.queries.inserts import insert_new
from .batches import VisibleManager, WrittenInBatches
from .people import User


class Action(models.TextChoices):
    """An action on a row: the stored value, and the words that people read after the actor's name.

    Each app has one subclass with all its actions. A value used by two apps has the same words in both.
    """


@cache
def _labels() -> dict[str, str]:
    return {action.value: action.label for actions in Action.__subclasses__() for action in actions}


def actions() -> list[str]:
    """The stored values of all actions, of every app."""
    return list(_labels())


def _in_words(values: dict, name: str) -> str:
    if name not in values:
        return ""
    match values[name]:
        case bool(value):
            return "yes" if value else "no"
        case list(value):
            return ", ".join(map(str, value)) or "none"
        case None | "":
            return "none"
        case value:
            return str(value)


# By the apps above: the entries of the open log that a person may not read, and what to note of those they read.
class HiddenFrom(Protocol):
    def __call__(self, reader: User, /) -> models.Q:
        """Return the condition on entries of the open log that this person may not read."""


class NoteRead(Protocol):
    def __call__(self, events: Iterable["Event"], reader: User, /) -> None:
        """Record that a person has read these entries. Recording it again must change nothing."""


_hidden_from: list[HiddenFrom] = []
_note_read: list[NoteRead] = []


def register_hidden(hidden_from: HiddenFrom) -> None:
    _hidden_from.append(hidden_from)


def register_reading(note_read: NoteRead) -> None:
    _note_read.append(note_read)


def note_read(events: Iterable["Event"], *, reader: User) -> None:
    """Let the apps above note which entries this person has seen."""
    for note in _note_read:
        note(events, reader)


def log_kind(model: type[models.Model] | models.Model) -> str:
    """The kind of a model's rows in the log, as in `Event.subject_kind`: the `log_kind` of a model whose name
    another app's model has, else the model's name.
    """
    return str(getattr(model, "log_kind", model._meta.model_name))


def open_log_kinds() -> list[str]:
    """The kinds of row that the open log covers, as in `Event.subject_kind`, each once."""
    open_apps = [app for app in apps.get_app_configs() if getattr(app, "has_open_log", False)]
    return sorted({log_kind(model) for app in open_apps for model in app.get_models()})


class EventQuerySet(models.QuerySet["Event"]):
    def open_log(self, reader: User) -> "EventQuerySet":
        """The events that this admin may read: those of apps whose configuration sets `has_open_log`, without those
        hidden from the admin. Judgments are not among them: an admin may judge, and must not see that a response has
        been judged already.
        """
        return self.filter(subject_kind__in=open_log_kinds()).open_to(reader)

    def open_to(self, reader: User) -> "EventQuerySet":
        """Without the events that an app hides from this person."""
        events = self
        for hidden_from in _hidden_from:
            events = events.exclude(hidden_from(reader))
        return events

    def about(self, subject: models.Model) -> "EventQuerySet":
        """The events of this row, oldest first."""
        return self.filter(subject_kind=log_kind(subject), subject_id=subject.pk).order_by("pk")


class Event(WrittenInBatches):
    """The actor, action, row and time of a change, with the values before and after. The row itself has the current
    state.
    """

    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    action = models.CharField(max_length=60)
    subject_kind = models.CharField(max_length=40)
    subject_id = models.BigIntegerField()
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    message = models.TextField(blank=True)

    objects = VisibleManager.from_queryset(EventQuerySet)()
    everything = EventQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["subject_kind", "subject_id", "id"], name="event_subject"),
            models.Index(fields=["subject_kind", "id"], name="event_kind"),
            models.Index(fields=["actor", "id"], name="event_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.subject_kind} {self.subject_id}"

    @property
    def label(self) -> str:
        """The action, in words."""
        return _labels().get(self.action, self.action)

    @property
    def changes(self) -> list[tuple[str, str, str]]:
        """The changes, in words: name, before, after. A side is "" if the event does not record it. A new row's empty
        values are left out.
        """
        given = [name for name, value in self.after.items() if name in self.before or value not in (None, "", [])]
        names = dict.fromkeys([*self.before, *given])
        return [(name.replace("_", " "), _in_words(self.before, name), _in_words(self.after, name)) for name in names]

    @classmethod
    def record(
        cls,
        action: Action,
        subject: models.Model,
        *,
        actor=None,
        before: dict | None = None,
        after: dict | None = None,
        message: str = "",
    ) -> "Event":
        """Add one row to the log, as `of` makes it. Call it inside the transaction that makes the change."""
        return insert_new(cls.of(action, subject, actor=actor, before=before, after=after, message=message))

    @classmethod
    def of(
        cls,
        action: Action,
        subject: models.Model,
        *,
        actor=None,
        before: dict | None = None,
        after: dict | None = None,
        message: str = "",
    ) -> "Event":
        """An unsaved row, for callers that write many at once; `actor` is None for the system itself. `before` and
        `after` hold only what changed."""
        return cls(
            action=action.value,
            subject_kind=log_kind(subject),
            subject_id=subject.pk,
            actor=actor,
            before=before or {},
            after=after or {},
            message=message,
        )


class Seal(models.Model):
    """A link of the chain that shows tampering: its digest is over an entry and the digest before (`core/sealing/`).
    Seals are made soon after the entries, in the order in which those became visible. The database refuses to change
    or delete one.
    """

    position = models.BigIntegerField(primary_key=True, help_text="Its number in the chain, from 1, without gaps.")
    event = models.OneToOneField(Event, models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64, help_text="SHA-256, in hexadecimal.")

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return f"seal {self.position}"
