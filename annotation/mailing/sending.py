"""Sends letters. A letter says who wrote about which article or question, but not the text: a mailbox checks no
roles, and quoted text may be hidden from its reader by then.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from core.backoff import doubled
from core.keeping.sending import may_send
from core.languages import say, say_count, translated
from core.languages.texts import ENGLISH
from core.models import Project, User
from core.notices.mail import chosen_mail

from ..desk.comments.topics import comments_open_to, topic_of
from ..models import Annotation, AnnotationState, GuidelineRead, Mailing, MailState, Notice
from .waiting import claim_letter, forget_old, people_due

log = logging.getLogger(__name__)
# About three days of tries: the pause is a minute at first, doubles, and ends at six hours.
MOST_TRIES, FIRST_PAUSE, LONGEST_PAUSE = 20, 60.0, 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Line:
    """One item of a letter, in its reader's language, with its address."""

    words: str
    address: str


def send_due() -> int:
    """Send due letters; returns the number of letters sent."""
    if not may_send():
        return 0
    now = timezone.now()
    sent = sum(send_to(person, now) for person in people_due(now))
    forget_old(now)
    return sent


def send_to(person: int, now: datetime) -> bool:
    """Send one person their due letter; returns whether one was sent."""
    letter = claim_letter(person, now)
    if letter is None:
        return False
    held = Mailing.objects.filter(letter=letter, state=MailState.WAITING)
    rows = list(held.annotate(chosen=chosen_mail()).order_by("pk"))
    reader = User.objects.get(pk=person)
    wanted = [row for row in rows if row.chosen != User.Mail.NEVER] if _has_mailbox(reader) else []
    with translation.override(reader.language or ENGLISH):
        told = {row.pk: line for row in wanted if (line := _line(row, reader))}
    held.exclude(pk__in=told).update(state=MailState.NOT_NEEDED)
    if not told:
        return False
    with translation.override(reader.language or ENGLISH):
        is_sent = _post(reader, letter, list(told.values()))
    if not is_sent:
        _put_off(letter, tries=rows[0].tries, now=now)
        return False
    held.update(state=MailState.SENT, sent_at=timezone.now())
    return True


def _has_mailbox(reader: User) -> bool:
    return bool(reader.is_active and reader.email)


def _line(row: Mailing, reader: User) -> Line | None:
    """The item's line in the letter; None if it was read since, is over, or is hidden from the reader now."""
    if row.guideline_id is not None:
        if GuidelineRead.objects.filter(person=reader, version__gte=row.guideline_id).exists():
            return None
        words = say("Version {number} of the guideline was published", number=row.guideline_id)
        return Line(translated(words), _address("guideline_changes", row.guideline_id))
    if row.returned_id is not None:
        own = Annotation.objects.filter(pk=row.returned_id, annotator=reader, state=AnnotationState.RETURNED)
        annotation = own.filter(version=row.version).select_related("tag__article").first()
        if annotation is None:
            return None
        words = say("An annotation was returned to you: “{title}”", title=annotation.tag.article.title)
        return Line(translated(words), _address("my_work"))
    open_ones = Notice.objects.filter(comments_open_to(reader, path="comment__"), person=reader, read_at=None)
    found = open_ones.filter(comment=row.comment_id)
    notice = found.select_related("comment__author", "comment__annotation__tag__article").first()
    if notice is None:
        return None
    words = say(
        "{author} {what}: “{title}”",
        author=notice.comment.author,
        what=notice.get_kind_display(),
        title=topic_of(notice.comment).title,
    )
    return Line(translated(words), _address("comment", notice.comment_id))


def _address(name: str, *arguments: int) -> str:
    """The site's address, from the settings: a worker serves no request that would give it."""
    return settings.SITE_ADDRESS.rstrip("/") + reverse(name, args=arguments) if settings.SITE_ADDRESS else ""


def _post(reader: User, letter: UUID, lines: list[Line]) -> bool:
    project = Project.get().name
    many = say_count(len(lines), "{count:,} thing for you to read", "{count:,} things for you to read")
    subject = lines[0].words if len(lines) == 1 else translated(many)
    context = {"lines": lines, "project": project, "account": _address("account")}
    message = EmailMessage(
        " ".join(f"{subject} ({project})".split()),
        render_to_string("annotation/letter.txt", context),
        to=[reader.email],
        headers={"Message-ID": f"<{letter}@workbench.invalid>", "Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (OSError, SMTPException, ValueError):
        log.exception("a letter to person %s could not be sent", reader.pk)
        return False
    return True


def _put_off(letter: UUID, *, tries: int, now: datetime) -> None:
    held = Mailing.objects.filter(letter=letter, state=MailState.WAITING)
    if tries >= MOST_TRIES:
        held.update(state=MailState.FAILED)
    else:
        held.update(not_before=now + timedelta(seconds=doubled(tries, first=FIRST_PAUSE, most=LONGEST_PAUSE)))
