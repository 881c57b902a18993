"""Sums that the database keeps: whichever statement changes the rows, they are what would be counted."""

import pytest
from django.db.models import Count, Sum
from django.utils import timezone

from review.models import Judgment, Round, RoundReviewer
from tests.factories.review import make_imported_run, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def round(admin, reviewer, other_reviewer) -> Round:
    return make_round(admin, [reviewer, other_reviewer], make_imported_run(3))


def kept_and_counted(round: Round) -> tuple[dict, dict]:
    kept = {
        each.person_id: (each.judged, each.seconds, each.slots_open)
        for each in RoundReviewer.objects.filter(round=round)
    }
    counted = {}
    for person in kept:
        own = Judgment.objects.filter(round=round, reviewer=person)
        given = own.given().aggregate(judged=Count("pk"), seconds=Sum("seconds", default=0))
        counted[person] = (given["judged"], given["seconds"], own.open().count())
    return kept, counted


def holds(round: Round) -> bool:
    kept, counted = kept_and_counted(round)
    return kept == counted


GIVEN = {"verdict": "correct", "seconds": 7}


def test_many_rows_at_once_count_as_each(round, reviewer, other_reviewer):
    now = timezone.now()
    assert holds(round)
    assert {left for _, _, left in kept_and_counted(round)[0].values()} != {0}
    Judgment.objects.update(judged_at=now, undo_until=now, **GIVEN)
    assert holds(round)
    Judgment.objects.filter(reviewer=reviewer).update(seconds=11)
    assert holds(round)
    Judgment.objects.filter(reviewer=other_reviewer).update(judged_at=None, undo_until=None, verdict="", seconds=None)
    assert holds(round)
    Judgment.objects.filter(reviewer=other_reviewer).update(reviewer=None)
    assert holds(round)
    Judgment.objects.all().delete()
    assert kept_and_counted(round)[0] == {reviewer.pk: (0, 0, 0), other_reviewer.pk: (0, 0, 0)}


def test_who_comes_after_their_rows_begins_with_them(round, reviewer):
    now = timezone.now()
    Judgment.objects.filter(reviewer=reviewer).update(judged_at=now, undo_until=now, **GIVEN)
    RoundReviewer.objects.filter(person=reviewer).delete()
    RoundReviewer.objects.create(round=round, person=reviewer)
    assert holds(round)
    assert RoundReviewer.objects.get(person=reviewer).judged > 0


def test_a_row_that_is_written_back_in_part_leaves_the_sums_alone(round, reviewer):
    stale = RoundReviewer.objects.get(person=reviewer)
    now = timezone.now()
    Judgment.objects.filter(reviewer=reviewer).update(judged_at=now, undo_until=now, **GIVEN)
    RoundReviewer.objects.filter(pk=stale.pk).update(paused_at=now)
    assert holds(round)
