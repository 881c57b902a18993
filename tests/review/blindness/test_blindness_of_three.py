"""A round in which three or five people judge each response is as blind as one of two: whatever the others did, and
whoever of them left, a person with every role sees the same before their own judgment is in."""

from datetime import timedelta

import pytest
from django.utils import timezone

from review.models import Adjudication, Judgment, Pair, Round
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.reviewers.handing_over import withdraw_open
from tests.conftest import make_person
from tests.factories.review import give, make_imported_run, make_known, make_round, reviewer_in
from tests.review.blindness.test_blindness import WAYS, World, told_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture(params=[3, 5])
def round(admin, rita, ralph, request) -> Round:
    run = make_imported_run(2)
    make_known(run, use="check")
    others = [make_person(f"reviewer{number}", "reviewer") for number in range(2, request.param + 1)]
    people = [rita, ralph, *others]
    return make_round(admin, people, run, check_items=1, judgments_each=request.param, consensus="majority")


@pytest.fixture
def mine(round, rita) -> Judgment:
    return Judgment.objects.ordinary().filter(reviewer=rita).order_by("position").first()


def one_judges(mine: Judgment, others: list[Judgment], admin) -> None:
    give(others[0], "incorrect", comment="no")
    complete_pairs()


def both_judge(mine: Judgment, others: list[Judgment], admin) -> None:
    """More than half agree already, and still nothing is final before all judgments are in."""
    for each in others:
        give(each, "incorrect", comment="no")
    complete_pairs()
    assert not Pair.objects.exists()


def both_differ(mine: Judgment, others: list[Judgment], admin) -> None:
    give(others[0], "correct")
    give(others[1], "", cannot_judge="it breaks off", at=timezone.now() - timedelta(hours=2))
    complete_pairs()
    assert not Adjudication.objects.exists()


def one_judges_and_one_leaves(mine: Judgment, others: list[Judgment], admin) -> None:
    give(others[0], "incorrect")
    withdraw_open(reviewer=reviewer_in(mine.round, others[1].reviewer), admin=admin)
    complete_pairs()


def three_agree(mine: Judgment, others: list[Judgment], admin) -> None:
    """More than half of five: whatever the two others say, nothing will change."""
    for each in others[:3]:
        give(each, "correct")
    complete_pairs()
    assert not Pair.objects.exists()


def two_leave_and_two_judge(mine: Judgment, others: list[Judgment], admin) -> None:
    for each in others[:2]:
        withdraw_open(reviewer=reviewer_in(mine.round, each.reviewer), admin=admin)
    for each in others[2:]:
        give(each, "incorrect")
    complete_pairs()


ACTS = {
    3: (one_judges, both_judge, both_differ, one_judges_and_one_leaves),
    5: (three_agree, two_leave_and_two_judge),
}


def test_no_way_in_tells_what_the_others_did(round, mine, admin, sign_in):
    of_others = Judgment.objects.filter(item=mine.item).exclude(pk=mine.pk).order_by("number")
    acts = {
        act.__name__: lambda act=act: act(mine, list(of_others.select_related("reviewer")), admin)
        for act in ACTS[round.judgments_each]
    }
    assert told_of(WAYS, acts, mine, of_others[0], sign_in) == {}


def test_an_admin_who_judges_withdraws_nothing(round, mine, rita, ralph, sign_in):
    client = sign_in(rita)
    refused = [
        World(client, round, mine, mine).post("reviewer_withdraw", round.pk, person.pk) for person in (rita, ralph)
    ]
    assert [answer.status_code for answer in refused] == [403, 403]
    assert round.judgments.filter(number__isnull=False).count() == 4 * round.judgments_each
