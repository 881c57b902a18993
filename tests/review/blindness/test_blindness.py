"""No way in tells a reviewer of the other judgment before the pair is complete, nor the model before the round ends.

The list of ways in is `WAYS`; docs/reviewing.md says what each could have told. Every one is tried in worlds that
differ only in what the other person did: the replies are the same byte for byte, after as many queries.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from core.models import Event
from review.files.judgment_exports import final_verdict_rows, judgment_rows
from review.models import Adjudication, Judgment, Pair, Round
from review.rounds.adjudication import adjudicate
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment, take_back
from review.rounds.rounds import close_round
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.doors.walking import FRAME, Door, told_by, walk
from tests.factories.review import give, make_imported_run, make_known, make_round, reviewer_in, slot_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
HTMX = {"HX-Request": "true"}
LONG_AGO = timedelta(days=1)


@pytest.fixture
def round(admin, rita, ralph) -> Round:
    run = make_imported_run(2, codes=("4",))
    make_known(run, use="check")
    return make_round(admin, [rita, ralph], run, check_items=1)


@pytest.fixture
def first(round, rita) -> Judgment:
    """Rita's first slot of an ordinary item; the worlds differ in the other slot of the same item."""
    return Judgment.objects.ordinary().filter(reviewer=rita).order_by("position").first()


# The other person's acts. Each gets that person's slot; "nothing" is the world to which all others are compared.
def judged(verdict: str, **values) -> Callable[[Judgment], None]:
    return lambda slot: give(slot, verdict, at=timezone.now() - LONG_AGO, **values) and None


def judged_just_now(slot: Judgment) -> None:
    give(slot, "incorrect", at=timezone.now(), comment="no")


def opened(slot: Judgment) -> None:
    Judgment.objects.filter(pk=slot.pk).update(lease_expires_at=timezone.now() + timedelta(minutes=30))


def judged_and_paired(slot: Judgment) -> None:
    judged("incorrect")(slot)
    complete_pairs()


OTHERS: dict[str, Callable[[Judgment], object]] = {
    "opened it": opened,
    "correct": judged("correct", comment="yes", seconds=600),
    "incorrect": judged("incorrect", comment="no"),
    "cannot judge": judged("", cannot_judge="it breaks off"),
    "judged just now": judged_just_now,
    "judged and the clock has passed": judged_and_paired,
}


@dataclass(frozen=True)
class World:
    """The rows that a way in is tried on."""

    client: object
    round: Round
    mine: Judgment
    theirs: Judgment

    def get(self, name: str, *args, **query):
        return self.client.get(reverse(name, args=args), query)

    def post(self, name: str, *args, **values):
        return self.client.post(reverse(name, args=args), values, headers=HTMX)


def judge_twice(world: World):
    world.post("judgment", world.mine.key, verdict="correct")
    return world.post("judgment", world.mine.key, verdict="incorrect")


def judge_and_take_back(world: World):
    world.post("judgment", world.mine.key, verdict="correct")
    return world.post("judgment_take_back", world.mine.key)


def judge_and_list(world: World):
    world.post("judgment", world.mine.key, verdict="correct")
    return world.get("my_judgments", world.round.key)


def judge_and_submit(world: World):
    world.post("judgment", world.mine.key, verdict="correct")
    return world.post("judge_submit", world.round.key)


def judge_all_and_see_the_end(world: World):
    for slot in Judgment.objects.filter(reviewer=world.mine.reviewer).open():
        world.post("judgment", slot.key, verdict="correct")
    return world.get("judge_round", world.round.key)


def person_page(world: World, person: int):
    return world.get("round_reviewer", world.round.pk, person)


