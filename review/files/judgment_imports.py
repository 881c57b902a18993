"""Judgments made elsewhere, from a CSV file: response, reviewer, verdict, comment. All of it or nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO
from uuid import UUID

from django.db.models import Model
from django.utils import timezone

from core.files.csv_reader import Result, Row, read_csv
from core.models import Event, Role, User
from core.outside import Unreadable, moment, whole_number
from core.refusals import Refusal
from core.writing.batches import Writing, last_batch, written_together
from core.writing.inserts import give_keys
from core.writing.updates import update_each
from judging.models import Response
from judging.protocol.verdicts import Verdict

from ..models import (
    FinalVerdict,
    Item,
    ItemKind,
    Judgment,
    ReviewAction,
    Round,
    RoundReviewer,
    RoundState,
    Saw,
    SeenJudgments,
)
from ..rounds.judgments import COMMENT_LENGTH, given_values
from ..rounds.pairing import complete_pairs
from ..rounds.rounds import hidden_from
from ..rounds.seen import has_seen, record_seen

ROWS_AT_A_TIME = 500
# This many judgments in existing rounds are written in well under half a second.
AT_ONCE = 3_000
FILLED = (
    "reviewer",
    "lease_expires_at",
    "verdict",
    "cannot_judge",
    "comment",
    "seconds",
    "judged_at",
    "undo_until",
)
MOST_SECONDS = 999_999_999
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
    stream: BinaryIO, *, admin: User | None = None, round_name: str = "", check_only: bool = False
) -> Result:
    """Read a file of judgments. Judgments that are already there with the same verdict are counted and left alone.

    Responses that are in no round go into a round of imported judgments. If a row is bad, or with `check_only`,
    nothing is written. Raises `Refusal` if the file cannot be read as such a file.

    Nothing is imported for an unfinished round in which `admin` judges: the result would show what is there. For all
    other responses in the file, `admin` counts as having seen judgments from now on, even after a mere check.
    """
    rows = read_csv(stream, needed=NEEDED)
    if not rows:
        raise Refusal("The file holds no rows below its header. Nothing was written.", status=400)
    result = Result("judgments", is_check=check_only)
    planned_after = last_batch()
    plan = _Import(round_name.strip() or f"Imported {timezone.now():%Y-%m-%d %H:%M}", result, admin)
    try:
        for start in range(0, len(rows), ROWS_AT_A_TIME):
            plan.take_all(rows[start : start + ROWS_AT_A_TIME])
            if result.is_full:
                break
        if plan.given and not result.bad and not check_only:
            with written_together("judgments", planned_after=planned_after, actor=admin) as writing:
                plan.write(writing, admin)
            for round in plan.rounds:
                complete_pairs(round=round)
    finally:
        if admin is not None:
            record_seen(person=admin, what=Saw.FILE, responses=plan.of_others)
    return result


@dataclass(slots=True)
class _Filled:
    """A slot, found or created, and what the file has for it."""

    slot: Judgment
    was_reviewer: int | None
    was_lease: datetime | None
    is_here: bool
    given: Given


class _Import:
    """One file. `take_all` only reads, and keeps what is to be written in unsaved rows."""

    def __init__(self, round_name: str, result: Result, admin: User | None):
        self.admin = admin
        self.hidden = set(hidden_from(admin).values_list("pk", flat=True)) if admin else set()
        # Responses of which the file holds a judgment by another person than the admin.
        self.of_others: set[int] = set()
        self.round_name = round_name
        self.result = result
        self.people = _people()
        self.seen: dict[tuple[int, int], int] = {}
        self.given: list[_Filled] = []
        self.imported_round: Round | None = None
        self.responses: dict[UUID, Response] = {}
        self.decided: set[int] = set()
        # (person, response): a file with the judgments of both, brought by one of them, is the transcript of what
        # they judged elsewhere, and no way of seeing.
        self.seen_by: set[tuple[int, int]] = set()
        self.items: dict[int, Item] = {}
        self.slots: dict[int, list[Judgment]] = {}

    def take_all(self, rows: list[Row]) -> None:
        self.look_up(rows)
        for row in rows:
            try:
                self.take(row)
            except (BadRow, Refusal) as error:
                self.result.bad.append((row.line, getattr(error, "message", str(error))))

    def look_up(self, rows: list[Row]) -> None:
        """Load what these rows refer to, with one query for each kind of row."""
        keys = {key for key in (uuid_of(row["response"]) for row in rows) if key and key not in self.responses}
        found = {response.key: response for response in Response.objects.filter(key__in=keys).defer("imported")}
        self.responses |= found
        numbers = [response.pk for response in found.values()]
        self.decided |= set(FinalVerdict.objects.filter(response__in=numbers).values_list("response", flat=True))
        saw = SeenJudgments.objects.filter(response__in=numbers).exclude(what=Saw.FILE).order_by()
        self.seen_by |= {(person, response) for person, response in saw.values_list("person", "response") if response}
        ordinary = Item.objects.filter(response__in=numbers, kind=ItemKind.ORDINARY)
        items = {item.response_id: item for item in ordinary.select_related("round")}
        self.items |= items
        slots: dict[int, list[Judgment]] = {item.pk: [] for item in items.values()}
        for judgment in Judgment.objects.filter(item__in=slots).order_by("number", "pk"):
            slots[judgment.item_id].append(judgment)
        self.slots |= {item.response_id: slots[item.pk] for item in items.values()}

    def take(self, row: Row) -> None:
        given = self.read(row)
        first = self.seen.setdefault((given.response.pk, given.reviewer.pk), row.line)
        if first != row.line:
            raise BadRow(f"{given.reviewer} already judges this response on line {first}.")
        slots = self.slots_of(given.response)
        if given.reviewer != self.admin:
            self.of_others.add(given.response.pk)
        own = next((slot for slot in slots if slot.reviewer_id == given.reviewer.pk), None)
        if own and own.is_given:
            if (own.verdict, own.cannot_judge) != (given.verdict, given.cannot_judge):
                raise BadRow(f"{given.reviewer} has already judged this response differently.")
            self.result.there += 1
            return
        slot = own or self.free_slot(slots, given)
        self.given.append(_Filled(slot, slot.reviewer_id, slot.lease_expires_at, slot.pk is not None, given))
        slot.reviewer, slot.lease_expires_at = given.reviewer, None
        for name, value in given_values(
            verdict=given.verdict,
            cannot_judge=given.cannot_judge,
            comment=given.comment,
            seconds=given.seconds,
            at=given.at,
        ).items():
            setattr(slot, name, value)
        self.result.written += 1

    def read(self, row: Row) -> Given:
        verdict, cannot_judge = row["verdict"], row["cannot_judge"]
        if verdict:
            found = VERDICTS.get(verdict.lower().replace(" ", "_").replace("-", "_"))
            if found is None:
                raise BadRow(f"“{verdict[:40]}” is not a verdict: write correct, partially correct or incorrect.")
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
            response=response_of(row["response"], self.responses),
            reviewer=person,
            verdict=verdict,
            cannot_judge=cannot_judge,
            comment=row.cells.get("comment", ""),
            seconds=_seconds(row["seconds"]),
            at=_time(row["judged_at"]),
        )

    def slots_of(self, response: Response) -> list[Judgment]:
        """The slots for judgments of a response, in a round that is here or in one of imported judgments."""
        item = self.items.get(response.pk)
        if item is None:
            if response.pk in self.decided:
                raise BadRow("This response already has an imported final verdict.")
            return self.new_slots(response)
        if item.round_id in self.hidden:
            raise BadRow(f"You judge in {item.round}, which is not finished: another admin has to import this.")
        if item.round.state != RoundState.OPEN and not item.round.is_import:
            raise BadRow(f"This response belongs to {item.round}, which is not open.")
        return self.slots[response.pk]

    def new_slots(self, response: Response) -> list[Judgment]:
        if self.imported_round is None:
            self.imported_round = _imported_round(self.round_name)
        item = Item(round=self.imported_round, response=response, instance_id=response.instance_id)
        self.items[response.pk] = item
        self.slots[response.pk] = [
            Judgment(round=self.imported_round, item=item, number=number, position=0) for number in (1, 2)
        ]
        return self.slots[response.pk]

    def free_slot(self, slots: list[Judgment], given: Given) -> Judgment:
        """An open slot that nobody has on their page, for a person who has seen no other person's judgment."""
        slot = _free_slot(slots)
        is_seen = (given.reviewer.pk, given.response.pk) in self.seen_by
        if is_seen or (slot.pk and has_seen(person=given.reviewer, judgment=slot, besides=[Saw.FILE])):
            raise BadRow(f"{given.reviewer} has seen another person's judgment of this response.")
        return slot

    # --- Written ----------------------------------------------------------------------------------------------

    @property
    def rounds(self) -> list[Round]:
        return list({each.slot.round_id: self.items[each.given.response.pk].round for each in self.given}.values())

    def write(self, writing: Writing, admin: User | None) -> None:
        """New responses come into a round, or items of one, that nobody sees before the last is written.

        Judgments in rounds that are here are written with the step that shows the others, as long as they are few
        enough for one step. Beyond, they come in pieces, each judgment of which counts as if it had been given here;
        reading the file again goes on where that was interrupted.
        """
        writing.create(self.made())
        filled = [each for each in self.given if each.is_here]
        at_last = filled if len(filled) <= AT_ONCE else []
        if not at_last:
            writing.write(filled, _fill)

        def last() -> None:
            _fill(at_last)
            self.record(admin)

        writing.finish(last)

    def made(self) -> Iterator[Model]:
        """The round of imported judgments with its items, as far as they are not saved, and all slots of these."""
        if self.imported_round and self.imported_round.pk is None:
            give_keys([self.imported_round])
            yield self.imported_round
        new = [item for item in self.items.values() if item.pk is None]
        for start in range(0, len(new), ROWS_AT_A_TIME):
            part = new[start : start + ROWS_AT_A_TIME]
            give_keys(part)
            for item in part:
                item.round = item.round
                yield item
                for judgment in self.slots[item.response_id]:
                    judgment.round, judgment.item = judgment.round, judgment.item
                    yield judgment

    def record(self, admin: User | None) -> None:
        counts = Counter(each.slot.round_id for each in self.given)
        people = {(each.slot.round_id, each.given.reviewer.pk) for each in self.given}
        RoundReviewer.objects.bulk_create(
            (RoundReviewer(round_id=round, person_id=person) for round, person in sorted(people)),
            ignore_conflicts=True,
        )
        for round in self.rounds:
            Event.record(ReviewAction.IMPORTED_JUDGMENTS, round, actor=admin, after={"judgments": counts[round.pk]})


