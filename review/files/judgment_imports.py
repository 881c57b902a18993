"""Judgments made elsewhere, from a CSV file: response, reviewer, verdict, comment. All of it or nothing."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO
from uuid import UUID

from django.db.models import F, Q, QuerySet, Subquery
from django.utils import timezone

from core.engine.writing.inserts import Insert, give_keys, keys_for
from core.engine.writing.spool import Spool
from core.engine.writing.updates import update_each
from core.files.csv_reader import Row
from core.files.imports import RowImport
from core.files.problems import ShapeError
from core.files.skipping import Skipped
from core.languages import changed, joined, say
from core.models import Consensus, Event, User
from core.models.names import name_key
from core.outside import Unreadable, moment, whole_number
from core.refusals import Refusal
from core.words import NUMBER_WORDS
from core.writing.batches import written_together
from judging.models import Response, Run
from judging.protocol.verdicts import Verdict
from judging.runs.blinding import refuse_names

from ..models import (
    FEWEST_EACH,
    MOST_EACH,
    FinalVerdict,
    Item,
    ItemKind,
    Judgment,
    Pseudonym,
    ReviewAction,
    Round,
    RoundReviewer,
    RoundState,
    Saw,
    SeenJudgments,
)
from ..models.people import with_role_of_judge
from ..rounds.final_verdicts.pairing import complete_pairs
from ..rounds.judgments import COMMENT_LENGTH, given_values
from ..rounds.turns.seen import has_seen, record_seen

ROWS_AT_A_TIME = 500
# The number of judgments in existing rounds that are written in well under half a second.
AT_ONCE = 3_000
FILLED = (
    "reviewer_id",
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
READ_AS = {
    **{verdict.value: verdict for verdict in Verdict},
    "c": Verdict.CORRECT,
    "p": Verdict.PARTIALLY_CORRECT,
    "i": Verdict.INCORRECT,
}


class BadRow(ShapeError):
    """Raised with the reason why a row cannot be imported."""

    def __init__(self, reason: str):
        super().__init__("", reason)


def import_judgments(
    stream: BinaryIO,
    *,
    admin: User | None = None,
    round: str = "",
    judgments_each: int = 2,
    consensus: Consensus = Consensus.ALL,
    check_only: bool = False,
    skipped: Skipped | None = None,
) -> "JudgmentImport":
    """Read a file of judgments. Existing judgments with the same verdict are counted and left alone.

    Responses that are in no round go into a round of imported judgments. For a new one, `judgments_each` is the
    number of judgments of each response, two to five, and `consensus` the rule for the final verdict. If a row is
    bad, or with `check_only`, nothing is written; with `skipped`, bad rows go there and the others are imported.
    Raises `Refusal` if the file is not such a file.

    Nothing is imported for an `admin` who judges in an unfinished round: the messages about rows would reveal
    existing judgments, and which responses are judged. Any other `admin` counts as having seen judgments of the
    responses in the file, even after a mere check.
    """
    refuse_names(admin)
    name = round.strip() or f"Imported {timezone.now():%Y-%m-%d %H:%M}"
    if not FEWEST_EACH <= judgments_each <= MOST_EACH:
        raise Refusal(say("A response is judged by two to five people. Nothing was written."), status=400)
    into = _imported_round(name, judgments_each, consensus)
    found = JudgmentImport(into=into, actor=admin, check_only=check_only, skipped=skipped)
    try:
        found.bring_in(stream)
    finally:
        if admin is not None:
            record_seen(person=admin, what=Saw.FILE, responses=found.of_others)
    return found


@dataclass(slots=True)
class _Slot:
    """A slot, found or to be created, under the names of its columns, and its person when it was found."""

    round: Round
    number: int | None = None
    pk: int | None = None
    reviewer_id: int | None = None
    lease_expires_at: datetime | None = None
    verdict: str = ""
    cannot_judge: str = ""
    comment: str = ""
    seconds: int | None = None
    judged_at: datetime | None = None
    undo_until: datetime | None = None
    found_with: tuple[int | None, datetime | None] = (None, None)

    def fill(self, reviewer: User, values: dict[str, object]) -> None:
        self.found_with = self.reviewer_id, self.lease_expires_at
        self.reviewer_id, self.lease_expires_at = reviewer.pk, None
        for name, value in values.items():
            setattr(self, name, value)


OF_A_SLOT = ("pk", "number", "reviewer_id", "lease_expires_at", "verdict", "cannot_judge", "judged_at")


class JudgmentImport(RowImport):
    """An import of judgments. The rows to write are kept in memory: the judgments of a response may be far apart in
    the file.
    """

    what = rows_hold = say("judgments")
    needed = NEEDED

    def __init__(self, *, into: Round, **values: Any):
        super().__init__(**values)
        # Responses of which the file holds a judgment by another person than the admin.
        self.of_others: set[int] = set()
        # For responses that are in no round; not saved if it is new.
        self.into = into
        self.has_rows = False
        self.reviewers = set(with_role_of_judge().values_list("pk", flat=True))
        self.people = _people(self.reviewers)
        self.seen: dict[tuple[int, int], int] = {}
        self.filled: list[_Slot] = []
        self.rounds: dict[int, Round] = {}
        self.decided: set[int] = set()
        # (person, response): a file with judgments of several people, brought by one of them, is the transcript of
        # what they judged elsewhere, and no way of seeing.
        self.seen_by: set[tuple[int, int]] = set()
        # The responses of the rows in hand. By response: its slots, their round, and for new items the instance.
        self.responses: dict[UUID, Response] = {}
        self.slots: dict[int, list[_Slot]] = {}
        self.round_of: dict[int, Round] = {}
        self.new_items: dict[int, int] = {}

    def look_up(self, records: Sequence[Row]) -> None:
        self.has_rows = True
        found = responses_in(records).only("key", "instance", "mark")
        self.responses = {response.key: response for response in found}
        numbers = [response.pk for response in self.responses.values() if response.pk not in self.slots]
        self.decided |= set(FinalVerdict.objects.filter(response__in=numbers).values_list("response", flat=True))
        saw = SeenJudgments.objects.filter(response__in=numbers).exclude(what=Saw.FILE).order_by()
        self.seen_by |= {(person, response) for person, response in saw.values_list("person", "response") if response}
        ordinary = Item.objects.filter(response__in=numbers, kind=ItemKind.ORDINARY)
        items = {pk: (response, round) for pk, response, round in ordinary.values_list("pk", "response", "round")}
        self.rounds |= Round.objects.in_bulk({round for _, round in items.values()} - set(self.rounds))
        for response, round in items.values():
            self.slots[response], self.round_of[response] = [], self.rounds[round]
        rows = Judgment.objects.filter(item__in=items).order_by("number", "pk")
        for item, *values in rows.values_list("item", *OF_A_SLOT):
            response, round = items[item]
            slot = _Slot(self.rounds[round])
            for name, value in zip(OF_A_SLOT, values, strict=True):
                setattr(slot, name, value)
            self.slots[response].append(slot)

    def plan(self, where: int, record: Row) -> Iterator[None]:
        try:
            self.take(record)
        except Refusal as refusal:
            raise BadRow(refusal.message) from refusal
        yield from ()

    def check_whole(self) -> None:
        if not self.has_rows:
            raise Refusal(say("The file holds no rows below its header. Nothing was written."), status=400)

    def take(self, row: Row) -> None:
        name = row["reviewer"]
        reviewer, response, values = self.read(row)
        if first := self.seen.get((response.pk, reviewer.pk)):
            raise BadRow(say("{name} already judges this response on line {first}.", name=name, first=first))
        slots = self.slots_of(response)
        if reviewer != self.actor:
            self.of_others.add(response.pk)
        own = next((slot for slot in slots if slot.reviewer_id == reviewer.pk), None)
        if own and own.judged_at:
            if (own.verdict, own.cannot_judge) != (values["verdict"], values["cannot_judge"]):
                raise BadRow(say("{name} has already judged this response differently.", name=name))
            self.seen[response.pk, reviewer.pk] = row.line
            self.there += 1
            return
        self.check_new(reviewer, name, response)
        slot = own or self.free_slot(slots, reviewer, response)
        slot.fill(reviewer, values)
        self.filled.append(slot)
        self.seen[response.pk, reviewer.pk] = row.line
        if slot.pk is None:
            self.new_items[response.pk] = response.instance_id
        self.new += 1

    def read(self, row: Row) -> tuple[User, Response, dict[str, object]]:
        """The response, the person, and the columns of the judgment."""
        verdict, cannot_judge = row["verdict"], row["cannot_judge"]
        if verdict:
            verdict, cannot_judge = verdict_in(verdict).value, ""
        elif not cannot_judge:
            raise BadRow(say("There is no verdict."))
        response = response_of(row["response"], self.responses)
        person = self.people.get(name_key(row["reviewer"])) or self.behind(row["reviewer"], response)
        if person is None:
            raise BadRow(no_reviewer(row["reviewer"][:60]))
        if len(row["comment"]) > COMMENT_LENGTH or len(cannot_judge) > COMMENT_LENGTH:
            raise BadRow(say("The comment has more than {most:,} characters.", most=COMMENT_LENGTH))
        values = given_values(
            verdict=verdict,
            cannot_judge=cannot_judge,
            comment=row.cells.get("comment", ""),
            seconds=_seconds(row["seconds"]),
            at=_time(row["judged_at"]),
        )
        return person, response, values

    def behind(self, pseudonym: str, response: Response) -> User | None:
        """The person with this name in exports about the response's release."""
        release = Run.objects.filter(responses=response).values("release")
        found = Pseudonym.objects.filter(name=pseudonym).select_related("person")
        found = found.annotate(run_release=Subquery(release))
        found = found.filter(Q(release=F("run_release")) | Q(release=None, run_release=None))
        return next((each.person for each in found), None)

    def check_new(self, reviewer: User, name: str, response: Response) -> None:
        """Raises BadRow if a new judgment may not be added."""
        if reviewer.pk not in self.reviewers:
            raise BadRow(no_reviewer(name[:60]))
        round = self.round_of[response.pk]
        if round.state != RoundState.OPEN and not round.is_import:
            raise BadRow(say("This response belongs to {round}, which is not open.", round=round))

    def slots_of(self, response: Response) -> list[_Slot]:
        """The slots for judgments of a response, in an existing round or in one of imported judgments."""
        slots = self.slots.get(response.pk)
        if slots is None:
            if response.pk in self.decided:
                raise BadRow(say("This response already has an imported final verdict."))
            return self.new_slots(response)
        return slots

    def new_slots(self, response: Response) -> list[_Slot]:
        if not self.into.is_import:
            raise Refusal(say("“{into}” is a round in which people judge here. Choose another name.", into=self.into))
        self.round_of[response.pk] = self.into
        self.slots[response.pk] = [_Slot(self.into, number) for number in range(1, self.into.judgments_each + 1)]
        return self.slots[response.pk]

    def free_slot(self, slots: list[_Slot], reviewer: User, response: Response) -> _Slot:
        """An open slot that nobody has on their page, for a person who has not seen another person's judgment."""
        slot = _free_slot(slots)
        is_seen = (reviewer.pk, response.pk) in self.seen_by
        if is_seen or (slot.pk and has_seen(person=reviewer, judgment=slot.pk, besides=[Saw.FILE])):
            raise BadRow(say("{reviewer} has seen another person's judgment of this response.", reviewer=reviewer))
        return slot

    # --- Written ----------------------------------------------------------------------------------------------

    def write(self, planned: Spool, planned_after: int) -> None:
        """Write the rows. New responses go into a round, or items of one, that nobody sees before the last is
        written.

        Judgments in existing rounds are written in the step that shows the others, if they are few enough for one
        step. Otherwise they are written in pieces, whose judgments count as if given here; importing the file again
        continues after an interruption.
        """
        filled = [slot for slot in self.filled if slot.pk]
        at_last = filled if len(filled) <= AT_ONCE else []
        written = written_together(self.what, planned_after=planned_after, actor=self.actor, source=self.source)
        with written as writing:
            if self.new_items and self.into.pk is None:
                give_keys([self.into])
                writing.create([self.into])
            writing.create(self.made())
            if not at_last:
                writing.write(filled, _fill)

            rounds = {slot.round.pk: slot.round for slot in self.filled}
            counts = Counter(slot.round.pk for slot in self.filled)
            people = {(slot.round.pk, slot.reviewer_id or 0) for slot in self.filled}

            def last() -> None:
                _fill(at_last)
                self.record(rounds, counts, people)

            writing.finish(last)
        for round in rounds.values():
            complete_pairs(round=round)

    def made(self) -> Iterator[Insert]:
        """The new items of the round of imported judgments, and all slots of these."""
        round = self.into
        keys = keys_for({Item: len(self.new_items)})[Item]
        for key, (response, instance) in zip(keys, self.new_items.items(), strict=True):
            yield Insert.of(Item, id=key, round_id=round.pk, response_id=response, instance_id=instance)
            for slot in self.slots[response]:
                values = {name: getattr(slot, name) for name in ("number", *FILLED)}
                yield Insert.of(Judgment, round_id=round.pk, item_id=key, position=0, **values)

    def record(self, rounds: dict[int, Round], counts: Counter[int], people: set[tuple[int, int]]) -> None:
        RoundReviewer.objects.bulk_create(
            (RoundReviewer(round_id=round, person_id=person) for round, person in sorted(people)),
            ignore_conflicts=True,
        )
        for round in rounds.values():
            after = {"judgments": counts[round.pk]}
            Event.record(ReviewAction.IMPORTED_JUDGMENTS, round, actor=self.actor, after=after)