WAYS: dict[str, Callable[[World], object]] = {
    # Pages
    "first page": lambda world: world.client.get("/"),
    "list of rounds": lambda world: world.get("judge", all=1),
    "judging page": lambda world: world.get("judge_round", world.round.key),
    "the end of the queue": judge_all_and_see_the_end,
    "own judgments": lambda world: world.get("my_judgments", world.round.key),
    "own judgments after judging": judge_and_list,
    # Fragments
    "fragment after a verdict": lambda world: world.post("judgment", world.mine.key, verdict="correct"),
    "fragment after cannot judge": lambda world: world.post("judgment", world.mine.key, cannot_judge="why"),
    "fragment after taking back": judge_and_take_back,
    "submitting": judge_and_submit,
    # Error messages
    "refusal of a second verdict": judge_twice,
    "refusal of a verdict not offered": lambda world: world.post("judgment", world.mine.key, verdict="perfect"),
    "refusal of an empty form": lambda world: world.post("judgment", world.mine.key),
    "taking back what was not given": lambda world: world.post("judgment_take_back", world.mine.key),
    # Addresses of the other slot, guessed
    "judging in the other slot": lambda world: world.post("judgment", world.theirs.key, verdict="correct"),
    "taking back the other one": lambda world: world.post("judgment_take_back", world.theirs.key),
    # Other roles of the same person
    "adjudicating: what waits": lambda world: world.get("adjudicate"),
    "adjudicating: what is decided": lambda world: world.get("adjudicate", show="decided"),
    "adjudicating: the next one": lambda world: world.client.get(reverse("adjudicate") + "?next"),
    "rounds": lambda world: world.get("rounds"),
    "page of the round": lambda world: world.get("round", world.round.pk),
    "own page as a reviewer": lambda world: person_page(world, world.mine.reviewer_id),
    "page of the other reviewer": lambda world: person_page(world, world.theirs.reviewer_id),
    "resetting the other one": lambda world: world.post(
        "reviewer_reset", world.round.pk, world.theirs.reviewer_id, world.theirs.pk, reason="why"
    ),
    "preview of a new round": lambda world: world.get(
        "round_preview", runs=[world.mine.item.response.run_id], reviewers=[world.mine.reviewer_id]
    ),
    "export of judgments": lambda world: world.get("judgment_export", "judgments", "jsonl"),
    "export of judgments with names": lambda world: world.get("judgment_export", "judgments", "csv", names=1),
    "export of final verdicts": lambda world: world.get("judgment_export", "final-verdicts", "jsonl"),
    "files": lambda world: world.get("judgment_files"),
    "known verdicts": lambda world: world.get("known"),
    "instances set aside": lambda world: world.get("set_aside"),
    "log": lambda world: world.client.get(reverse("activity")),
    # Pages of the models and reports
    "list of responses": lambda world: world.get("responses"),
    "page of the response": lambda world: world.get("response", world.mine.item.response.key),
    "export of responses": lambda world: world.get("responses_export", "csv"),
    "Table 2": lambda world: world.get("report", "table2"),
    "agreement": lambda world: world.get("report", "agreement"),
    "Table 2 as a file": lambda world: world.get("report_download", "table2", "json"),
    "responses behind a number": lambda world: world.get("report_responses"),
    "human evaluation": lambda world: world.get("human_evaluation_download"),
}


def doors_of(ways: dict, round: Round, mine: Judgment, theirs: Judgment) -> dict[str, Door]:
    """These ways in, and the page on which the frame is looked at."""
    doors = {name: lambda client, way=way: way(World(client, round, mine, theirs)) for name, way in ways.items()}
    return {FRAME: lambda client: client.get("/account/")} | doors


def told_of(ways: dict, acts: dict[str, Callable[[], object]], mine: Judgment, theirs: Judgment, sign_in) -> dict:
    """By act, the ways that tell of it to who has `mine`."""
    client = sign_in(mine.reviewer)
    client.get("/account/")  # makes the session's own rows
    return told_by(doors_of(ways, mine.round, mine, theirs), acts, client.cookies)


def test_worlds_that_differ_in_the_other_judgment_look_the_same(first, sign_in):
    theirs = Judgment.objects.exclude(pk=first.pk).get(item=first.item)
    acts = {
        name: lambda what=what: what(Judgment.objects.select_related("reviewer").get(pk=theirs.pk))
        for name, what in OTHERS.items()
    }
    assert told_of(WAYS, acts, first, theirs, sign_in) == {}


