"""Responses whose verdict is known: the training set and the hidden check items."""

from collections.abc import Iterable
from typing import BinaryIO

from django.db import transaction

from core.files.csv_reader import Result, Row, read_csv
from core.models import Event, User
from core.refusals import Refusal
from judging.models import Response

from ..models import Item, ItemKind, KnownUse, KnownVerdict, ReviewAction
from .judgment_imports import VERDICTS, BadRow, response_of, uuid_of

# Each is explained, or looked at, by a person: a file has some hundred.
MOST_ROWS = 1_000
NEEDED = ("response", "use", "verdict", "explanation")


@transaction.atomic
def withdraw_known(*, known: KnownVerdict, admin: User) -> None:
    """Stop using it in new rounds; rounds that have it keep it."""
    if not KnownVerdict.objects.filter(pk=known.pk, is_offered=True).update(is_offered=False):
        raise Refusal("This one has already been withdrawn.")
    Event.record(ReviewAction.WITHDREW_KNOWN, known, actor=admin)


def import_known(stream: BinaryIO, *, admin: User | None = None, check_only: bool = False) -> Result:
    """A CSV file with the columns response, use (training or check), verdict, explanation. All of it or nothing.

    It is read and checked without a lock, and written in one short transaction. Raises `Refusal` if the file has more
    than `MOST_ROWS` rows, or if a response is taken into a round, or becomes known, at the same moment.
    """
    rows = read_csv(stream, needed=NEEDED)
    if len(rows) > MOST_ROWS:
        raise Refusal(
            f"The file has {len(rows):,} rows, and {MOST_ROWS:,} known verdicts can be imported at a time. Nothing "
            f"was "
            "written. Split it.",
            status=400,
        )
    result = Result("known verdicts", is_check=check_only)
    found = _Found(rows)
    new: list[KnownVerdict] = []
    for row in rows:
        try:
            new.append(found.take(row, admin))
        except BadRow as error:
            result.bad.append((row.line, str(error)))
    result.written = len(new)
    if new and not result.bad and not check_only:
        _write(new, admin)
    return result


class _Found:
    """What is here about the responses that a file refers to."""

    def __init__(self, rows: list[Row]):
        keys = {key for key in (uuid_of(row["response"]) for row in rows) if key}
        rows_here = Response.objects.filter(key__in=keys).select_related("template").defer("imported")
        self.responses = {response.key: response for response in rows_here}
        self.known, self.judged = _taken(self.responses.values())

    def take(self, row: Row, admin: User | None) -> KnownVerdict:
        """The row to write. Raises BadRow if it cannot be imported."""
        use, word = row["use"].lower(), row["verdict"].lower().replace(" ", "_").replace("-", "_")
        verdict = VERDICTS.get(word)
        if use not in KnownUse.values:
            raise BadRow(f"“{row['use'][:40]}” is not a use: write training or check.")
        if verdict is None:
            raise BadRow(f"“{row['verdict'][:40]}” is not a verdict: write correct, partially correct or incorrect.")
        response = response_of(row["response"], self.responses)
        if verdict not in response.template.offered_verdicts:
            raise BadRow(f"Template {response.template.code} does not offer “{verdict.label}”.")
        explanation = row["explanation"]
        if use == KnownUse.TRAINING and not explanation:
            raise BadRow("A training item needs an explanation: it is shown after the reviewer has judged.")
        if response.pk in self.known:
            raise BadRow("The verdict of this response is already known.")
        if response.pk in self.judged:
            raise BadRow("This response is judged in a round, so it cannot be one whose verdict is known.")
        self.known.add(response.pk)
        return KnownVerdict(response=response, use=use, verdict=verdict, explanation=explanation, added_by=admin)


def _taken(responses: Iterable[Response]) -> tuple[set[int], set[int]]:
    """Of these responses those whose verdict is known, and those that are judged in a round."""
    numbers = [response.pk for response in responses]
    known = KnownVerdict.objects.filter(response__in=numbers)
    judged = Item.objects.filter(response__in=numbers, kind=ItemKind.ORDINARY)
    return set(known.values_list("response", flat=True)), set(judged.values_list("response", flat=True))


@transaction.atomic
def _write(new: list[KnownVerdict], admin: User | None) -> None:
    if any(_taken(each.response for each in new)):
        raise Refusal("One of these responses was taken at this moment. Nothing was written: check the file again.")
    KnownVerdict.objects.bulk_create(new)
    Event.objects.bulk_create(
        Event.of(ReviewAction.ADDED_KNOWN, known, actor=admin, after={"use": known.use, "verdict": known.verdict})
        for known in new
    )
