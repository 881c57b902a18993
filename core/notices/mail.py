"""The kinds of notices that people can be mailed about, and when each person wants which."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from ..models import MailChoice, User


@dataclass(frozen=True, slots=True)
class NoticeKind:
    """A kind of notice: the stored code, and the words that complete "Mail me when"."""

    code: str
    words: str


_kinds: dict[str, NoticeKind] = {}


def register(*kinds: NoticeKind) -> None:
    """Register an app's kinds of notices, in the order in which people see them."""
    _kinds.update({kind.code: kind for kind in kinds})


def notice_kinds() -> list[NoticeKind]:
    return list(_kinds.values())


def mail_choices(person: User) -> dict[str, str]:
    """The kinds for which this person chose something of their own, and when they are mailed about each."""
    return dict(MailChoice.objects.filter(person=person).values_list("kind", "mail"))


def mail_for(person: User) -> dict[str, str]:
    """For each kind, when this person is mailed about it."""
    own = mail_choices(person)
    return {kind: own.get(kind, person.mail) for kind in _kinds}


def chosen_mail(person: str = "person", kind: str = "kind") -> Coalesce:
    """An expression for rows about a person (`person`) and a kind of notice (`kind`): when to mail them."""
    own = MailChoice.objects.filter(person=OuterRef(person), kind=OuterRef(kind))
    return Coalesce(Subquery(own.values("mail")[:1]), F(f"{person}__mail"))


@transaction.atomic
def set_mail(*, person: User, mail: str, kinds: Mapping[str, str]) -> None:
    """Set when this person is mailed: in general, and by kind where it differs ("" if it does not). A kind that is
    left out keeps its choice. A personal preference, so not logged.
    """
    person.mail = User.Mail(mail)
    person.save(update_fields=["mail"])
    for kind, chosen in kinds.items():
        code = _kinds[kind].code
        if chosen:
            MailChoice.objects.update_or_create(person=person, kind=code, defaults={"mail": User.Mail(chosen)})
        else:
            MailChoice.objects.filter(person=person, kind=code).delete()