def _free_slot(slots: list[Judgment]) -> Judgment:
    """An open slot that nobody has on their page."""
    now = timezone.now()
    for slot in slots:
        if not slot.is_given and (slot.lease_expires_at is None or slot.lease_expires_at <= now):
            return slot
    raise BadRow("This response has two judgments, or a reviewer is judging it right now.")


def _fill(filled: list[_Filled]) -> None:
    """Write what is given for slots that are here, all of which are as they were found. Call it in a transaction."""
    found = {each.slot.pk: (each.was_reviewer, each.was_lease) for each in filled}
    numbers = list(found)
    for start in range(0, len(numbers), ROWS_AT_A_TIME):
        part = Judgment.objects.open().filter(pk__in=numbers[start : start + ROWS_AT_A_TIME]).select_for_update()
        for pk, *now in part.values_list("pk", "reviewer", "lease_expires_at"):
            if found[pk] == tuple(now):
                del found[pk]
    if found:
        raise Refusal(
            f"{len(found):,} of these responses were judged, or changed hands, at this moment. Check the file again."
        )
    update_each(Judgment, FILLED, (each.slot for each in filled))


def _people() -> dict[str, User]:
    people: dict[str, User] = {}
    for person in User.objects.filter(groups__name=Role.REVIEWER):
        if person.email:
            people.setdefault(person.email.lower(), person)
        people[person.username.lower()] = person
    return people


