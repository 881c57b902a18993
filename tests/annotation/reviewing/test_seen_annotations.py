"""Whoever has seen another person's annotation of a tag, whatever the door was, no longer annotates that tag; and who
annotates a tag is blind to the others until theirs is decided, which choosing another one does as well."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed
from annotation.desk.assignments.assignment import has_seen
from annotation.desk.comments.comments import ask_question
from annotation.desk.decisions import accept_annotation, exclude_annotation, reconsider_annotation, return_annotation
from annotation.desk.visibility import blind_tags
from annotation.models import Annotation, AnnotationState, SeenAnnotation, Tag
from annotation.releases.freezing import create_release
from core.models import Role, User
from core.refusals import Refusal
from judging.models import Run
from review.models import Round
from tests.annotation.desk_helpers import complete_content, save, submit
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.factories.review import make_response, make_round

pytestmark = pytest.mark.django_db
QUESTION = "Which bridge do the two mean?"


@pytest.fixture
def bea(db) -> User:
    """Reviews and is an admin; she is to annotate the tag afterwards."""
    return make_person("bea", Role.REVIEWER, Role.ADMIN)


@pytest.fixture
def tag(db) -> Tag:
    return TagFactory()


@pytest.fixture
def theirs(tag, other_annotator, admin) -> Annotation:
    return begun(tag, other_annotator, admin)


def begun(tag: Tag, annotator: User, admin: User) -> Annotation:
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    annotation = Annotation.objects.get(tag=tag, annotator=annotator)
    save(annotation, complete_content(question1=QUESTION))
    return annotation


def body(answer) -> str:
    text = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return text.decode()


# The reviewers' decision, and the pages on which it can be read.
def accepted(theirs: Annotation, reviewer: User) -> None:
    submit(theirs, complete_content(question1=QUESTION))
    accept_annotation(annotation=theirs, reviewer=reviewer)


def returned(theirs: Annotation, reviewer: User) -> None:
    submit(theirs, complete_content(question1=QUESTION))
    return_annotation(annotation=theirs, reviewer=reviewer, message=QUESTION)


def asked(theirs: Annotation, reviewer: User) -> None:
    ask_question(annotation=theirs, annotator=theirs.annotator, text=QUESTION)


def written(theirs: Annotation, reviewer: User) -> None:
    pass


def released(theirs: Annotation, reviewer: User) -> None:
    accepted(theirs, reviewer)
    create_release(name="First", admin=reviewer)


def judged(theirs: Annotation, reviewer: User) -> None:
    released(theirs, reviewer)
    run = Run.objects.create(name="x", kind="import", state="finished", started_at=timezone.now())
    make_response(run, theirs.tag.instances.first())
    people = [User.objects.get(username="bea"), make_person("rosa", Role.REVIEWER)]
    make_round(make_person("other", Role.ADMIN), people, run, training_required=False)


def in_first_release(name: str):
    return lambda theirs: reverse(name, args=[1])


DOORS = {
    "instances of a release": (released, in_first_release("release_instances"), QUESTION),
    "instance of a release": (released, lambda theirs: reverse("release_instance", args=[1, 1]), QUESTION),
    "file of a release": (released, lambda theirs: reverse("release_download", args=[1, "json"]), QUESTION),
    "API: instances": (released, in_first_release("api:release_instances"), QUESTION),
    "API: instances as lines": (
        released,
        lambda theirs: reverse("api:release_instances", args=[1]) + "?format=jsonl",
        QUESTION,
    ),
    "API: records": (released, in_first_release("api:release_records"), QUESTION),
    "resolved passages": (released, lambda theirs: reverse("resolved_passages"), ""),
    "resolved passages of one": (
        released,
        lambda theirs: reverse("resolved_passages_edit", args=[theirs.tag.instances.first().pk]),
        QUESTION,
    ),
    "judging page": (judged, lambda theirs: reverse("judge_round", args=[Round.objects.get().key]), QUESTION),
    "export as JSON": (accepted, lambda theirs: reverse("export_now", args=["json"]), QUESTION),
    "export as CSV": (accepted, lambda theirs: reverse("export_now", args=["csv"]), QUESTION),
    "export of work": (written, lambda theirs: reverse("export_now", args=["work"]), "the Harbour Bridge"),
    "export to Label Studio": (accepted, lambda theirs: reverse("export_label_studio"), QUESTION),
    "log": (returned, lambda theirs: reverse("activity"), QUESTION),
    "page of the tag": (written, lambda theirs: reverse("tag", args=[theirs.tag_id]), "<td>Valid</td>"),
    "list of reviews": (accepted, lambda theirs: reverse("reviews") + "?state=accepted", "<td>Valid</td>"),
    "review": (accepted, lambda theirs: reverse("reviews_annotation", args=[theirs.pk]), QUESTION),
    "beside a review": (accepted, lambda theirs: reverse("reviews_evidence", args=[theirs.pk, "further"]), ""),
    "questions": (asked, lambda theirs: reverse("comments"), QUESTION),
    "conversation": (asked, lambda theirs: reverse("conversation", args=[theirs.pk]), QUESTION),
}


@pytest.mark.parametrize("door", DOORS)
def test_who_has_seen_another_annotation_is_not_given_the_tag(door, tag, theirs, bea, reviewer, admin, sign_in):
    """The role of an annotator may come later."""
    act, address, shown = DOORS[door]
    act(theirs, reviewer)
    assert not has_seen(tag, bea)
    assert shown in body(sign_in(bea).get(address(theirs)))
    bea.groups.add(Group.objects.get_or_create(name=Role.ANNOTATOR)[0])
    bea = User.objects.get(pk=bea.pk)
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=tag, annotator=bea, admin=admin)
    sign_in(bea).post(reverse("desk_next"))
    assert not tag.annotations.filter(annotator=bea).exists()


def test_that_another_has_begun_or_submitted_is_nothing_seen(tag, theirs, bea, sign_in):
    """Otherwise a look at the log would keep an admin from every second annotation."""
    set_annotations_needed(tag=tag, needed=2, admin=bea)
    submit(theirs)
    client = sign_in(bea)
    for where in (reverse("activity"), reverse("tags"), reverse("progress")):
        assert client.get(where).status_code == 200
    assert client.get(reverse("reviews") + "?state=incomplete").status_code == 200
    assert not SeenAnnotation.objects.exists()


def test_what_is_hidden_is_in_no_export_and_so_not_seen(tag, theirs, bea, admin, reviewer, sign_in):
    bea.groups.add(Group.objects.get_or_create(name=Role.ANNOTATOR)[0])
    bea = User.objects.get(pk=bea.pk)
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    begun(tag, bea, admin)
    accepted(theirs, reviewer)
    for kind in ("json", "csv", "work"):
        assert QUESTION not in body(sign_in(bea).get(reverse("export_now", args=[kind])))
    assert theirs.annotator.email not in body(sign_in(bea).get(reverse("export_label_studio")))
    assert not has_seen(tag, bea)


def test_own_work_and_commands_are_nothing_seen(theirs, other_annotator, reviewer, sign_in):
    accepted(theirs, reviewer)
    other_annotator.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    body(sign_in(User.objects.get(pk=other_annotator.pk)).get(reverse("export_now", args=["work"])))
    assert not SeenAnnotation.objects.filter(person=other_annotator).exists()


# Not chosen


@pytest.fixture
def mine(tag, theirs, annotator, admin) -> Annotation:
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    mine = begun(tag, annotator, admin)
    submit(mine)
    return mine


def test_what_is_not_chosen_is_decided(tag, mine, theirs, annotator, reviewer, sign_in):
    """Its writer learns that, is no longer blind, and can no longer take it back."""
    submit(theirs)
    assert blind_tags(annotator).filter(tag=tag).exists()
    accept_annotation(annotation=theirs, reviewer=reviewer)
    assert not blind_tags(annotator).filter(tag=tag).exists()
    client = sign_in(annotator)
    page = client.get(reverse("desk_annotation", args=[mine.pk])).text
    assert "Not chosen" in page
    assert "Take it back" not in page
    work = client.get(reverse("my_work")).text
    assert "Not chosen" in work
    assert "Take it back" not in work
    answer = client.post(reverse("desk_reopen", args=[mine.pk]))
    assert answer.status_code == 409
    assert "chose another annotation" in answer.text
    mine.refresh_from_db()
    assert mine.state == AnnotationState.SUBMITTED


def test_until_then_it_waits_and_can_be_taken_back(tag, mine, theirs, annotator, reviewer, sign_in):
    submit(theirs)
    exclude_annotation(annotation=theirs, reviewer=reviewer, reason="ambiguous")
    client = sign_in(annotator)
    assert "Take it back" in client.get(reverse("desk_annotation", args=[mine.pk])).text
    assert client.post(reverse("desk_reopen", args=[mine.pk])).status_code == 302


def test_who_has_read_the_chosen_one_does_not_take_theirs_back_when_it_is_reconsidered(
    tag, mine, theirs, annotator, reviewer, sign_in
):
    """They are blind again from then on, and their own stays as it was; a reviewer may still return it."""
    annotator.groups.add(Group.objects.get_or_create(name=Role.REVIEWER)[0])
    submit(theirs)
    accept_annotation(annotation=theirs, reviewer=reviewer)
    client = sign_in(User.objects.get(pk=annotator.pk))
    assert client.get(reverse("reviews_annotation", args=[theirs.pk])).status_code == 200
    reconsider_annotation(annotation=theirs, reviewer=reviewer, reason="the other is better")
    assert client.get(reverse("reviews_annotation", args=[theirs.pk])).status_code == 404
    answer = client.post(reverse("desk_reopen", args=[mine.pk]))
    assert answer.status_code == 409
    assert "You have seen another annotation" in answer.text
    return_annotation(annotation=mine, reviewer=reviewer, message="Which bridge?")
    assert client.get(reverse("desk_annotation", args=[mine.pk])).status_code == 200


def test_who_did_not_read_it_takes_theirs_back_when_it_is_reconsidered(mine, theirs, annotator, reviewer, sign_in):
    submit(theirs)
    accept_annotation(annotation=theirs, reviewer=reviewer)
    reconsider_annotation(annotation=theirs, reviewer=reviewer, reason="the other is better")
    assert sign_in(annotator).post(reverse("desk_reopen", args=[mine.pk])).status_code == 302


def test_a_draft_that_can_no_longer_be_submitted_keeps_nobody_blind(tag, theirs, annotator, admin, sign_in):
    """Its writer handed the tag back, and others have annotated it since."""
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    mine = begun(tag, annotator, admin)
    sign_in(annotator).post(reverse("desk_hand_back", args=[mine.pk]))
    submit(theirs)
    assert blind_tags(annotator).filter(tag=tag).exists()
    set_annotations_needed(tag=tag, needed=1, admin=admin)
    assert not blind_tags(annotator).filter(tag=tag).exists()


def test_who_reads_another_annotation_beside_a_draft_of_theirs_does_not_take_it_up_again(
    tag, theirs, annotator, admin, sign_in
):
    """While the tag needed no second one, nothing was hidden from them."""
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    mine = begun(tag, annotator, admin)
    sign_in(annotator).post(reverse("desk_hand_back", args=[mine.pk]))
    submit(theirs)
    set_annotations_needed(tag=tag, needed=1, admin=admin)
    annotator.groups.add(Group.objects.get_or_create(name=Role.REVIEWER)[0])
    client = sign_in(User.objects.get(pk=annotator.pk))
    assert client.get(reverse("reviews_annotation", args=[theirs.pk])).status_code == 200
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    page = client.post(reverse("desk_resume", args=[mine.pk]), follow=True)
    assert "You have seen another annotation of this tag" in page.text
    assert not tag.assignments.filter(annotator=annotator).exists()
