"""Review of a sample: what is not drawn is accepted without review, says so, and is counted as that."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from annotation.desk import review_sample
from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.decisions import (
    accept_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.desk.review_sample import needs_review
from annotation.models import Annotation, AnnotationAction, FirstSubmission, ReviewShare, Tag
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.files.work_export import work_lines
from annotation.releases.freezing import create_release
from annotation.reviewing.first_submissions import outcomes
from annotation.reviewing.one_annotator import submissions_of
from annotation.reviewing.queue import waiting_for
from annotation.tasks import accept_without_review
from core.models import Event, Role, User
from core.project import change_settings
from core.refusals import Refusal
from tests.annotation.desk_helpers import submit
from tests.factories import AnnotationFactory, TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(admin) -> None:
    """Half of the submissions are reviewed, those of new annotators too."""
    change_settings(admin=admin, review_percent=50, review_first=0)


def submitted(annotator: User, admin: User, tag: Tag | None = None) -> Annotation:
    tag = tag or TagFactory()
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    annotation = Annotation.objects.get(tag=tag, annotator=annotator)
    submit(annotation)
    annotation.refresh_from_db()
    return annotation


def draw(monkeypatch, number: int) -> None:
    monkeypatch.setattr(review_sample, "_drawn", lambda pk: number)


def an_hour_later(annotation: Annotation) -> None:
    at = timezone.now() - timedelta(minutes=61)
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=at)
    accept_without_review()
    annotation.refresh_from_db()


def left_out(annotator: User, admin: User, monkeypatch) -> Annotation:
    draw(monkeypatch, 99)
    annotation = submitted(annotator, admin)
    an_hour_later(annotation)
    return annotation


def test_without_the_setting_all_are_reviewed(annotator, admin, reviewer):
    annotation = submitted(annotator, admin)
    an_hour_later(annotation)
    assert annotation.state == "submitted"
    assert list(waiting_for(reviewer)) == [annotation]


def test_what_is_not_drawn_is_accepted_after_an_hour(sample, annotator, admin, reviewer, monkeypatch):
    draw(monkeypatch, 99)
    annotation = submitted(annotator, admin)
    accept_without_review()
    annotation.refresh_from_db()
    assert annotation.state == "submitted"
    assert not waiting_for(reviewer).exists()
    an_hour_later(annotation)
    assert annotation.is_accepted_without_review
    event = Event.objects.get(action=AnnotationAction.ACCEPTED_WITHOUT_REVIEW)
    assert (event.subject_id, event.actor) == (annotation.pk, None)


def test_what_is_drawn_waits_for_a_reviewer(sample, annotator, admin, reviewer, monkeypatch):
    draw(monkeypatch, 49)
    annotation = submitted(annotator, admin)
    an_hour_later(annotation)
    assert list(waiting_for(reviewer)) == [annotation]
    accept_annotation(annotation=annotation, reviewer=reviewer)
    assert not annotation.is_accepted_without_review


def test_about_the_share_is_drawn_and_the_same_again(sample, annotator):
    rows = [Annotation(pk=number, annotator=annotator, tag_id=number) for number in range(1, 401)]
    drawn = [needs_review(each, percent=20) for each in rows]
    assert 50 < sum(drawn) < 110
    assert drawn == [needs_review(each, percent=20) for each in rows]


def test_first_annotations_of_a_person_are_always_reviewed(annotator, admin, monkeypatch):
    change_settings(admin=admin, review_percent=0, review_first=2)
    assert [submitted(annotator, admin).needs_review for _ in range(3)] == [True, True, False]


def test_tags_of_several_and_returned_ones_are_always_reviewed(
    sample, annotator, other_annotator, admin, reviewer, monkeypatch
):
    draw(monkeypatch, 99)
    tag = TagFactory(annotations_needed=2)
    assert submitted(annotator, admin, tag).needs_review
    annotation = submitted(other_annotator, admin)
    return_annotation(annotation=annotation, reviewer=reviewer, message="Which year?")
    submit(annotation)
    annotation.refresh_from_db()
    assert annotation.needs_review


def test_a_reviewer_can_still_return_one_accepted_without_review(sample, annotator, admin, reviewer, monkeypatch):
    annotation = left_out(annotator, admin, monkeypatch)
    reconsider_annotation(annotation=annotation, reviewer=reviewer, reason="Read again.")
    an_hour_later(annotation)
    assert annotation.state == "submitted"
    return_annotation(annotation=annotation, reviewer=reviewer, message="Which year?")
    assert annotation.state == "returned"


@pytest.mark.parametrize("drawn", [0, 99])
def test_both_can_be_taken_back_for_an_hour_only(sample, annotator, admin, monkeypatch, drawn):
    draw(monkeypatch, drawn)
    annotation = submitted(annotator, admin)
    reopen_annotation(annotation=annotation, annotator=annotator)
    submit(annotation)
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=timezone.now() - timedelta(minutes=61))
    annotation.refresh_from_db()
    with pytest.raises(Refusal, match="for an hour"):
        reopen_annotation(annotation=annotation, annotator=annotator)


def test_nothing_tells_its_writer_whether_it_is_drawn(sample, client, annotator, admin, monkeypatch):
    """Also where the writer is a reviewer."""
    annotator.groups.add(Group.objects.get_or_create(name=Role.REVIEWER)[0])
    annotation = submitted(annotator, admin)
    # "20 minutes ago" stays the same for half a minute.
    at = timezone.now() - timedelta(minutes=20, seconds=30)
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=at, saved_at=at, created_at=at)
    client.force_login(annotator)
    addresses = [
        reverse("home"),
        reverse("my_work"),
        reverse("desk_annotation", args=[annotation.pk]),
        reverse("reviews"),
        f"/api/v1/annotations/{annotation.pk}/",
        "/api/v1/reviews/",
        "/api/v1/assignments/",
    ]

    def answers() -> list[bytes]:
        found = [client.get(address) for address in addresses]
        assert [each.status_code for each in found] == [200] * len(found)
        return [each.content for each in found]

    answers()
    Annotation.objects.filter(pk=annotation.pk).update(needs_review=True)
    drawn = answers()
    Annotation.objects.filter(pk=annotation.pk).update(needs_review=False)
    assert [without_noise(each) for each in answers()] == [without_noise(each) for each in drawn]


def without_noise(content: bytes) -> str:
    text = content.decode()
    return "\n".join(line for line in text.splitlines() if "csrf" not in line.lower() and "nonce" not in line)


def test_numbers_count_reviewed_ones_only(sample, annotator, admin, reviewer, monkeypatch):
    left_out(annotator, admin, monkeypatch)
    draw(monkeypatch, 0)
    accept_annotation(annotation=submitted(annotator, admin), reviewer=reviewer)
    assert [(each.decided, each.accepted) for each in outcomes(None)] == [(1, 1)]
    assert [each.is_decided for each in submissions_of(annotator, reader=None)] == [False, True]


def test_files_datasheet_and_pages_say_so(sample, client, annotator, admin, monkeypatch):
    annotation = left_out(annotator, admin, monkeypatch)
    assert [json.loads(line)["without_review"] for line in work_lines()] == [True]
    release = create_release(name="First", admin=admin)
    assert "accepted without review, as only a sample was reviewed | 1 of 1" in markdown(datasheet(release))
    client.force_login(admin)
    for address in (
        reverse("reviews") + "?state=accepted",
        reverse("reviews_annotation", args=[annotation.pk]),
        reverse("tag", args=[annotation.tag_id]),
    ):
        assert "without review" in client.get(address).content.decode(), address
    assert client.get("/api/v1/reviews/?state=accepted").json()["results"][0]["without_review"] is True


def test_the_database_refuses_a_reviewer_of_what_is_not_reviewed(annotator, admin, reviewer):
    annotation = AnnotationFactory(annotator=annotator, reviewed_by=reviewer)
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotation.objects.filter(pk=annotation.pk).update(needs_review=False)


def test_only_what_the_draw_left_out_is_accepted_without_review(annotator, admin):
    with pytest.raises(Refusal, match="has to decide"):
        accept_annotation(annotation=submitted(annotator, admin), reviewer=None)


def set_share(client, person, percent):
    return client.post(reverse("person_review_share", args=[person.pk]), {"percent": percent})


def test_what_was_left_out_comes_to_review_when_the_share_is_raised(
    sample, amir, annotator, admin, reviewer, monkeypatch
):
    draw(monkeypatch, 99)
    annotation = submitted(annotator, admin)
    raise_on_page(amir, review_percent=100)
    accept_without_review()
    assert list(waiting_for(reviewer)) == [annotation]
    an_hour_later(annotation)
    assert annotation.state == "submitted"


def test_a_share_raised_in_part_brings_what_it_draws(sample, annotator, admin, reviewer, monkeypatch):
    draw(monkeypatch, 60)
    annotation = submitted(annotator, admin)
    change_settings(admin=admin, review_percent=60)
    accept_without_review()
    assert not waiting_for(reviewer).exists()
    change_settings(admin=admin, review_percent=61)
    accept_without_review()
    assert list(waiting_for(reviewer)) == [annotation]


def all_an_hour_later() -> None:
    for model in (Annotation, FirstSubmission):
        model.objects.update(submitted_at=F("submitted_at") - timedelta(minutes=61))
    accept_without_review()


def raise_on_page(client, **raised):
    settings = client.get(reverse("project")).context["form"].initial
    sent = {name: value for name, value in settings.items() if not (value is None or value is False)}
    assert client.post(reverse("project"), sent | raised).status_code == 302


def test_a_raised_number_of_first_annotations_brings_these(amir, annotator, other_annotator, admin, monkeypatch):
    draw(monkeypatch, 99)
    change_settings(admin=admin, review_percent=0, review_first=1)
    made = [submitted(annotator, admin) for _ in range(4)]
    others = submitted(other_annotator, admin)
    assert [each.needs_review for each in (*made, others)] == [True, False, False, False, True]
    raise_on_page(amir, review_first=3)
    accept_without_review()
    found = Annotation.objects.filter(annotator=annotator).order_by("pk")
    assert list(found.values_list("needs_review", flat=True)) == [True, True, True, False]
    all_an_hour_later()
    assert list(found.values_list("state", flat=True)) == ["submitted"] * 3 + ["accepted"]


def test_one_that_is_submitted_again_later_makes_no_other_one_a_first_annotation(
    annotator, admin, reviewer, monkeypatch
):
    draw(monkeypatch, 99)
    change_settings(admin=admin, review_percent=0, review_first=1)
    first, second = (submitted(annotator, admin) for _ in range(2))
    return_annotation(annotation=first, reviewer=reviewer, message="Which year?")
    submit(first)
    all_an_hour_later()
    second.refresh_from_db()
    assert second.is_accepted_without_review


def test_a_person_can_have_a_share_of_their_own(sample, amir, annotator, other_annotator, admin, monkeypatch):
    draw(monkeypatch, 40)
    assert set_share(amir, annotator, "20").status_code == 302
    assert not submitted(annotator, admin).needs_review
    assert submitted(other_annotator, admin).needs_review
    change_settings(admin=admin, review_percent=0)
    set_share(amir, other_annotator, "100")
    assert submitted(other_annotator, admin).needs_review
    workload = amir.get(reverse("workload")).content.decode()
    assert ">20%</a>" in workload
    assert ">100%</a>" in workload
    assert 'value="20"' in amir.get(reverse("person_quality", args=[annotator.pk])).content.decode()


def test_a_raised_share_of_a_person_brings_what_was_left_out(amir, annotator, admin, reviewer, monkeypatch):
    change_settings(admin=admin, review_first=0)
    set_share(amir, annotator, "0")
    annotation = submitted(annotator, admin)
    assert not annotation.needs_review
    set_share(amir, annotator, "")
    an_hour_later(annotation)
    assert list(waiting_for(reviewer)) == [annotation]


def test_shares_are_checked_logged_and_for_admins(amir, rita, annotator):
    for sent in ("101", "-1", "x", "1.5"):
        assert set_share(amir, annotator, sent).status_code == 400
    assert set_share(rita, annotator, "20").status_code == 403
    assert not ReviewShare.objects.exists()
    for sent in ("20", "20", ""):
        set_share(amir, annotator, sent)
    log = Event.objects.filter(action=AnnotationAction.SET_REVIEW_SHARE).order_by("pk")
    assert [(entry.before["percent"], entry.after["percent"]) for entry in log] == [(None, 20), (20, None)]


def test_nobody_learns_their_own_share(amir, annotator, other_annotator, admin):
    """Everybody can take theirs back for an hour only, once only a sample of one person's is reviewed."""
    annotation = submitted(annotator, admin)
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=timezone.now() - timedelta(minutes=61))
    annotation.refresh_from_db()
    set_share(amir, other_annotator, "20")
    with pytest.raises(Refusal, match="for an hour"):
        reopen_annotation(annotation=annotation, annotator=annotator)


def test_the_database_refuses_a_share_above_all(annotator, admin):
    with pytest.raises(IntegrityError):
        ReviewShare.objects.create(person=annotator, percent=101, set_by=admin)
