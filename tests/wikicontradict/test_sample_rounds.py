"""A first start is whole: rounds with disagreements, a judge, an open round, filled tables; all of it says that it is
invented.
"""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmarks.wikicontradict.sample_rounds import CLOSED, INVENTED, OPEN
from core.accounts.sample_people import run_preparations
from core.models import User
from judging.models import Run
from review.models import Adjudication, Judgment, Round
from review.rounds.final_verdicts.pairing import complete_pairs
from tests.conflictbank.items.test_item_files import printed

pytestmark = pytest.mark.django_db
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6", "agreement", "comparison", "cost")


@pytest.fixture(scope="module")
def started(django_db_setup, django_db_blocker):
    """A first start, as `prepare --start` makes it before the site runs."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        from annotation.samples.articles import harvest_samples
        from annotation.samples.work import release_samples
        from core.accounts.sample_people import make_demo_people

        make_demo_people()
        harvest_samples()
        release_samples()
        lines = run_preparations()
        yield lines
        transaction.set_rollback(True)


def test_the_closed_round_has_disagreements_some_decided_and_two_waiting(started):
    assert any("closed round with invented verdicts" in line for line in started)
    round = Round.objects.get(name=CLOSED)
    assert round.state == "closed"
    assert not Judgment.objects.filter(round=round, judged_at=None).exists()
    disagreements = Adjudication.objects.filter(round=round)
    assert disagreements.open().count() == 2
    decided = disagreements.adjudicated()
    assert decided.count() >= 5
    assert all("invented" in each.reason for each in decided)
    assert len({each.adjudicator.username for each in decided}) == 1
    assert Judgment.objects.filter(round=round).exclude(comment="").exists()


def test_both_reviewers_get_the_ten_open_responses_in_one_order(started):
    round = Round.objects.get(name=OPEN)
    slots = Judgment.objects.filter(round=round).order_by("position")
    names = ("reviewer", "reviewer2")
    order = {name: list(slots.filter(reviewer__username=name).values_list("item", flat=True)) for name in names}
    assert order["reviewer"] == order["reviewer2"]
    assert len(order["reviewer"]) == 10
    assert not Judgment.objects.filter(round=round, judged_at__isnull=False).exists()


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_filled_and_says_what_is_invented(name, started, client):
    client.force_login(User.objects.get(username="admin"))
    page = client.get(reverse("report", args=[name])).text
    assert "<table" in page
    assert 'class="empty"' not in page
    if name not in ("table1", "cost"):
        assert INVENTED.text in page
        notes = json.loads(printed("report", name, "--format", "json"))["notes"]
        assert INVENTED.text in [each["text"] for each in notes]


def test_the_roles_find_their_work(started, client):
    waiting = {"reviewer": "Judge responses", "reviewer2": "Judge responses", "adjudicator": "Adjudicate"}
    for name, item in waiting.items():
        client.force_login(User.objects.get(username=name))
        assert item in client.get(reverse("home")).text
    client.force_login(User.objects.get(username="adjudicator"))
    assert client.get(reverse("adjudicate")).status_code == 200


def test_a_second_start_adds_nothing(started):
    before = Round.objects.count(), Run.objects.count()
    assert run_preparations() == []
    assert (Round.objects.count(), Run.objects.count()) == before


def test_reports_of_verdicts_by_people_say_nothing_of_it(db, started, client):
    Round.objects.filter(name=CLOSED).update(name="Ours")
    client.force_login(User.objects.get(username="admin"))
    assert INVENTED.text not in client.get(reverse("report", args=["table2"])).text


def test_a_project_with_a_round_of_its_own_gets_none(db, started):
    Round.objects.filter(name=OPEN).delete()
    call_command("prepare", dry_run=True)
    assert run_preparations() == []
    assert not Round.objects.filter(name=OPEN).exists()


def test_who_judges_five_as_each_reviewer_meets_disagreements(db, started, client):
    round = Round.objects.get(name=OPEN)
    before = Adjudication.objects.open().count()
    for name, verdict in (("reviewer", "correct"), ("reviewer2", "incorrect")):
        client.force_login(User.objects.get(username=name))
        for _ in range(5):
            page = client.get(reverse("judge_round", args=[round.key]))
            slot = page.context["current"][0]
            answer = client.post(reverse("judgment", args=[slot.key]), {"verdict": verdict}, follow=True)
            assert answer.status_code == 200, answer.text
        assert client.post(reverse("judge_submit", args=[round.key]), follow=True).status_code == 200
    assert Judgment.objects.filter(round=round, judged_at__isnull=False).count() == 10
    complete_pairs(round=round)
    assert Adjudication.objects.open().count() == before + 5
