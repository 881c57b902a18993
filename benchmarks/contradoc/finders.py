"""Documents, found by their name in the palette."""

from collections.abc import Iterable

from core.languages import say
from core.lists.search import found_in
from core.models import Role, User
from core.navigation import MOST_FOUND, Finder, Found, found_row

from .models import Document


def _documents(user: User, words: str) -> Iterable[Found]:
    found = Document.objects.filter(pk__in=found_in(Document.objects.all(), "code", words)).order_by("pk")
    for document in found.only("key", "code", "doc_type")[:MOST_FOUND]:
        yield found_row("document", document.key, document.code, document.doc_type)


FINDERS = (Finder(say("Documents"), (Role.ADMIN,), _documents),)