@pytest.mark.parametrize("other", OTHERS)
def test_being_able_to_take_back_does_not_depend_on_the_other_judgment(other, round, first, rita, clock):
    theirs = Judgment.objects.exclude(pk=first.pk).get(item=first.item)
    OTHERS[other](theirs)
    given = give(first, at=timezone.now())
    complete_pairs()
    clock(timedelta(minutes=round.undo_minutes) - timedelta(seconds=1))
    complete_pairs()
    assert not Pair.objects.exists()
    take_back(judgment=given, reviewer=rita)
    give(first, at=timezone.now())
    clock(timedelta(minutes=round.undo_minutes))
    with pytest.raises(Exception, match="no longer be taken back"):
        take_back(judgment=given, reviewer=rita)


def test_no_way_in_names_the_model_before_the_round_is_finished(round, first, rita, ralph, sign_in):
    for slot in Judgment.objects.filter(reviewer=ralph):
        give(slot, "incorrect")
    for slot in Judgment.objects.filter(reviewer=rita).exclude(pk=first.pk):
        give(slot, "correct")
    complete_pairs()
    theirs = Judgment.objects.exclude(pk=first.pk).get(item=first.item)
    cookies = sign_in(rita).cookies
    for name, door in doors_of(WAYS, round, first, theirs).items():
        (_, headers, body, _), _ = walk(door, cookies)
        text = body + repr(headers).encode()
        assert b"Mist" not in text, name
        assert b"Llam" not in text, name


def test_the_order_depends_on_nobody_else(admin, rita, ralph):
    round = make_round(admin, [rita, ralph, make_person("rosa", "reviewer")], make_imported_run(6))
    reviewer = reviewer_in(round, rita)
    order = list(Judgment.objects.filter(reviewer=rita).order_by("position").values_list("pk", flat=True))
    for slot in Judgment.objects.exclude(reviewer=rita):
        give(slot)
    complete_pairs()
    seen_in_order = []
    while slots := next_slots(reviewer, count=1):
        seen_in_order.append(slots[0].pk)
        give(slots[0], at=timezone.now())
    assert seen_in_order == order


def test_addresses_tell_neither_order_nor_partner(round):
    keys = Judgment.objects.values_list("key", flat=True)
    assert all(key.version == 4 for key in keys)
    assert len(set(keys)) == Judgment.objects.count()


def test_model_and_final_verdict_are_shown_once_the_round_is_finished(
    round, first, rita, ralph, admin, adjudicator, sign_in
):
    for slot in Judgment.objects.ordinary():
        give(slot, "correct" if slot.item_id != first.item_id or slot.reviewer == rita else "incorrect")
    client = sign_in(rita)
    address = reverse("my_judgments", args=[round.key])
    complete_pairs()
    assert "Mist" not in client.get(address).content.decode()
    close_round(round=round, admin=admin)
    assert "Mist" not in client.get(address).content.decode()  # one disagreement is open
    adjudicate(adjudication=Adjudication.objects.get(), person=adjudicator, verdict="incorrect", reason="no year")
    page = client.get(address).content.decode()
    assert "Mist" in page
    assert "verdict-incorrect" in page


def test_an_export_for_an_admin_who_judges_leaves_out_the_round_until_it_is_finished(round, rita, ralph, admin):
    for slot in Judgment.objects.ordinary():
        give(slot)
    complete_pairs()
    assert list(judgment_rows(person=rita)) == []
    assert list(final_verdict_rows(person=rita)) == []
    assert len(list(judgment_rows(person=admin))) == 8
    close_round(round=round, admin=admin)
    assert len(list(judgment_rows(person=rita))) == 8
    assert len(list(final_verdict_rows(person=rita))) == 4


def test_what_can_still_be_taken_back_is_in_no_export_and_no_count(round, first, admin, sign_in):
    give(first, at=timezone.now())
    complete_pairs()
    assert list(judgment_rows(person=admin)) == []
    page = sign_in(admin).get(reverse("round", args=[round.pk])).content.decode()
    assert "<strong>0</strong><span>judgments of 8</span>" in page


def test_the_log_holds_no_verdict_of_a_judgment(round, first, rita):
    record_judgment(slot=first, reviewer=rita, verdict="partially_correct", comment="prefers one")
    take_back(judgment=first, reviewer=rita)
    said = " ".join(f"{event.label} {event.before} {event.after} {event.message}" for event in Event.objects.all())
    assert "partially" not in said
    assert "prefers" not in said
    assert "judgment" not in Event.objects.values_list("subject_kind", flat=True)
    assert slot_of(first.item, rita).verdict == ""
