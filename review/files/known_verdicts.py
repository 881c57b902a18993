"""Responses whose verdict is known: the training set and the hidden check items."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO
from uuid import UUID

from django.db import transaction

from core.engine.writing.spool import Spool
from core.files.csv_reader import Row
from core.files.imports import RowImport
from core.files.skipping import Skipped
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from judging.models import Response
from judging.runs.blinding import refuse_names

from ..models import Item, ItemKind, KnownUse, KnownVerdict, ReviewAction
from .judgment_imports import BadRow, response_of, responses_in, verdict_in

# A person explains or checks each of them, so a file has a few hundred.
MOST_ROWS = 1_000
NEEDED = ("response", "use", "verdict", "explanation")


@transaction.atomic
def withdraw_known(*, known: KnownVerdict, admin: User) -> None:
    """Stop using it in new rounds; rounds that have it keep it."""
    if not KnownVerdict.objects.filter(pk=known.pk, is_offered=True).update(is_offered=False):
        raise Refusal(say("This one has already been withdrawn."))
    Event.record(ReviewAction.WITHDREW_KNOWN, known, actor=admin)


def import_known(
    stream: BinaryIO, *, admin: User | None = None, check_only: bool = False, skipped: Skipped | None = None
) -> "KnownImport":
    """A CSV file with the columns response, use (training or check), verdict, explanation. All of it or nothing.

    It is read and checked without a lock, and written in one short transaction. Raises `Refusal` if the file has more
    than `MOST_ROWS` rows, or if a response is taken into a round, or becomes known, at the same moment.
    """
    refuse_names(admin)
    return KnownImport(actor=admin, check_only=check_only, skipped=skipped).bring_in(stream)


class KnownImport(RowImport):
    what = rows_hold = say("known verdicts")
    needed = NEEDED

    def __init__(self, **values: Any):
        super().__init__(**values)
        self.responses: dict[UUID, Response] = {}
        # Use, verdict and explanation of the responses that are known here; and those known by the file itself.
        self.here: dict[int, tuple[str, str, str]] = {}
        self.in_file: set[int] = set()
        self.judged: set[int] = set()

    def records(self, parts: Iterator[str]) -> Iterator[tuple[int, Row]]:
        for number, row in enumerate(super().records(parts), start=1):
            if number > MOST_ROWS:
                raise Refusal(
                    say(
                        "The file has more than {most:,} rows, the most known verdicts that can be imported at "
                        "a time. Nothing was written. Split it.",
                        most=MOST_ROWS,
                    ),
                    status=400,
                )
            yield row

    def look_up(self, records: Sequence[Row]) -> None:
        rows_here = responses_in(records).select_related("template").defer("imported")
        self.responses = {response.key: response for response in rows_here}
        known, judged = _taken(response.pk for response in self.responses.values())
        self.here |= known
        self.judged |= judged

    def plan(self, where: int, record: Row) -> Iterator[dict[str, Any]]:
        use = record["use"].lower()
        if use not in KnownUse.values:
            raise BadRow(say("“{use}” is not a use: write training or check.", use=record["use"][:40]))
        verdict = verdict_in(record["verdict"])
        response = response_of(record["response"], self.responses)
        if verdict not in response.template.offered_verdicts:
            raise BadRow(
                say("Prompt {code} does not offer “{label}”.", code=response.template.code, label=verdict.label)
            )
        explanation = record["explanation"]
        if use == KnownUse.TRAINING and not explanation:
            raise BadRow(say("A training item needs an explanation: it is shown after the reviewer has judged."))
        said = (use, verdict.value, explanation)
        if response.pk in self.in_file:
            raise BadRow(say("This response is in the file twice."))
        self.in_file.add(response.pk)
        if response.pk in self.here:
            if self.here[response.pk] != said:
                raise BadRow(say("This response is already known here, with another use, verdict or explanation."))
            self.there += 1
            return
        if response.pk in self.judged:
            raise BadRow(say("This response is judged in a round, so it cannot have a known verdict."))
        self.new += 1
        yield {"response_id": response.pk, "use": use, "verdict": verdict, "explanation": explanation}

    @transaction.atomic
    def write(self, planned: Spool, planned_after: int) -> None:
        new = [KnownVerdict(added_by=self.actor, **values) for values in planned]
        if any(_taken(known.response_id for known in new)):
            raise Refusal(
                say(
                    "One of these responses has just been added to a round, or its verdict has just become known. "
                    "Nothing was written: validate the file again."
                )
            )
        KnownVerdict.objects.bulk_create(new)
        Event.objects.bulk_create(
            Event.of(
                ReviewAction.ADDED_KNOWN, known, actor=self.actor, after={"use": known.use, "verdict": known.verdict}
            )
            for known in new
        )


def _taken(responses: Iterable[int]) -> tuple[dict[int, tuple[str, str, str]], set[int]]:
    """Of these responses, the known ones with use, verdict and explanation; and those judged in a round."""
    numbers = list(responses)
    known = KnownVerdict.objects.filter(response__in=numbers)
    judged = Item.objects.filter(response__in=numbers, kind=ItemKind.ORDINARY)
    said = {row.response_id: (row.use, row.verdict, row.explanation) for row in known}
    return said, set(judged.values_list("response", flat=True))
