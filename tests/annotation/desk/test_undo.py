"""Undo after submitting: the annotation is a draft again, whatever came in between, as long as nothing is decided."""

import pytest
from django.urls import reverse

from annotation.desk import first_submission
from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed
from annotation.desk.assignments.assignment import flag_tag
from annotation.desk.decisions import accept_annotation, exclude_annotation, reconsider_annotation, return_annotation
from annotation.models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Assignment,
    FirstSubmission,
    Release,
    SeenAnnotation,
    Skip,
)
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import create_release
from annotation.reviewing.edits import suggest_edit, withdraw_edit
from core.accounts.people import activate_person, deactivate_person
from core.models import Event
from core.refusals import Refusal
from tests.annotation.desk_helpers import claim, complete_content, invalid_content, save, submit
from tests.annotation.tags.test_api_annotations import Notebook
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


def test_what_a_release_froze_before_stays_when_it_is_taken_back(client, tags, annotator, reviewer, admin):
    first = claim(annotator)
    save(first, complete_content())
    submit(first)
    accept(first, reviewer)
    release = create_release(name="First", notes="", admin=admin)
    undo = reverse("desk_reopen", args=[first.pk])
    assert client.post(undo).status_code == 409
    reconsider_annotation(annotation=first, reviewer=reviewer, reason="too hasty")
    assert client.post(undo).status_code == 302
    assert standing(first) == (AnnotationState.DRAFT, True)
    save(first, complete_content(question1="Was it open in 1901?"))
    assert content_hash_of(Release.objects.get()) == release.content_hash


def test_what_a_reviewer_has_begun_to_suggest_goes_along_to_the_desk(client, sign_in, tags, annotator, reviewer):
    first = claim(annotator)
    submit(first)
    edit = suggest_edit(
        annotation=first, reviewer=reviewer, field="question1", text="Which one?", seen_version=first.version
    )
    client.post(reverse("desk_reopen", args=[first.pk]))
    assert standing(first) == (AnnotationState.DRAFT, True)
    assert "Which one?" in client.get(reverse("desk_annotation", args=[first.pk])).content.decode()
    with pytest.raises(Refusal, match="already has this suggestion"):
        withdraw_edit(edit=edit, reviewer=reviewer)


def test_a_flag_or_fewer_annotations_needed_in_between_do_not_part_it_from_its_person(
    client, annotator, other_annotator, admin
):
    tag = TagFactory(annotations_needed=3)
    first = claim(annotator)
    submit(first)
    claim(other_annotator)
    flag_tag(tag=tag, annotator=other_annotator, reason="odd")
    set_annotations_needed(tag=tag, needed=1, admin=admin)
    assert client.post(reverse("desk_reopen", args=[first.pk])).status_code == 302
    assert standing(first) == (AnnotationState.DRAFT, True)
    assert submit(first).is_submitted


def test_with_a_closed_account_nothing_is_undone_and_nothing_returned_to_it(
    client, sign_in, tags, annotator, reviewer, admin
):
    first = claim(annotator)
    undo = submit_on_page(client, first)
    api = Notebook(annotator)
    deactivate_person(person=annotator, admin=admin)
    assert client.post(undo).status_code == 401
    assert api.post(f"annotations/{first.pk}/reopen/").status_code == 401
    first.refresh_from_db()
    sent = {"seen_version": first.version, "message": "Which bridge?"}
    refused = sign_in(reviewer).post(reverse("reviews_return", args=[first.pk]), sent)
    assert refused.status_code == 409
    assert "could not change it" in refused.content.decode()
    assert standing(first) == (AnnotationState.SUBMITTED, False)
    assert not FirstSubmission.objects.exists()
    activate_person(person=annotator, admin=admin)
    assert sign_in(annotator).post(undo).status_code == 302
    assert standing(first) == (AnnotationState.DRAFT, True)


def test_by_the_api_the_same_rule_holds(tags, annotator, other_annotator, reviewer):
    TagFactory()
    anna = Notebook(annotator)
    first = claim(annotator)
    submit(first)
    following, theirs = claim(annotator), claim(other_annotator)
    address = f"annotations/{first.pk}/reopen/"
    assert Notebook(other_annotator).post(address).status_code == 404
    taken_back = anna.post(address, {"following": following.pk})
    assert (taken_back.status_code, taken_back.json()["state"]) == (200, "draft")
    assert not Annotation.objects.filter(pk=following.pk).exists()
    submit(first)
    assert anna.post(address, {"following": theirs.pk}).status_code == 200
    assert standing(theirs) == (AnnotationState.DRAFT, True)
    submit(first)
    accept(first, reviewer)
    refused = anna.post(address)
    assert refused.status_code == 409
    assert "Nothing was changed" in refused.json()["detail"]


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
