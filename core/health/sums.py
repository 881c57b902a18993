"""The comparison of kept sums with their rows."""

from datetime import timedelta

from django.utils import timezone

from ..engine.kept.keepers import Wrong, check_sums
from ..languages import say
from ..models import Sign, SignKind
from ..words import plural
from .checks import Finding, State
from .signs import give_sign, last_sign

STALE_AFTER = timedelta(hours=50)
REPAIR = say("Run manage.py check_sums --repair. It corrects the sums from the rows, which are not changed.")


def record_sums(*, repair: bool = False) -> list[Wrong]:
    """Compare the sums with their rows and record the result; with `repair`, all are correct afterwards. Returns what
    was wrong.
    """
    wrong = check_sums(repair=repair)
    told = (
        [] if repair else [f"{each.table}: {plural(each.rows, 'row')} wrong. {each.example}."[:500] for each in wrong]
    )
    give_sign(SignKind.SUMS, wrong=told)
    return wrong


def sums_finding() -> list[Finding]:
    """The result of the last comparison."""
    return [_finding(last_sign(SignKind.SUMS))]


def _finding(sign: Sign | None) -> Finding:
    name = say("Sums")
    check = say("Run manage.py check_sums, and see that the clock and a worker are running: they do it each night.")
    if sign is None:
        return Finding(name, State.UNKNOWN, say("The kept sums have never been compared with their rows."), check)
    when = f"{timezone.localtime(sign.at):%Y-%m-%d %H:%M}"
    if wrong := sign.facts.get("wrong"):
        return Finding(
            name,
            State.FAILED,
            say("Sums differed from their rows on {when}: {wrong}", when=when, wrong=" ".join(wrong)),
            REPAIR,
        )
    if timezone.now() - sign.at > STALE_AFTER:
        return Finding(
            name, State.UNKNOWN, say("The kept sums were last compared with their rows on {when}.", when=when), check
        )
    return Finding(name, State.OK, say("The kept sums were correct on {when}.", when=when))
