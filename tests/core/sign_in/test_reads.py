"""The activity log says which of other people's work an admin opened, at most once an hour for each."""

import threading
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.urls import reverse
from django.utils import timezone

from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.desk.comments.comments import write_comment
from annotation.models import Annotation
from core.accounts.tokens import make_token
from core.models import CoreAction, Event
from core.writing import reads
from judging.responses.comments import AboutResponse
from review.models import Judgment
from tests.conftest import make_person, signed_in
from tests.factories import AnnotationFactory
from tests.factories.review import give_all, make_imported_run, make_round, reviewer_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def theirs(annotator) -> Annotation:
    return AnnotationFactory(annotator=annotator)


def recorded(work) -> list[str]:
    """The names of those who opened this work, in the order of the log."""
    opened = Event.objects.about(work).filter(action=CoreAction.READ_WORK)
    return list(opened.values_list("actor__username", flat=True))


def test_an_annotation_that_an_admin_opens_is_recorded_once_an_hour(amir, theirs, monkeypatch):
    where = reverse("reviews_annotation", args=[theirs.pk])
    assert recorded(theirs) == []
    for _ in range(3):
        assert amir.get(where).status_code == 200
    assert recorded(theirs) == ["amir"]
    (event,) = Event.objects.about(theirs).filter(action=CoreAction.READ_WORK)
    assert (event.before, event.after, event.message) == ({}, {}, "")
    later = timezone.now() + timedelta(minutes=61)
    monkeypatch.setattr(reads.timezone, "now", lambda: later)
    amir.get(where)
    assert recorded(theirs) == ["amir", "amir"]


def test_each_admin_is_recorded_and_reviewers_and_writers_are_not(amir, rita, theirs):
    for client in (rita, signed_in(make_person("alma", "admin")), amir):
        assert client.get(reverse("reviews_annotation", args=[theirs.pk])).status_code == 200
    assert recorded(theirs) == ["alma", "amir"]
    own = AnnotationFactory(annotator=make_person("abe", "admin"))
    assert signed_in(own.annotator).get(reverse("reviews_annotation", args=[own.pk])).status_code == 200
    assert recorded(own) == []


def test_the_page_of_a_tag_and_the_api_are_recorded_too(admin, amir, client, theirs):
    assert amir.get(reverse("tag", args=[theirs.tag_id])).status_code == 200
    assert recorded(theirs) == ["amir"]
    other = make_person("alma", "admin")
    token = make_token(person=other, name="mine", may_administer=True)[1]
    answer = client.get(f"/api/v1/reviews/{theirs.pk}/", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    assert recorded(theirs) == ["amir", "alma"]


def test_comments_that_an_admin_reads_are_recorded_on_the_page_and_in_the_api(admin, amir, rita, client, annotator):
    theirs = AnnotationFactory(state="draft", annotator=annotator)
    write_comment(topic=AboutAnnotation(theirs), person=annotator, text="Which bridge?")
    for _ in range(2):
        for each in (rita, amir):
            assert "Which bridge?" in each.get(reverse("conversation", args=[theirs.pk])).content.decode()
    assert recorded(theirs) == ["amir"]
    token = make_token(person=make_person("alma", "admin"), name="mine", may_administer=True, may_work=True)[1]
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get(f"/api/v1/annotations/{theirs.pk}/comments/", headers=headers).status_code == 200
    assert recorded(theirs) == ["amir", "alma"]


@pytest.mark.parametrize("door", ["response", "response_comments", "api:response_comments"])
def test_comments_on_a_response_that_an_admin_reads_are_recorded(door, amir, admin):
    response = make_imported_run(1).responses.earliest("pk")
    alma = make_person("alma", "admin")
    theirs = write_comment(topic=AboutResponse(response), person=alma, text="Plainly wrong")
    own = write_comment(topic=AboutResponse(response), person=admin, text="Why?")
    for each in (amir, amir, signed_in(alma)):
        assert "Plainly wrong" in each.get(reverse(door, args=[response.key])).content.decode()
    assert recorded(theirs) == ["amir"]
    assert recorded(own) == ["alma"]


def test_a_draft_whose_validity_an_admin_reads_is_recorded(amir, annotator):
    draft = AnnotationFactory(state="draft", annotator=annotator)
    assert amir.get(reverse("tag", args=[draft.tag_id])).status_code == 200
    assert recorded(draft) == ["amir"]


def test_the_judgments_of_a_reviewer_are_recorded_and_hidden_ones_are_not(admin, amir, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(2))
    for item in round.items.all():
        give_all(item, "correct", "correct")
    theirs = reviewer_in(round, reviewer)
    where = reverse("round_reviewer", args=[round.pk, reviewer.pk])
    assert Judgment.objects.filter(reviewer=reviewer).exists()
    assert signed_in(judging_admin(round)).get(where).status_code == 200
    assert recorded(theirs) == []
    for _ in range(2):
        assert amir.get(where).status_code == 200
    assert recorded(theirs) == ["amir"]


def test_judgments_that_an_admin_adjudicates_are_recorded_on_the_page_and_in_the_api(
    admin, reviewer, other_reviewer, ada, client
):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1))
    disputed = round.items.earliest("pk")
    give_all(disputed, "correct", "incorrect")
    found = disputed.adjudication
    where = reverse("adjudicate_item", args=[found.key])
    assert ada.get(where).status_code == 200
    assert recorded(found) == []
    both = signed_in(make_person("bea", "adjudicator", "admin"))
    for _ in range(2):
        assert both.get(where).status_code == 200
    assert recorded(found) == ["bea"]
    token = make_token(person=make_person("cleo", "adjudicator", "admin"), name="mine", may_administer=True)[1]
    answer = client.get(f"/api/v1/adjudications/{found.key}/", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.content
    assert recorded(found) == ["bea", "cleo"]


def judging_admin(round):
    """An admin who judges in the round, and is shown no judgments of it."""
    person = make_person("bea", "reviewer", "admin")
    round.reviewers.create(person=person)
    return person


def test_an_admin_who_is_blind_to_a_tag_does_not_learn_who_opened_its_annotations(amir, annotator):
    theirs = AnnotationFactory(state="submitted", submitted_at=timezone.now(), annotator=annotator)
    amir.get(reverse("tag", args=[theirs.tag_id]))
    blind = make_person("bea", "annotator", "admin")
    mine = AnnotationFactory(state="submitted", submitted_at=timezone.now(), annotator=blind, tag=theirs.tag)
    about = {"kind": "annotation", "subject": theirs.pk}
    assert "opened the work" in amir.get(reverse("activity"), about).content.decode()
    assert "opened the work" not in signed_in(blind).get(reverse("activity"), about).content.decode()
    assert recorded(mine) == []


def test_a_page_is_shown_where_the_entry_cannot_be_written(amir, theirs, monkeypatch, caplog):
    def full(*args, **kwargs):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(Event.objects, "bulk_create", full)
    assert amir.get(reverse("reviews_annotation", args=[theirs.pk])).status_code == 200
    assert recorded(theirs) == []
    assert "A read by person" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_pages_that_open_at_once_are_recorded_once():
    if connection.vendor == "sqlite":
        pytest.skip("threads share no SQLite database in memory; its write lock serialises entries")
    person, work = make_person("amir", "admin"), AnnotationFactory()
    start = threading.Barrier(6)

    def read():
        try:
            start.wait()
            reads.record_read([work], reader=type(person).objects.get(pk=person.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorded(work) == ["amir"]
