"""Queries that are put together once a process return what the same querysets return."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.db.models import Count
from django.utils import timezone

from core.models import User
from core.queries.instances import PreparedInstances
from core.queries.rows import PreparedRows
from core.queries.updates import PreparedUpdate
from core.web.sessions import SessionStore
from review.models import Judgment, RoundReviewer
from tests.review.making import make_round, make_run

pytestmark = pytest.mark.django_db


def test_rows_come_with_the_rows_they_refer_to_and_with_what_is_counted(admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_run(3))

    def slots(round: int, key: object):
        related = Judgment.objects.select_related("round", "reviewer", "item__known", "item__response__template")
        return related.filter(round=round).exclude(key=key).annotate(others=Count("item__judgments")).order_by("-pk")

    prepared = PreparedInstances(slots, round=int, key=type(round.key))
    left_out = Judgment.objects.all()[0].key
    for key in (left_out, uuid4()):  # the second time by the same SQL
        wanted = list(slots(round.pk, key))
        found = prepared.all(round=round.pk, key=key)
        assert found == wanted
        assert [vars(each.item.response) for each in found] != []
        for one, other in zip(found, wanted, strict=True):
            assert (one.others, one.round, one.reviewer, one.item.known) == (
                other.others,
                other.round,
                other.reviewer,
                other.item.known,
            )
    assert prepared.all(round=-1, key=left_out) == []


def test_what_is_changed_afterwards_is_read_anew(admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_run(1))
    prepared = PreparedInstances(lambda person: RoundReviewer.objects.filter(person=person), person=int)
    assert prepared.first(person=reviewer.pk).paused_at is None
    RoundReviewer.objects.filter(round=round, person=reviewer).update(paused_at=timezone.now())
    found = prepared.first(person=reviewer.pk)
    assert found.paused_at is not None
    found.paused_at = None
    found.save()
    assert prepared.first(person=reviewer.pk).paused_at is None
    assert prepared.first(person=User.objects.latest("pk").pk + 1) is None


def test_a_value_that_is_missing_is_no_query_for_nothing():
    prepared = PreparedInstances(
        lambda person, round: User.objects.filter(pk=person).exclude(pk=round), person=int, round=int
    )
    with pytest.raises(TypeError, match="person"):
        prepared.all(person=1)


def test_a_session_ends_at_its_time():
    store = SessionStore()
    store["said"] = "ä"
    store.save()
    assert SessionStore(store.session_key).load() == {"said": "ä"}
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert SessionStore(store.session_key).load() == {}
    assert SessionStore("no such session").load() == {}


def test_several_queries_asked_as_one_keep_their_orders_and_limits(admin, reviewer, other_reviewer):
    def parts(most: int):
        people = User.objects.filter(pk__lte=most).values_list("pk")
        return [people.order_by("-pk")[:2], people.order_by("pk")[:2]]

    prepared = PreparedRows(parts, most=int)
    for person in (admin, reviewer, other_reviewer):
        one, other = parts(person.pk)
        assert prepared.all(most=person.pk) == [*one, *other]
        assert prepared.count(most=person.pk) == len({*one, *other})


def test_an_update_changes_the_rows_that_it_is_asked_for(admin, reviewer):
    prepared = PreparedUpdate(
        lambda person, at: (User.objects.filter(pk=person), {"last_login": at}), person=int, at=datetime
    )
    for person in (admin, reviewer):
        now = timezone.now()
        assert prepared.run(person=person.pk, at=now) == 1
        person.refresh_from_db()
        assert person.last_login == now
    assert prepared.run(person=-1, at=timezone.now()) == 0
