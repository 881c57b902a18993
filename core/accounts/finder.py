"""People, as the palette finds them."""

from collections.abc import Iterable

from django.db.models import Q

from ..languages import say
from ..models import Role, User
from ..navigation import MOST_FOUND, Finder, Found, found_row, register_finders


def _people(user: User, words: str) -> Iterable[Found]:
    in_names = Q()
    for name in User.NAMES:
        in_names |= Q(**{f"{name}__icontains": words})
    for person in User.objects.filter(in_names).order_by("-is_active", "username")[:MOST_FOUND]:
        yield found_row("person", person.pk, str(person), person.username if person.is_active else "deactivated")


def register() -> None:
    register_finders(Finder(say("People"), (Role.ADMIN,), _people))
