"""Queries that are assembled once per process return the same as their querysets."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Count
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Question
from core.engine.queries.conditions import PreparedSet, is_found, is_one_of
from core.engine.queries.counts import Different, PreparedCounts, Single
from core.engine.queries.inserts import insert_or_change
from core.engine.queries.instances import PreparedInstances, PreparedValues
from core.engine.queries.parameters import Numbers
from core.engine.queries.rows import PreparedRows
from core.engine.queries.updates import PreparedUpdate, update_as_read
from core.models import User
from core.web.sessions import SessionStore
from judging.protocol.verdicts import Verdict
from review.models import Judgment, RoundReviewer
from tests.factories import AnnotationFactory
from tests.factories.review import make_imported_run, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def prepared_on(settings):
    settings.PREPARED = True


def test_rows_come_with_the_rows_they_refer_to_and_with_what_is_counted(admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(3))

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
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1))
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


def test_values_are_those_of_the_query(admin, reviewer, other_reviewer):
    now = timezone.now()
    User.objects.filter(pk=reviewer.pk).update(last_login=now)

    def logins(people: Numbers):
        found = User.objects.filter(is_one_of("pk", people)).order_by("pk")
        return found.values_list("username", "last_login").annotate(groups=Count("groups"))

    prepared = PreparedValues(logins, people=Numbers)
    for people in ([admin, reviewer], [other_reviewer], []):
        numbers = Numbers(person.pk for person in people)
        assert prepared.all(people=numbers) == list(logins(numbers))
    assert prepared.all(people=Numbers([reviewer.pk])) == [("rita", now, 1)]


def test_one_of_any_number_of_numbers(admin, reviewer, other_reviewer):
    for people in ([], [admin.pk], [reviewer.pk, admin.pk, admin.pk, -1, 2**62]):
        found = User.objects.filter(is_one_of("pk", Numbers(people)))
        assert {person.pk for person in found} == {admin.pk, reviewer.pk, other_reviewer.pk} & set(people)
        assert User.objects.exclude(is_one_of("pk", Numbers(people))).count() == 3 - len(found)


@pytest.mark.parametrize("way", ["has", "has_each"])
def test_a_condition_holds_for_the_values_that_its_query_finds(way, admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1))
    prepared = PreparedSet(lambda round: RoundReviewer.objects.filter(round=round).values("person"), round=int)
    has = getattr(prepared, way)
    for number, judges in ((round.pk, {reviewer, other_reviewer}), (-1, set())):  # the second time by the same SQL
        assert set(User.objects.filter(has("pk", round=number))) == judges
        assert set(User.objects.exclude(has("pk", round=number))) == {admin, reviewer, other_reviewer} - judges
        shown = User.objects.annotate(judges=has("pk", round=number))
        assert {person for person in shown if person.judges} == judges
    slots = Judgment.objects.filter(has("reviewer", round=round.pk), round=round.pk)
    assert slots.count() == Judgment.objects.count() > 0


def test_what_is_looked_up_for_each_row_is_not_found_as_a_whole_first(reviewer):
    own = PreparedSet(lambda person: Judgment.objects.filter(reviewer=person).values("item"), person=int)
    plan = Judgment.objects.filter(own.has_each("item", person=reviewer.pk)).explain()
    assert "hashed" not in plan
    assert "LIST SUBQUERY" not in plan


def test_what_a_query_finds_first_is_among_the_rows(admin, reviewer, other_reviewer):
    first = User.objects.order_by("username").values("pk")
    wanted = set(first.values_list("username", flat=True)[:2])
    found = User.objects.filter(is_found("pk", first[:2]), is_active=True)
    assert {person.username for person in found} == wanted
    assert User.objects.exclude(is_found("pk", first[:2])).count() == 1
    assert not User.objects.filter(is_found("pk", first.filter(pk=-1)))


def test_several_counts_are_asked_as_one(admin, reviewer, other_reviewer, django_assert_num_queries):
    def counted(person: int):
        people = User.objects.order_by("pk")
        others = people.exclude(pk=person)
        return {
            "others": others,
            "some": others[:1],
            "nobody": User.objects.none(),
            "all": Different([others.values_list("pk")[:2], people.values_list("pk")]),
            "name": Single(people.filter(pk=person).values("username")),
        }

    prepared = PreparedCounts(counted, person=int)
    for person, others, name in ((admin.pk, 2, admin.username), (reviewer.pk, 2, reviewer.username), (-1, 3, None)):
        with django_assert_num_queries(1):
            found = prepared.now(person=person)
        assert found == {"others": others, "some": 1, "nobody": 0, "all": 3, "name": name}
    assert PreparedCounts(dict).now() == {}


@pytest.mark.parametrize("text", ["O'Neil", "100 % %s", "a\\'b", "plain words", "", "-- ;", "é"])
def test_what_is_the_same_each_time_is_compared_as_it_is(admin, reviewer, text):
    User.objects.filter(pk=reviewer.pk).update(last_name=text)
    prepared = PreparedInstances(
        lambda person: User.objects.filter(last_name=text, is_active=True).exclude(pk=person).order_by("pk")[:5],
        person=int,
    )
    named = {admin, reviewer} if text == "" else {reviewer}
    assert set(prepared.all(person=-1)) == named
    assert set(prepared.all(person=reviewer.pk)) == named - {reviewer}


def test_choices_and_numbers_stand_in_the_text_for_whoever_plans_it(admin):
    chosen = Judgment.objects.filter(verdict__in=[Verdict.CORRECT, Verdict.PARTIALLY_CORRECT], number=1)
    prepared = PreparedInstances(lambda person: chosen.filter(reviewer=person).order_by("pk")[:7], person=int)
    with CaptureQueriesContext(connection) as queries:
        assert prepared.all(person=admin.pk) == []
    statement = prepared.compiled().statement
    assert statement.sql.count("%s") == 1
    assert "'correct'" in queries[0]["sql"]
    assert statement.sql.endswith("LIMIT 7")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's driver keeps statements by itself")
def test_postgresql_keeps_the_plan_of_a_query_that_is_put_together_once(admin):
    prepared = PreparedInstances(lambda person: User.objects.filter(pk=person), person=int)
    assert prepared.first(person=admin.pk) == admin
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT \"core_user\"%%'")
        assert cursor.fetchone()[0] >= 1
        cursor.execute("SELECT SUM(custom_plans), SUM(generic_plans) > 0 FROM pg_prepared_statements")
        assert cursor.fetchone() == (0, True), "a plan of its own for each person takes longer than the query"
    assert not list(User.objects.filter(pk=-1))
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE '%%core_user%%-1%%'")
        assert cursor.fetchone()[0] == 0, "others go in full, as poolers and planners expect"


def test_a_row_is_written_only_as_it_was_read(admin, reviewer, other_reviewer):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1))
    read = Judgment.objects.all()[0]
    read_too, now = Judgment.objects.get(pk=read.pk), timezone.now()
    asked = ("verdict", "judged_at", "reviewer_id")
    given = {"verdict": "correct", "judged_at": now, "undo_until": now, "seconds": 3, "comment": "%s"}
    assert update_as_read(read, *asked, **given)
    stored = Judgment.objects.get(pk=read.pk)
    assert {name: getattr(stored, name) for name in given} == given
    assert read.judged_at is None
    assert not update_as_read(read_too, *asked, verdict="incorrect")  # it was open then
    assert update_as_read(stored, *asked, verdict="incorrect")
    assert Judgment.objects.filter(verdict="incorrect").get() == stored


def test_rows_are_inserted_or_changed_in_one_statement(annotator):
    annotation = AnnotationFactory(annotator=annotator)
    Question.objects.all().delete()
    kept = Question.objects.create(annotation=annotation, position=2, text="Why?", answer_1="a", answer_2="b")
    rows = [Question(annotation=annotation, position=n, text=f"{n} %s?", answer_1="x") for n in (1, 2, 3)]
    with CaptureQueriesContext(connection) as queries:
        insert_or_change(rows, at=["annotation_id", "position"], change=["text"])
    assert len(queries) == 1
    insert_or_change([])
    found = {each.position: (each.text, each.answer_1, each.answer_2) for each in Question.objects.all()}
    assert found == {1: ("1 %s?", "x", ""), 2: ("2 %s?", "a", "b"), 3: ("3 %s?", "x", "")}
    assert Question.objects.get(position=2) == kept
