"""Undo after submitting: the annotation is a draft again, whatever came in between, as long as nothing is decided."""

import pytest
from django.urls import reverse

from annotation.desk import first_submission
from annotation.desk.assignment import assign_tag
from annotation.desk.decisions import accept_annotation, exclude_annotation, return_annotation
from annotation.models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Assignment,
    FirstSubmission,
    SeenAnnotation,
    Skip,
)
from core.models import Event
from tests.annotation.desk_helpers import claim, complete_content, invalid_content, save, submit
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def tags():
    return [TagFactory(), TagFactory()]


@pytest.fixture
def client(sign_in, annotator):
    return sign_in(annotator)


def form(annotation: Annotation) -> dict:
    content = complete_content()
    return {
        "wikitag_label_valid": "Invalid",
        "valid_comment": "Both years are the same.",
        "confidence": content["confidence"],
        "base_version": annotation.version,
        "operation": "6f0cf5c4-6f9c-4b0a-9d68-0d4cf8f4a1c3",
    }


def submit_on_page(client, annotation: Annotation) -> str:
    """Submit without script; returns the address that the notice's button sends to."""
    page = client.post(reverse("desk_submit", args=[annotation.pk]), form(annotation), follow=True)
    (notice,) = [each for each in page.context["messages"] if "Submitted" in str(each)]
    assert f'action="{notice.extra_tags}"'.replace("&", "&amp;") in page.content.decode()
    return notice.extra_tags


def standing(annotation: Annotation) -> tuple[str, bool]:
    """The state, and whether its writer has the tag."""
    annotation.refresh_from_db()
    own = Assignment.objects.unfinished().filter(tag=annotation.tag_id, annotator=annotation.annotator_id)
    return annotation.state, own.exists()


def test_the_notice_takes_it_back_and_hands_back_the_next_tag_untouched(client, tags, annotator):
    first = claim(annotator)
    undo = submit_on_page(client, first)
    following = Annotation.objects.exclude(pk=first.pk).get()
    page = client.post(undo, follow=True)
    assert "it is your draft again" in page.content.decode()
    assert standing(first) == (AnnotationState.DRAFT, True)
    assert not Annotation.objects.filter(pk=following.pk).exists()
    assert Assignment.objects.filter(annotator=None, done_at=None).count() == 1
    assert not Skip.objects.exists()
    actions = list(Event.objects.order_by("pk").values_list("action", flat=True))
    assert actions[-2:] == [AnnotationAction.TOOK_BACK, AnnotationAction.HANDED_BACK]


def test_a_next_tag_that_was_begun_stays_with_its_person(client, tags, annotator):
    first = claim(annotator)
    undo = submit_on_page(client, first)
    following = Annotation.objects.exclude(pk=first.pk).get()
    save(following, invalid_content())
    client.post(undo)
    assert standing(first) == (AnnotationState.DRAFT, True)
    assert standing(following) == (AnnotationState.DRAFT, True)


def test_a_next_tag_from_an_admin_stays_with_its_person(client, tags, annotator, admin):
    first = claim(annotator)
    assign_tag(tag=tags[1], annotator=annotator, admin=admin)
    client.post(submit_on_page(client, first))
    assert Assignment.objects.filter(annotator=annotator, done_at=None).count() == 2


def test_undone_twice_the_second_time_is_refused(client, tags, annotator):
    first = claim(annotator)
    undo = submit_on_page(client, first)
    client.post(undo)
    again = client.post(undo)
    assert again.status_code == 409
    assert standing(first) == (AnnotationState.DRAFT, True)


def accept(annotation, reviewer):
    accept_annotation(annotation=annotation, reviewer=reviewer)


def send_back(annotation, reviewer):
    return_annotation(annotation=annotation, reviewer=reviewer, message="Which bridge?")


def exclude(annotation, reviewer):
    exclude_annotation(annotation=annotation, reviewer=reviewer, reason="ambiguous")


@pytest.mark.parametrize("decide", [accept, send_back, exclude])
def test_what_a_reviewer_has_decided_is_not_undone(client, tags, annotator, reviewer, decide):
    first = claim(annotator)
    undo = submit_on_page(client, first)
    first.refresh_from_db()
    decide(first, reviewer)
    before = standing(first)
    following = Annotation.objects.exclude(pk=first.pk).get()
    refused = client.post(undo)
    assert refused.status_code == 409
    assert "Nothing was changed" in refused.content.decode()
    assert standing(first) == before
    assert standing(following) == (AnnotationState.DRAFT, True)


def test_one_that_a_reviewer_has_only_opened_is_undone_and_not_decided_from_that_page(
    client, sign_in, tags, annotator, reviewer
):
    first = claim(annotator)
    undo = submit_on_page(client, first)
    reading = sign_in(reviewer)
    assert reading.get(reverse("reviews_annotation", args=[first.pk])).status_code == 200
    client.post(undo)
    first.refresh_from_db()
    late = reading.post(reverse("reviews_accept", args=[first.pk]), {"seen_version": first.version})
    assert late.status_code in (404, 409)
    assert standing(first) == (AnnotationState.DRAFT, True)


def test_whoever_has_read_another_annotation_of_the_tag_cannot_undo(client, annotator, other_annotator):
    TagFactory(annotations_needed=2)
    other = claim(other_annotator)
    first = claim(annotator)
    undo = submit_on_page(client, first)
    SeenAnnotation.objects.create(annotation=other, person=annotator)
    assert client.post(undo).status_code == 409
    assert standing(first)[0] == AnnotationState.SUBMITTED


def test_another_person_cannot_undo_nor_lose_a_tag_by_it(client, sign_in, tags, annotator, other_annotator):
    first = claim(annotator)
    theirs = claim(other_annotator)
    undo = submit_on_page(client, first).split("?")[0]
    assert sign_in(other_annotator).post(undo).status_code == 404
    sign_in(annotator).post(f"{undo}?following={theirs.pk}")
    assert standing(first) == (AnnotationState.DRAFT, True)
    assert standing(theirs) == (AnnotationState.DRAFT, True)


def test_two_who_return_it_at_once_keep_one_first_submission(monkeypatch, annotator):
    """As on PostgreSQL: the other request's row comes between the look and the write of this one."""
    TagFactory()
    annotation = claim(annotator)
    submit(annotation)
    read = first_submission.content_of

    def overtaken(found: Annotation) -> dict:
        FirstSubmission.objects.create(annotation=found, content=read(found), submitted_at=found.submitted_at)
        return read(found)

    monkeypatch.setattr(first_submission, "content_of", overtaken)
    first_submission.keep_first_submission(annotation)
    assert FirstSubmission.objects.filter(annotation=annotation).count() == 1
