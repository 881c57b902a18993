"""Takes a person's names out of everything that can change, and hides them in what never changes: the log.

Work and judgments stay, as those of a number. Releases are not touched: what they name was published.
"""

import re
from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import Model, Q
from django.utils.crypto import salted_hmac

from ..accounts.tokens import revoke_all
from ..languages import say
from ..models import AccessToken, Approval, CoreAction, Event, Invitation, Pseudonym, User
from ..refusals import Refusal

FIELDS = ("username", "first_name", "last_name", "email")
WORD = re.compile(r"[\w.+@-]+")
# A shorter word of a text is no name that anyone would know a person by.
SHORTEST = 3
# A part of several first or last names, such as "van der Berg", is taken for a name only from this length on.
SHORTEST_PART = 4

Replace = Callable[[User, Callable[[str], str]], None]
_texts: list[Replace] = []


def register_texts(replace: Replace) -> None:
    """Register an app's function that takes a person's names out of its texts, by the function it is given."""
    _texts.append(replace)


def register_fields(model: type[Model], *fields: str) -> None:
    """Register fields of a model in which people write to or about one another."""

    def replace_in_fields(person: User, replace: Callable[[str], str]) -> None:
        for field in fields:
            named = Q()
            for name in names_of(person):
                named |= Q(**{f"{field}__icontains": name})
            rows = model._default_manager.filter(named)
            for pk, text in list(rows.values_list("pk", field)):
                if (without := replace(text)) != text:
                    model._default_manager.filter(pk=pk).update(**{field: without})

    register_texts(replace_in_fields)


@transaction.atomic
def pseudonymise(*, person: User, admin: User | None) -> str:
    """Take out the person's names, address and ways to sign in, for good. Returns the name that stands for them.

    Raises Refusal if the account is still open, or was pseudonymised before.
    """
    if person.is_active:
        raise Refusal(
            say("The account of {person} is open. Close it first, so that open work is handed on.", person=person)
        )
    if Pseudonym.objects.filter(person=person).exists():
        raise Refusal(say("{person} has no names left here. Nothing was changed.", person=person))
    name = Pseudonym.name_of(person.pk)
    if User.objects.filter(username__iexact=name).exclude(pk=person.pk).exists():
        raise Refusal(say("Another person is called {name}. Nothing was changed.", name=name))
    former = names_of(person)
    Pseudonym.objects.create(person=person, fingerprints=sorted(map(fingerprint, former)))
    for replace in _texts:
        replace(person, lambda text: masked_text(text, {fingerprint(each): name for each in former}))
    _forget_ways_in(person, admin)
    person.username, person.first_name, person.last_name, person.email = name, "", "", ""
    person.set_unusable_password()
    person.save()
    Event.record(CoreAction.PSEUDONYMISED, person, actor=admin)
    return name


def names_of(person: User) -> set[str]:
    """The names that a text may call the person by: those of today and those from before a change of name, each of
    several first or last names, too.
    """
    full = f"{person.first_name} {person.last_name}".strip()
    names = {str(getattr(person, field)) for field in FIELDS} | {full}
    renamed = Event.objects.about(person).filter(action=CoreAction.RENAMED)
    names |= {str(name) for before in renamed.values_list("before", flat=True) for name in before.values()}
    parts = {part for name in names for part in name.split() if len(part) >= SHORTEST_PART}
    return {name for name in names if name} | parts


def _forget_ways_in(person: User, admin: User | None) -> None:
    revoke_all(person=person, actor=admin)
    AccessToken.objects.filter(person=person).update(name="a token")
    for rows in (Authenticator, UserSession, SocialAccount):
        rows.objects.filter(user=person).delete()
    links = Invitation.objects.filter(Q(accepted_by=person) | Q(person=person))
    links.update(email="", note="")
    if person.email:
        Invitation.objects.filter(email__iexact=person.email).update(email="", note="")
        Approval.objects.filter(email__iexact=person.email).update(email="", note="")


def fingerprint(name: str) -> str:
    return salted_hmac("core.leaving.pseudonyms", name.strip().lower(), algorithm="sha256").hexdigest()


# --- The log ------------------------------------------------------------------------------------------------------


def hidden_names() -> dict[str, str]:
    """The pseudonym for each fingerprint of a name that was taken out."""
    rows = Pseudonym.objects.values_list("person_id", "fingerprints")
    return {each: Pseudonym.name_of(number) for number, found in rows for each in found}


def mask_events(events: list[Event]) -> list[Event]:
    """The same entries, with pseudonyms in place of names, as they are shown; nothing is saved."""
    if hidden := hidden_names():
        for event in events:
            event.before, event.after = masked(event.before, hidden), masked(event.after, hidden)
            event.message = masked_text(event.message, hidden)
    return events


def masked(value: Any, hidden: dict[str, str]) -> Any:
    """A value of JSON with pseudonyms in place of names."""
    match value:
        case str():
            return masked_text(value, hidden)
        case list():
            return [masked(each, hidden) for each in value]
        case dict():
            return {name: masked(each, hidden) for name, each in value.items()}
    return value


def masked_text(text: str, hidden: dict[str, str]) -> str:
    """The text with pseudonyms in place of names, of the whole text or of single words."""
    if not text or not hidden:
        return text
    if whole := hidden.get(fingerprint(text)):
        return whole

    def replace(found: re.Match[str]) -> str:
        word = found[0].strip(".@-")
        pseudonym = hidden.get(fingerprint(word)) if len(word) >= SHORTEST else None
        return found[0].replace(word, pseudonym) if pseudonym else found[0]

    return WORD.sub(replace, text)
