"""The tag after the one in hand: claimed by a script before it is needed, kept, wanted, or handed back."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse

from annotation.desk.assignments.ahead import claim_ahead, hand_back_ahead
from annotation.desk.assignments.assignment import claim_next_tag, renew_lease
from annotation.desk.decisions import return_annotation
from annotation.desk.work.my_work import held_now, work_of
from annotation.models import Annotation, Assignment, Skip
from tests.annotation.desk_helpers import claim, complete_content, let_lapse, save, submit
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def tags():
    return [TagFactory(), TagFactory(), TagFactory()]


@pytest.fixture
def in_hand(tags, annotator) -> Annotation:
    return claim(annotator)


def ahead_of(annotation: Annotation) -> Annotation:
    found = claim_ahead(annotation=annotation, annotator=annotation.annotator)
    assert found is not None
    return found


def test_it_is_held_for_nobody_else_and_is_what_comes_next(in_hand, tags, annotator, other_annotator):
    ahead = ahead_of(in_hand)
    assert ahead.tag == tags[1]
    assert claim(other_annotator).tag == tags[2]
    submit(in_hand)
    assert claim_next_tag(annotator=annotator) == ahead
    assert not Assignment.objects.filter(is_ahead=True).exists()


def test_asked_again_it_is_the_same_one(in_hand):
    assert ahead_of(in_hand) == ahead_of(in_hand)
    assert Assignment.objects.unfinished().exclude(annotator=None).count() == 2


def test_what_is_in_hand_stays_what_the_desk_shows(in_hand, annotator):
    ahead_of(in_hand)
    assert held_now(annotator) == in_hand
    assert list(work_of(annotator)) == [in_hand]


def test_its_page_once_open_has_it_in_hand(in_hand, annotator):
    ahead = ahead_of(in_hand)
    renew_lease(annotation=ahead, annotator=annotator)
    assert not hand_back_ahead(annotator=annotator)
    assert Assignment.objects.filter(tag=ahead.tag_id, annotator=annotator).exists()


def test_not_wanted_it_is_back_in_the_queue_and_not_skipped(in_hand, annotator, other_annotator):
    ahead = ahead_of(in_hand)
    assert hand_back_ahead(annotator=annotator)
    assert not Skip.objects.exists()
    assert not Annotation.objects.filter(pk=ahead.pk).exists()
    assert claim(other_annotator).tag == ahead.tag
    assert not hand_back_ahead(annotator=annotator)


def test_one_that_lapsed_goes_to_whoever_asks_next(in_hand, tags, other_annotator):
    ahead = ahead_of(in_hand)
    let_lapse(ahead)
    Assignment.objects.filter(tag=tags[2]).update(priority=F("priority") - 1)
    got = {claim(other_annotator).tag_id}
    assert got <= {tags[1].pk, tags[2].pk}
    assert not Assignment.objects.filter(annotator=other_annotator, is_ahead=True).exists()


def test_without_the_tag_in_hand_there_is_nothing_ahead(in_hand, annotator):
    submit(in_hand)
    in_hand.refresh_from_db()
    assert claim_ahead(annotation=in_hand, annotator=annotator) is None
    assert not Assignment.objects.filter(is_ahead=True).exists()


def test_with_the_queue_empty_there_is_nothing_ahead(annotator):
    TagFactory()
    assert claim_ahead(annotation=claim(annotator), annotator=annotator) is None


def test_what_was_returned_comes_before_the_queue_and_is_not_handed_back(in_hand, tags, annotator, reviewer):
    submit(in_hand)
    in_hand.refresh_from_db()
    following = claim(annotator)
    return_annotation(annotation=in_hand, reviewer=reviewer, message="Which bridge?")
    assert ahead_of(following) == in_hand
    assert not hand_back_ahead(annotator=annotator)


@pytest.mark.parametrize("broken", [{"lease_expires_at": None}, {"annotator": None, "claimed_at": None}])
def test_the_database_holds_that_what_is_ahead_is_somebodys_with_a_lease(in_hand, broken):
    ahead_of(in_hand)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.filter(is_ahead=True).update(**broken)


def test_the_database_holds_that_one_is_ahead_at_a_time(in_hand, annotator):
    ahead_of(in_hand)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.filter(annotator=annotator).update(is_ahead=True)


def test_a_page_that_is_ready_gets_the_notice_and_another_one_does_not(in_hand, sign_in, annotator):
    client = sign_in(annotator)
    address = reverse("desk_ahead", args=[in_hand.pk])
    said = client.post(address, {}, content_type="application/json").json()
    ahead = Annotation.objects.exclude(pk=in_hand.pk).get()
    assert said == {"next": reverse("desk_annotation", args=[ahead.pk])}
    save(in_hand, complete_content())
    sent = {"content": complete_content(), "operation": str(uuid4()), "tab": "t"}
    sent["ready"] = {"annotation": ahead.pk, "version": ahead.version}
    in_hand.refresh_from_db()
    answer = client.post(
        reverse("desk_submit", args=[in_hand.pk]),
        sent,
        content_type="application/json",
        headers={"If-Match": f'"{in_hand.version}"'},
    ).json()
    assert answer["next"] == said["next"]
    assert "Submitted" in answer["notices"]
    assert "Submitted" not in client.get(said["next"]).content.decode()
