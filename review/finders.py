"""Finders of this app for the palette."""

from collections.abc import Iterable

from core.languages import changed, say, translated
from core.models import Role, User
from core.navigation import MOST_FOUND, Finder, Found, found_row, register_finders

from .models import Round


def _rounds(user: User, words: str) -> Iterable[Found]:
    for round in Round.objects.filter(name__icontains=words).order_by("-pk")[:MOST_FOUND]:
        yield found_row("round", round.pk, round.name, changed(round.get_state_display(), str.lower))


def _reports(user: User, words: str) -> Iterable[Found]:
    # Imported only here: an idle worker does not need the libraries of reports.
    from .reports.registry import all_reports

    for name, entry in all_reports().items():
        if words.lower() in translated(entry.label).lower():
            yield found_row("report", name, entry.label)


def register() -> None:
    register_finders(Finder(say("Rounds"), (Role.ADMIN,), _rounds), Finder(say("Reports"), (Role.ADMIN,), _reports))
