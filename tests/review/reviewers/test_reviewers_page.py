"""Admins' view of reviewers, and their actions: pause, hand over, add, reset."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from core.accounts.people import people_at_work
from core.models import CoreAction, Event
from review.models import Judgment, Pair, ReviewAction, RoundReviewer
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import submit_judgments, take_back
from review.rounds.reviewers.reviewers import Share, overview_of, reviewers_of, weeks_of
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_known, make_round, reviewer_in
from tests.review.rounds.test_order import neighbours

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer, make_person("rosa", "reviewer")]


@pytest.fixture
def round(admin, people):
    run = make_imported_run(6, models=("Mist",))
    make_known(run, use="check", verdict="incorrect")
    return make_round(admin, people, run, check_items=1)


@pytest.fixture
def client(admin, sign_in):
    return sign_in(admin)


def page(client, round, person) -> str:
    return client.get(reverse("round_reviewer", args=[round.pk, person.pk])).content.decode()


def without_token(page: str) -> str:
    return re.sub(r'"[A-Za-z0-9]{64}"', "", page)


def post(client, name, round, person, *more, **values):
    return client.post(reverse(name, args=[round.pk, person.pk, *more]), values)


def test_numbers_of_each_reviewer(round, people):
    rita = people[0]
    own = list(Judgment.objects.ordinary().filter(reviewer=rita).order_by("pk"))
    for slot, seconds in zip(own[:3], (10, 20, 90), strict=True):
        give(slot, seconds=seconds)
        other = Judgment.objects.exclude(pk=slot.pk).get(item=slot.item)
        give(other, "correct" if seconds == 10 else "incorrect")
    give(Judgment.objects.get(reviewer=rita, number=None), "incorrect")
    complete_pairs()
    found = overview_of(reviewer_in(round, rita))
    assert (found.judged, found.left, found.median_seconds) == (4, 1, 20)
    assert found.with_others == Share(1, 3)
    assert found.with_checks == Share(1, 1)
    assert found.with_others.title == "1 of 3"


def test_nothing_judged_is_no_share_and_no_median(round):
    found = reviewers_of(round)[0]
    assert (str(found.with_others), str(found.with_checks), found.median_minutes) == ("–", "–", "–")


def test_could_not_judge_is_no_disagreement(round, people):
    item = round.items.filter(kind="ordinary").first()
    give_all(item, "correct", "")
    assert {share.with_others for share in reviewers_of(round)} == {Share(0, 0)}
    assert sum(share.could_not for share in reviewers_of(round)) == 1


def test_drift_by_week(round, people):
    rita = people[0]
    own = list(Judgment.objects.ordinary().filter(reviewer=rita).order_by("pk"))
    monday = timezone.now() - timedelta(days=timezone.now().weekday() + 14)
    for slot, verdict, days in zip(own[:3], ("correct", "incorrect", "incorrect"), (0, 7, 8), strict=True):
        give(slot, verdict, at=monday + timedelta(days=days), seconds=60)
        give(Judgment.objects.exclude(pk=slot.pk).get(item=slot.item), "correct")
    complete_pairs()
    first, second = weeks_of(reviewer_in(round, rita))
    assert (first.judged, first.with_others) == (1, Share(1, 1))
    assert (second.judged, second.with_others) == (2, Share(0, 2))
    assert dict(second.verdicts)["incorrect"] == Share(2, 2)


def test_pause_and_resume_are_logged(round, people, client):
    post(client, "reviewer_pause", round, people[0])
    assert "paused" in page(client, round, people[0])
    assert next_slots(reviewer_in(round, people[0])) == []
    assert post(client, "reviewer_pause", round, people[0]).status_code == 409
    post(client, "reviewer_resume", round, people[0])
    assert next_slots(reviewer_in(round, people[0]))
    changes = Event.objects.filter(subject_kind="roundreviewer").exclude(action=CoreAction.READ_WORK)
    assert set(changes.values_list("action", flat=True)) == {"paused", "resumed"}


def test_open_responses_are_handed_over_evenly_and_to_nobody_twice(round, people, client):
    rita, ralph, rosa = people
    given = give(Judgment.objects.ordinary().filter(reviewer=rita).first())
    answer = post(client, "reviewer_hand_over", round, rita, to=[ralph.pk, rosa.pk])
    assert answer.status_code == 302
    left = Judgment.objects.ordinary().filter(reviewer=rita)
    assert list(left) == [given]
    loads = [Judgment.objects.ordinary().filter(reviewer=person).count() for person in (ralph, rosa)]
    assert sum(loads) == 11
    assert abs(loads[0] - loads[1]) <= 1
    for person in (ralph, rosa):
        slots = Judgment.objects.filter(reviewer=person).order_by("position").select_related("item")
        assert neighbours([slot.item.instance_id for slot in slots]) == 0
    assert "3 reassigned" in page(client, round, rita)


def test_what_the_receiver_judges_already_stays(admin, people, client):
    round = make_round(admin, people[:2], make_imported_run(3, models=("Mist",)))
    post(client, "reviewer_hand_over", round, people[0], to=[people[1].pk])
    assert Judgment.objects.filter(reviewer=people[0]).count() == 3
    assert "3 could not be reassigned" in page(client, round, people[0])


def test_at_most_so_many_are_handed_over(round, people, client):
    post(client, "reviewer_hand_over", round, people[0], to=[people[1].pk, people[2].pk], most=2)
    assert Judgment.objects.ordinary().filter(reviewer=people[0]).count() == 2


def test_a_handed_over_response_starts_from_nothing(round, people, client):
    next_slots(reviewer_in(round, people[0]), count=2)
    slot = Judgment.objects.ordinary().filter(reviewer=people[0], lease_expires_at__isnull=False).first()
    Judgment.objects.filter(pk=slot.pk).update(comment="what Rita thought", seconds=4)
    post(client, "reviewer_hand_over", round, people[0], to=[people[1].pk, people[2].pk])
    moved = Judgment.objects.get(pk=slot.pk)
    assert moved.reviewer != people[0]
    assert (moved.comment, moved.seconds, moved.lease_expires_at) == ("", None, None)


def test_who_joins_gets_the_check_items_and_what_is_handed_over(round, people, client):
    nora = make_person("nora", "reviewer")
    client.post(reverse("round_add_reviewer", args=[round.pk]), {"person": nora.pk})
    assert Judgment.objects.get(reviewer=nora).item.kind == "check"
    post(client, "reviewer_hand_over", round, people[0], to=[nora.pk])
    assert Judgment.objects.ordinary().filter(reviewer=nora).count() == 4
    again = client.post(reverse("round_add_reviewer", args=[round.pk]), {"person": nora.pk})
    assert again.status_code == 409
    assert client.post(reverse("round_add_reviewer", args=[round.pk]), {"person": "x"}).status_code == 400
    assert RoundReviewer.objects.count() == 4


def test_an_admin_resets_one_judgment_with_a_reason(round, people, client):
    item = round.items.filter(kind="ordinary").first()
    give_all(item, "correct", "correct")
    judgment = item.judgments.get(number=1)
    answer = post(client, "reviewer_reset", round, judgment.reviewer, judgment.pk)
    assert answer.status_code == 400
    post(client, "reviewer_reset", round, judgment.reviewer, judgment.pk, reason="a slip")
    assert not Judgment.objects.get(pk=judgment.pk).is_given
    assert not Pair.objects.exists()
    assert "a slip" in page(client, round, judgment.reviewer)


def test_what_can_still_be_taken_back_is_not_shown_to_admins(round, people, client):
    slot = Judgment.objects.ordinary().filter(reviewer=people[0]).first()
    give(slot, comment="not yet said", at=timezone.now())
    assert "not yet said" not in page(client, round, people[0])
    assert post(client, "reviewer_reset", round, people[0], slot.pk, reason="x").status_code == 404


def test_an_admin_who_judges_sees_no_numbers_and_resets_nothing(people, admin, sign_in):
    bea = make_person("bea", "reviewer", "admin")
    round = make_round(admin, [*people, bea], make_imported_run(6, models=("Mist",)))
    for slot in Judgment.objects.exclude(reviewer=bea):
        give(slot, comment="what others said")
    complete_pairs()
    client = sign_in(bea)
    shown = page(client, round, people[0])
    assert "You judge in this round yourself" in shown
    assert "what others said" not in shown
    judgment = Judgment.objects.filter(reviewer=people[0]).first()
    assert post(client, "reviewer_reset", round, people[0], judgment.pk, reason="x").status_code == 403
    whole = client.get(reverse("round", args=[round.pk])).content.decode()
    assert "its numbers are hidden from you" in whole
    assert "judged twice" not in whole


def test_an_admin_who_judges_hands_nothing_over_and_reads_no_activity_of_work(people, admin, sign_in):
    """The number to hand over, and the judgments taken back or submitted, change as the other person works."""
    bea = make_person("bea", "reviewer", "admin")
    round = make_round(admin, [people[0], bea], make_imported_run(2, models=("Mist",)))
    client, slots = sign_in(bea), list(Judgment.objects.filter(reviewer=people[0]))
    before = [page(client, round, people[0]), post(client, "reviewer_hand_over", round, people[0], to=[bea.pk])]
    give(slots[0], at=timezone.now())
    take_back(judgment=slots[0], reviewer=people[0])
    give(slots[0], at=timezone.now())
    submit_judgments(reviewer=reviewer_in(round, people[0]))
    took_back = Event.objects.get(action=ReviewAction.TOOK_BACK_JUDGMENT)
    after = [page(client, round, people[0]), post(client, "reviewer_hand_over", round, people[0], to=[bea.pk])]
    assert [after[1].status_code, before[1].status_code] == [403, 403]
    assert without_token(after[0]) == without_token(before[0])
    assert without_token(after[1].content.decode()) == without_token(before[1].content.decode())
    assert "submitted 1 judgment" not in after[0]
    assert "took back" not in after[0]
    # Nor does the activity log, however it is asked.
    joined = reviewer_in(round, people[0])
    for asked in ({}, {"actor": people[0].pk}, {"kind": "roundreviewer", "subject": joined.pk}):
        log = client.get(reverse("activity"), asked).content.decode()
        assert "submitted judgments" not in log
        assert "took back" not in log
    assert Judgment.objects.filter(reviewer=people[0]).count() == 2
    last = next(row.last_seen for row in people_at_work([people[0]], reader=admin))
    assert last is None or last < took_back.at
    shown = page(sign_in(admin), round, people[0])
    assert "submitted 1 judgment" in shown
    assert "took back" in shown
