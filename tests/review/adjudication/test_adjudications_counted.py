"""The overview counts adjudications, except for those of rounds hidden from the reader."""

import pytest
from django.utils import timezone

from core.navigation.pipeline import pipeline_for
from review.models import Adjudication, AdjudicationCause, Item, Round
from tests.factories.review import make_imported_run, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def round(admin, reviewer, other_reviewer) -> Round:
    return make_round(admin, [reviewer, other_reviewer], make_imported_run(3))


def holds(round: Round, reader) -> bool:
    rows = Adjudication.objects.filter(round=round)
    shown = next((now.done, now.waiting) for now in pipeline_for(reader) if now.stage.label == "Adjudicated")
    return shown == (rows.adjudicated().count(), rows.open().count())


def test_adjudications_that_are_opened_decided_reopened_and_deleted_count_as_each(round, admin, reviewer):
    items = Item.objects.filter(round=round)
    Adjudication.objects.bulk_create(
        Adjudication(item=item, round=round, cause=AdjudicationCause.DISAGREE) for item in items
    )
    assert holds(round, admin)
    decided = {
        "adjudicator": reviewer,
        "adjudicated_at": timezone.now(),
        "reason": "Both years.",
        "verdict": "correct",
    }
    Adjudication.objects.update(**decided)
    assert holds(round, admin)
    Adjudication.objects.update(reason="One year.")
    assert holds(round, admin)
    some = Adjudication.objects.filter(pk__in=list(Adjudication.objects.values_list("pk", flat=True)[:2]))
    some.update(adjudicator=None, adjudicated_at=None, reason="", verdict="", times_reopened=1)
    assert holds(round, admin)
    some.delete()
    assert holds(round, admin)
    Adjudication.objects.all().delete()
    assert holds(round, admin)
