"""Publishes versions of the guideline, and knows which one a person sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.safestring import SafeString

from core.languages import say
from core.models import Event, Role, User
from core.outside import refuse_unstorable, required_text
from core.refusals import Refusal

from ..content.fields import STEPS
from ..content.word_changes import KEPT, Change, word_changes
from ..desk.mail_outbox import mail_guideline
from ..models import AnnotationAction, GuidelineRead, GuidelineVersion
from .published import published_steps
from .text import as_html, as_read, tidy

MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Beside:
    """The guideline as it stands beside the steps: its number, and the HTML of step 1 at index 1, and so on."""

    number: int
    steps: tuple[SafeString | str, ...]


def latest_version() -> GuidelineVersion:
    """The latest version. Version 1 need not be stored: looking at it writes nothing."""
    return GuidelineVersion.objects.first() or GuidelineVersion(number=1, **published_steps())


def beside(version: GuidelineVersion) -> Beside:
    return Beside(version.number, ("", *map(as_html, version.texts.values())))


@lru_cache(maxsize=8)
def _kept(number: int, since: datetime) -> Beside:
    return beside(GuidelineVersion.objects.get(number=number))


def beside_the_desk(number: int | None, since: datetime | None) -> Beside:
    """The version that an annotation was loaded with: its text is read once per process, as it never changes."""
    return _kept(number, since) if number and since else beside(latest_version())


def beside_annotation(number: int | None) -> Beside:
    """The version that an annotation was submitted under; the latest one if that is not known."""
    return beside(GuidelineVersion.objects.get(number=number) if number else latest_version())


@transaction.atomic
def publish_guideline(*, admin: User, texts: Mapping[int, str], note: str, after: int) -> GuidelineVersion:
    """Publish the texts of the six steps as the next version, and tell the annotators.

    Args:
        texts: by step, 1 to 6.
        note: what changed, in the admin's words.
        after: the version that the admin edited.

    Raises Refusal if a step or the note is empty, if nothing changed, or if another version was published since.
    """
    note = required_text(note, say("Say what changed: annotators read it. Nothing was published."))
    tidied = _checked(texts)
    before = latest_version()
    if before.number == 1:
        GuidelineVersion.objects.get_or_create(number=1, defaults=published_steps())
    newer = Refusal(
        say(
            "Version {number} of the guideline was published since you opened this page. Nothing was "
            "published; your text is still in the form. Compare it with the new version first.",
            number=after + 1,
        )
    )
    if before.number != after:
        raise newer
    if tidied == before.texts:
        raise Refusal(say("Nothing differs from the current version, so nothing was published."))
    columns = {f"step_{step}": text for step, text in tidied.items()}
    try:
        with transaction.atomic():
            version = GuidelineVersion.objects.create(
                number=after + 1, note=note, published_by=admin, published_at=timezone.now(), **columns
            )
    except IntegrityError as error:
        raise newer from error
    mark_read(version=version, person=admin)
    mail_guideline(version, list(_to_tell(admin)))
    Event.record(
        AnnotationAction.PUBLISHED_GUIDELINE,
        version,
        actor=admin,
        before={"version": after},
        after={"version": version.number, "steps": [step for step in STEPS if tidied[step] != before.texts[step]]},
        message=note,
    )
    return version


def _checked(texts: Mapping[int, str]) -> dict[int, str]:
    tidied = {}
    for step, name in STEPS.items():
        text = tidy(texts.get(step, ""))
        refuse_unstorable(text)
        if not text:
            raise Refusal(say("Step {step}, {name}, has no text. Nothing was published.", step=step, name=name))
        if len(text) > MOST_CHARACTERS:
            raise Refusal(
                say(
                    "Step {step}, {name}, has more than {most:,} characters. Nothing was published.",
                    step=step,
                    name=name,
                    most=MOST_CHARACTERS,
                )
            )
        tidied[step] = text
    return tidied


def _to_tell(admin: User) -> list[int]:
    annotators = User.objects.filter(is_active=True, groups__name=Role.ANNOTATOR).exclude(pk=admin.pk)
    return list(annotators.order_by("pk").values_list("pk", flat=True))


def mark_read(*, version: GuidelineVersion, person: User) -> None:
    """Record that the person has seen this version. Recording it again changes nothing."""
    # The published text is news to nobody.
    if version.number > 1 and not GuidelineRead.objects.filter(version=version, person=person).exists():
        GuidelineRead.objects.bulk_create([GuidelineRead(version=version, person=person)], ignore_conflicts=True)


def unread_version(person: User) -> GuidelineVersion | None:
    """The latest version, if it was published since this person joined and they have not seen it yet."""
    latest = latest_version()
    if is_news(latest.number, latest.published_at, read=_last_read(person), person=person):
        return latest
    return None


def is_news(number: int, since: datetime, *, read: int | None, person: User) -> bool:
    """Return whether a person who last read version `read` is to be told of this one."""
    return number > max(read or 0, 1) and since > person.date_joined


def _last_read(person: User) -> int | None:
    own = GuidelineRead.objects.filter(person=person).order_by("-version")
    return own.values_list("version", flat=True).first()


@dataclass(frozen=True, slots=True)
class ChangedStep:
    """A step of the guideline that differs between two versions, word by word."""

    step: int
    name: str
    changes: list[Change]

    @property
    def is_only_marks(self) -> bool:
        """Return whether the words are the same, and only emphasis or layout differs."""
        return all(change.kind == KEPT for change in self.changes)


def changed_steps(before: GuidelineVersion, after: GuidelineVersion) -> list[ChangedStep]:
    """The steps that differ, in order."""
    return [
        ChangedStep(step, name, word_changes(as_read(before.texts[step]), as_read(after.texts[step])))
        for step, name in STEPS.items()
        if before.texts[step] != after.texts[step]
    ]