def _free_slot(slots: list[_Slot]) -> _Slot:
    """An open slot that nobody has on their page."""
    now = timezone.now()
    for slot in slots:
        if not slot.judged_at and (slot.lease_expires_at is None or slot.lease_expires_at <= now):
            return slot
    raise BadRow(
        say("This response has {count} judgments, or a reviewer is judging it now.", count=NUMBER_WORDS[len(slots)])
    )


def _fill(slots: list[_Slot]) -> None:
    """Fill existing slots, all of which are unchanged since they were found. Call it in a transaction."""
    found = {slot.pk: slot.found_with for slot in slots if slot.pk}
    numbers = list(found)
    for start in range(0, len(numbers), ROWS_AT_A_TIME):
        part = Judgment.objects.open().filter(pk__in=numbers[start : start + ROWS_AT_A_TIME]).select_for_update()
        for pk, *now in part.values_list("pk", "reviewer", "lease_expires_at"):
            if found[pk] == tuple(now):
                del found[pk]
    if found:
        raise Refusal(
            say(
                "{found:,} of these responses were judged or reassigned at this moment. Validate the file again.",
                found=len(found),
            )
        )
    update_each(Judgment, FILLED, slots)


def _people(reviewers: Collection[int]) -> dict[str, User]:
    """Everybody by user name and email address. A user name takes precedence over an address, and a reviewer's
    address over another person's.
    """
    # Also closed accounts: judgments that a person gave before leaving stay theirs, and a name lets nobody sign in.
    everybody = sorted(User.objects.all(), key=lambda person: (person.pk in reviewers, -person.pk))
    by_address = {name_key(person.email): person for person in everybody if person.email}
    return by_address | {name_key(person.username): person for person in everybody}


