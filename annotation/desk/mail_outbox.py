"""Queues mails in the transaction of their event. `annotation.mailing` sends them."""

from collections.abc import Iterable

from django.conf import settings

from core.models import User

from ..models import Annotation, Comment, GuidelineVersion, Mailing, Notice


def mail_notices(comment: Comment, notices: Iterable[Notice]) -> None:
    """Mail the people who get these notices, if they want mail."""
    people = [notice.person_id for notice in notices]
    _write([Mailing(person_id=pk, comment=comment) for pk in _who_want_mail(people)])


def mail_return(annotation: Annotation) -> None:
    """Mail the writer of a returned annotation, if they want mail."""
    people = [annotation.annotator_id] if annotation.annotator_id else []
    _write([Mailing(person_id=pk, returned=annotation, version=annotation.version) for pk in _who_want_mail(people)])


def mail_guideline(version: GuidelineVersion, people: list[int]) -> None:
    """Mail these people about a new version of the guideline, if they want mail."""
    _write([Mailing(person_id=pk, guideline=version) for pk in _who_want_mail(people)])


def _who_want_mail(people: list[int]) -> list[int]:
    if not people or not settings.MAIL_CONFIGURED:
        return []
    wanting = User.objects.filter(pk__in=people, is_active=True).exclude(email="").exclude(mail=User.Mail.NEVER)
    return list(wanting.order_by("pk").values_list("pk", flat=True))


def _write(rows: list[Mailing]) -> None:
    if rows:
        Mailing.objects.bulk_create(rows, ignore_conflicts=True)
