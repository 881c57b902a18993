"""Responses whose verdict is known: the training set and the hidden check items."""

from typing import IO

from django.db import transaction

from annotation.errors import Refusal
from annotation.models import Event, User
from judging.models import Response

from .csv_files import Result, Row, read_csv
from .judgment_imports import VERDICTS, BadRow, response_of
from .models import Item, ItemKind, KnownUse, KnownVerdict

NEEDED = ("response", "use", "verdict", "explanation")


@transaction.atomic
def add_known(*, response: Response, use: str, verdict: str, explanation: str, admin: User | None) -> KnownVerdict:
    """Raises `Refusal` for a training item without an explanation, a response that is judged in a round, and one
    whose verdict is known already."""
    explanation = explanation.strip()
    if use == KnownUse.TRAINING and not explanation:
        raise Refusal("A training item needs an explanation: it is shown after the reviewer has judged.", status=400)
    if KnownVerdict.objects.filter(response=response).exists():
        raise Refusal("The verdict of this response is known already.")
    if Item.objects.filter(response=response, kind=ItemKind.ORDINARY).exists():
        raise Refusal("This response is judged in a round, so it cannot be one whose verdict is known.")
    known = KnownVerdict.objects.create(
        response=response, use=use, verdict=verdict, explanation=explanation, added_by=admin
    )
    Event.record("added a known verdict", known, actor=admin, after={"use": use, "verdict": verdict})
    return known


@transaction.atomic
def withdraw_known(*, known: KnownVerdict, admin: User) -> None:
    """Not taken into new rounds any more; rounds that have it keep it."""
    if not KnownVerdict.objects.filter(pk=known.pk, is_offered=True).update(is_offered=False):
        raise Refusal("This one was withdrawn already.")
    Event.record("withdrew a known verdict", known, actor=admin)


def import_known(stream: IO[bytes], *, admin: User | None = None, check_only: bool = False) -> Result:
    """A CSV file with the columns response, use (training or check), verdict, explanation. All of it or nothing."""
    rows = read_csv(stream, needed=NEEDED)
    result = Result("known verdicts", is_check=check_only)
    with transaction.atomic():
        for row in rows:
            try:
                _take(row, admin)
                result.written += 1
            except (BadRow, Refusal) as error:
                result.bad.append((row.line, getattr(error, "message", str(error))))
        if result.bad or check_only:
            transaction.set_rollback(True)
    return result


def _take(row: Row, admin: User | None) -> None:
    use, verdict = row["use"].lower(), VERDICTS.get(row["verdict"].lower().replace(" ", "_").replace("-", "_"))
    if use not in KnownUse.values:
        raise BadRow(f"“{row['use'][:40]}” is no use: training or check.")
    if verdict is None:
        raise BadRow(f"“{row['verdict'][:40]}” is no verdict: correct, partially correct or incorrect.")
    response = response_of(row["response"])
    if verdict not in response.template.offered_verdicts:
        raise BadRow(f"Template {response.template.code} does not offer “{verdict.label}”.")
    add_known(response=response, use=use, verdict=verdict, explanation=row["explanation"], admin=admin)
