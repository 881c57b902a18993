"""Queues mails in the transaction of their event. `annotation.mailing` sends them."""

from collections.abc import Iterable

from django.conf import settings

from core.languages import say
from core.models import MailChoice, User
from core.notices.mail import NoticeKind

from ..models import Annotation, Comment, GuidelineVersion, Mailing, Notice

RETURNED, GUIDELINE = "returned", "guideline"
KINDS = (
    NoticeKind("mention", say("Someone mentions you in a comment")),
    NoticeKind("answer", say("Someone answers your question about a tag")),
    NoticeKind("reply", say("Someone replies to your comment")),
    NoticeKind("comment", say("Someone comments on your annotation")),
    NoticeKind(RETURNED, say("An annotation is returned to you")),
    NoticeKind(GUIDELINE, say("A new version of the guideline is published")),
)


def mail_notices(comment: Comment, notices: Iterable[Notice]) -> None:
    """Mail the people who get these notices, if they want mail."""
    _write([Mailing(person_id=notice.person_id, kind=notice.kind, comment=comment) for notice in notices])


def mail_return(annotation: Annotation) -> None:
    """Mail the writer of a returned annotation, if they want mail."""
    if annotation.annotator_id:
        about = {"returned": annotation, "version": annotation.version}
        _write([Mailing(person_id=annotation.annotator_id, kind=RETURNED, **about)])


def mail_guideline(version: GuidelineVersion, people: Iterable[int]) -> None:
    """Mail these people about a new version of the guideline, if they want mail."""
    _write([Mailing(person_id=pk, kind=GUIDELINE, guideline=version) for pk in people])


def _write(rows: list[Mailing]) -> None:
    """Write the rows of people who want mail about their kind."""
    if not rows or not settings.MAIL_CONFIGURED:
        return
    with_address = User.objects.filter(pk__in={row.person_id for row in rows}, is_active=True).exclude(email="")
    general = dict(with_address.values_list("pk", "mail"))
    choices = MailChoice.objects.filter(person__in=general).values_list("person", "kind", "mail")
    own = {(person, kind): mail for person, kind, mail in choices}
    wanted = [
        row
        for row in rows
        if row.person_id in general and own.get((row.person_id, row.kind), general[row.person_id]) != User.Mail.NEVER
    ]
    if wanted:
        Mailing.objects.bulk_create(wanted, ignore_conflicts=True)
