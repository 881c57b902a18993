"""Finders of this app for the palette."""

from collections.abc import Iterable

from core.languages import in_sentence, joined, say
from core.lists.search import NEWEST_SEARCHED
from core.models import Role, User
from core.navigation import MOST_FOUND, Finder, Found, found_row, numbered, register_finders

from .models import LanguageModel, Run


def _runs(user: User, words: str) -> Iterable[Found]:
    newest = Run.objects.order_by("-pk").values("pk")[:NEWEST_SEARCHED]
    of_number = numbered(Run.objects.all(), words)
    named = Run.objects.filter(pk__in=newest, name__icontains=words).order_by("-pk")
    for runs in (of_number, named):
        for run in runs[:MOST_FOUND]:
            about = joined([in_sentence(run.get_kind_display()), in_sentence(run.get_state_display())], ", ")
            yield found_row("run", run.pk, f"{run.pk} {run.name}".strip(), about)


def _models(user: User, words: str) -> Iterable[Found]:
    for model in LanguageModel.objects.filter(name__icontains=words).order_by("name")[:MOST_FOUND]:
        yield found_row("model", model.pk, model.name, model.endpoint_name)


def register() -> None:
    register_finders(
        Finder(say("Runs"), (Role.ADMIN,), _runs),
        Finder(say("Models"), (Role.ADMIN,), _models),
    )