def _imported_round(name: str) -> Round:
    round = Round.objects.filter(name=name[:100]).first()
    if round is None:
        return Round(name=name[:100], is_import=True, state=RoundState.CLOSED, closed_at=timezone.now())
    if not round.is_import:
        raise Refusal(f"“{name}” is a round in which people judge here. Choose another name.")
    return round


def uuid_of(key: str) -> UUID | None:
    try:
        return UUID(key)
    except ValueError:
        return None


def response_of(key: str, among: Mapping[UUID, Response] | None = None) -> Response:
    """The response with this key; `among` has those already loaded. Raises BadRow if there is none."""
    uuid = uuid_of(key)
    if uuid is None:
        raise BadRow(f"“{key[:60]}” is not the key of a response.")
    response = Response.objects.filter(key=uuid).first() if among is None else among.get(uuid)
    if response is None:
        raise BadRow(f"There is no response {key}.")
    if not response.is_answer:
        raise BadRow(f"Response {key} is not an answer ({response.get_mark_display().lower()}), so it is not judged.")
    return response


def _seconds(text: str) -> int | None:
    if not text:
        return None
    seconds = whole_number(text, most=MOST_SECONDS)
    if seconds is None:
        raise BadRow(f"“{text[:20]}” is not a number of seconds.")
    return seconds


def _time(text: str) -> datetime:
    """When it was judged, if the row says so; a time in the future would count only then."""
    now = timezone.now()
    if not text:
        return now
    try:
        at = moment(text)
    except Unreadable as error:
        raise BadRow(f"{error}.") from error
    if at > now:
        raise BadRow(f"{text} is in the future.")
    return at
