"""Judgments made elsewhere, from a CSV file: response, reviewer, verdict, comment. All of it or nothing."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import IO
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.errors import Refusal
from annotation.models import Event, Role, User
from judging.models import Response
from judging.verdicts import Verdict

from .csv_files import Result, Row, read_csv
from .judgments import COMMENT_LENGTH, record_judgment
from .models import Item, ItemKind, Judgment, Round, RoundReviewer, RoundState, Settlement
from .pairing import complete_pairs

NEEDED = ("response", "reviewer", "verdict")
VERDICTS = {
    **{verdict.value: verdict for verdict in Verdict},
    "c": Verdict.CORRECT,
    "p": Verdict.PARTIALLY_CORRECT,
    "i": Verdict.INCORRECT,
}


class BadRow(Exception):
    """Why a row cannot be imported."""


@dataclass(frozen=True, slots=True)
class Given:
    """A row that was read."""

    line: int
    response: Response
    reviewer: User
    verdict: str
    cannot_judge: str
    comment: str
    seconds: int | None
    at: datetime


def import_judgments(
    stream: IO[bytes], *, admin: User | None = None, round_name: str = "", check_only: bool = False
) -> Result:
    """Read a file of judgments. Rows that are there already, with the same verdict, are counted and left alone.

    Responses that are in no round come into one of imported judgments. With a bad row, or to check only, nothing is
    written. Raises `Refusal` for what is no such file.
    """
    rows = read_csv(stream, needed=NEEDED)
    if not rows:
        raise Refusal("The file holds no rows below its header. Nothing was written.", status=400)
    result = Result("judgments", is_check=check_only)
    with transaction.atomic():
        importing = _Import(round_name.strip() or f"Imported {timezone.now():%Y-%m-%d %H:%M}", result)
        for row in rows:
            try:
                importing.take(row)
            except (BadRow, Refusal) as error:
                result.bad.append((row.line, getattr(error, "message", str(error))))
        if result.bad or check_only:
            transaction.set_rollback(True)
            return result
        for round in importing.rounds.values():
            complete_pairs(round=round)
            Event.record("imported judgments", round, actor=admin, after={"judgments": importing.counts[round.pk]})
    return result


class _Import:
    """One file. Rows are written as they are read, and all are rolled back where one is bad."""

    def __init__(self, round_name: str, result: Result):
        self.round_name = round_name
        self.result = result
        self.people = _people()
        self.seen: dict[tuple[int, int], int] = {}
        self.rounds: dict[int, Round] = {}
        self.counts: dict[int, int] = defaultdict(int)
        self.imported_round: Round | None = None

    def take(self, row: Row) -> None:
        given = self.read(row)
        first = self.seen.setdefault((given.response.pk, given.reviewer.pk), row.line)
        if first != row.line:
            raise BadRow(f"{given.reviewer} judges this response on line {first} already.")
        item = self.item_of(given.response)
        own = Judgment.objects.filter(item=item, reviewer=given.reviewer).first()
        if own and own.is_given:
            if (own.verdict, own.cannot_judge) != (given.verdict, given.cannot_judge):
                raise BadRow(f"{given.reviewer} judged this response already, otherwise.")
            self.result.there += 1
            return
        place = own or self.free_place(item, given.reviewer)
        record_judgment(
            place=Judgment.objects.select_related("round", "item").get(pk=place.pk),
            reviewer=given.reviewer,
            verdict=given.verdict,
            cannot_judge=given.cannot_judge,
            comment=given.comment,
            seconds=given.seconds,
            at=given.at,
            is_import=True,
        )
        self.result.written += 1
        self.counts[item.round_id] += 1
        self.rounds.setdefault(item.round_id, item.round)

    def read(self, row: Row) -> Given:
        verdict, cannot_judge = row["verdict"], row["cannot_judge"]
        if verdict:
            found = VERDICTS.get(verdict.lower().replace(" ", "_").replace("-", "_"))
            if found is None:
                raise BadRow(f"“{verdict[:40]}” is no verdict: correct, partially correct or incorrect.")
            verdict, cannot_judge = found.value, ""
        elif not cannot_judge:
            raise BadRow("There is no verdict.")
        person = self.people.get(row["reviewer"].lower())
        if person is None:
            raise BadRow(f"No reviewer has the user name or email address “{row['reviewer'][:60]}”.")
        if len(row["comment"]) > COMMENT_LENGTH or len(cannot_judge) > COMMENT_LENGTH:
            raise BadRow(f"The comment has more than {COMMENT_LENGTH:,} characters.")
        return Given(
            line=row.line,
            response=response_of(row["response"]),
            reviewer=person,
            verdict=verdict,
            cannot_judge=cannot_judge,
            comment=row["comment"],
            seconds=_seconds(row["seconds"]),
            at=_time(row["judged_at"]),
        )

    def item_of(self, response: Response) -> Item:
        item = Item.objects.filter(response=response, kind=ItemKind.ORDINARY).select_related("round").first()
        if item is None:
            if Settlement.objects.filter(response=response).exists():
                raise BadRow("This response has an imported final verdict already.")
            return self.new_item(response)
        if item.round.state != RoundState.OPEN and not item.round.is_import:
            raise BadRow(f"This response belongs to {item.round}, which is not open.")
        return item

    def new_item(self, response: Response) -> Item:
        if self.imported_round is None:
            self.imported_round = _imported_round(self.round_name)
        item = Item.objects.create(round=self.imported_round, response=response, instance_id=response.instance_id)
        Judgment.objects.bulk_create(
            Judgment(round=self.imported_round, item=item, number=number, position=0) for number in (1, 2)
        )
        return item

    def free_place(self, item: Item, reviewer: User) -> Judgment:
        """An open place that nobody has on their page, given to this person."""
        places = Judgment.objects.open().filter(item=item)
        untouched = places.filter(lease_expires_at=None) | places.filter(lease_expires_at__lte=timezone.now())
        place = untouched.order_by("number").first()
        if place is None:
            raise BadRow("This response has two judgments, or somebody is judging it right now.")
        RoundReviewer.objects.get_or_create(round_id=item.round_id, person=reviewer)
        Judgment.objects.filter(pk=place.pk).update(reviewer=reviewer, lease_expires_at=None)
        return place


def _people() -> dict[str, User]:
    people: dict[str, User] = {}
    for person in User.objects.filter(groups__name=Role.REVIEWER):
        if person.email:
            people.setdefault(person.email.lower(), person)
        people[person.username.lower()] = person
    return people


def _imported_round(name: str) -> Round:
    round, is_new = Round.objects.get_or_create(
        name=name[:100], defaults={"is_import": True, "state": RoundState.CLOSED, "closed_at": timezone.now()}
    )
    if not is_new and not round.is_import:
        raise Refusal(f"“{name}” is a round in which people judge here. Choose another name.")
    return round


def response_of(key: str) -> Response:
    try:
        uuid = UUID(key)
    except ValueError as error:
        raise BadRow(f"“{key[:60]}” is no key of a response.") from error
    response = Response.objects.filter(key=uuid).first()
    if response is None:
        raise BadRow(f"There is no response {key}.")
    if not response.is_answer:
        raise BadRow(f"Response {key} is no answer ({response.get_mark_display().lower()}), so it is not judged.")
    return response


def _seconds(text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise BadRow(f"“{text[:20]}” is no number of seconds.")
    return int(text)


def _time(text: str) -> datetime:
    """When it was judged, if the row says so; a time in the future would count only then."""
    now = timezone.now()
    if not text:
        return now
    try:
        at = parse_datetime(text)
    except ValueError:
        at = None
    if at is None:
        raise BadRow(f"“{text[:40]}” is no time as in 2026-05-31T12:00:00Z.")
    if timezone.is_naive(at):
        at = timezone.make_aware(at)
    if at > now:
        raise BadRow(f"{text} lies in the future.")
    return at