def _imported_round(name: str, judgments_each: int, consensus: Consensus) -> Round:
    """The round of this name, otherwise a new unsaved one."""
    return Round.objects.filter(name=name[:100]).first() or Round(
        name=name[:100],
        is_import=True,
        judgments_each=judgments_each,
        consensus=consensus,
        state=RoundState.CLOSED,
        closed_at=timezone.now(),
    )


def no_reviewer(name: str) -> str:
    return say("No reviewer has the user name or email address “{name}”.", name=name)


def verdict_in(cell: str) -> Verdict:
    """Raises BadRow if it is not a verdict."""
    verdict = READ_AS.get(cell.lower().replace(" ", "_").replace("-", "_"))
    if verdict is None:
        raise BadRow(say("“{cell}” is not a verdict: write correct, partially correct or incorrect.", cell=cell[:40]))
    return verdict


def responses_in(rows: Sequence[Row]) -> QuerySet[Response]:
    """The responses that the rows name."""
    return Response.objects.filter(key__in={key for key in (uuid_of(row["response"]) for row in rows) if key})


def uuid_of(key: str) -> UUID | None:
    try:
        return UUID(key)
    except ValueError:
        return None


def response_of(key: str, among: Mapping[UUID, Response]) -> Response:
    """The response with this key among these. Raises BadRow if there is none."""
    uuid = uuid_of(key)
    if uuid is None:
        raise BadRow(say("“{key}” is not the key of a response.", key=key[:60]))
    response = among.get(uuid)
    if response is None:
        raise BadRow(say("There is no response {key}.", key=key))
    if not response.is_answer:
        mark = changed(response.get_mark_display(), str.lower)
        raise BadRow(
            say("Response {key} is not an answer ({mark}), so it is not judged.", key=key, mark=mark),
        )
    return response


def _seconds(text: str) -> int | None:
    if not text:
        return None
    seconds = whole_number(text, most=MOST_SECONDS)
    if seconds is None:
        raise BadRow(say("“{text}” is not a number of seconds.", text=text[:20]))
    return seconds


def _time(text: str) -> datetime:
    """The time of the judgment, if the row has it; a time in the future would count only then."""
    now = timezone.now()
    if not text:
        return now
    try:
        at = moment(text)
    except Unreadable as error:
        raise BadRow(joined([str(error), "."], "")) from error
    if at > now:
        raise BadRow(say("{text} is in the future.", text=text))
    return at
