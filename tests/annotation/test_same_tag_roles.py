"""Whoever annotates a tag learns nothing of the other annotation of it before their own is decided, although they
review annotations and judge responses as well: every address, before and after each act of others, byte for byte.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import reverse

from annotation.desk.annotations import (
    accept_annotation,
    exclude_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.desk.assignment import assign_tag, flag_tag, hand_back, set_annotations_needed
from annotation.desk.comments import answer_question, ask_question, write_comment
from annotation.models import Annotation, SeenAnnotation, Tag
from annotation.reviewing.edits import suggest_edit
from core.models import Role, User
from core.refusals import Refusal
from review.models import Judgment
from tests.annotation.desk_helpers import complete_content, save, submit
from tests.core.test_access import LISTED, address, example
from tests.factories import TagFactory
from tests.judging.making import make_instance
from tests.review.making import make_response, make_round, make_run
from tests.review.test_blindness import clock, seen
from tests.review.test_blindness_roles import opens

pytestmark = pytest.mark.django_db
__all__ = ["clock", "example"]

# A form's own number, drawn anew each time it is shown.
OPERATION = re.compile(rb'name="operation" value="[0-9a-f-]{36}"')
ROLES = (Role.ANNOTATOR, Role.REVIEWER)


@dataclass(frozen=True)
class Desk:
    """A tag that two annotate: Rita, who reviews as well, and Ansel. Both have begun."""

    tag: Tag
    rita: User
    ansel: User
    ralph: User
    mine: Annotation
    theirs: Annotation
    comment: int


@pytest.fixture
def desk(example, admin, reviewer, other_reviewer, other_annotator) -> Desk:
    reviewer.groups.add(Group.objects.get(name=Role.ANNOTATOR))
    reviewer = User.objects.get(pk=reviewer.pk)  # roles are looked up once
    tag = TagFactory(annotations_needed=2)
    for person in (reviewer, other_annotator):
        assign_tag(tag=tag, annotator=person, admin=admin)
        save(Annotation.objects.get(tag=tag, annotator=person), complete_content(confidence="3"))
    mine, theirs = (Annotation.objects.get(tag=tag, annotator=person) for person in (reviewer, other_annotator))
    said = write_comment(annotation=theirs, person=other_annotator, text="Which year is it?")
    return Desk(tag, reviewer, other_annotator, other_reviewer, mine, theirs, said.pk)


# How far Rita is; then what others do.
def writes(desk: Desk) -> None:
    pass


def has_submitted(desk: Desk) -> None:
    submit(desk.mine)


def submits(desk: Desk) -> None:
    submit(desk.theirs, complete_content(question1="What did the other one ask?"))


def takes_back(desk: Desk) -> None:
    submits(desk)
    reopen_annotation(annotation=desk.theirs, annotator=desk.ansel)


def asks(desk: Desk) -> None:
    write_comment(annotation=desk.theirs, person=desk.ansel, text="@rita and @ralph, look here.", field="question1")
    ask_question(annotation=desk.theirs, annotator=desk.ansel, text="Is it @rita who knows?")


def is_answered(desk: Desk) -> None:
    asks(desk)
    answer_question(ask=desk.theirs.comments.get(is_ask=True), person=desk.ralph, text="It is 1903, @rita.")


def hands_it_back(desk: Desk) -> None:
    hand_back(annotation=desk.theirs, annotator=desk.ansel)


def suggested(desk: Desk) -> None:
    submits(desk)
    desk.theirs.refresh_from_db()
    values = {"field": "question1", "text": "Was it open in 1900?", "seen_version": desk.theirs.version}
    suggest_edit(annotation=desk.theirs, reviewer=desk.ralph, **values)
    write_comment(annotation=desk.theirs, person=desk.ralph, text="@rita agrees?")


def accepted(desk: Desk) -> None:
    submits(desk)
    accept_annotation(annotation=desk.theirs, reviewer=desk.ralph)


def returned(desk: Desk) -> None:
    suggested(desk)
    return_annotation(annotation=desk.theirs, reviewer=desk.ralph, message="Which bridge?")


def excluded(desk: Desk) -> None:
    submits(desk)
    exclude_annotation(annotation=desk.theirs, reviewer=desk.ralph, reason="ambiguous")


# Each a world of its own; what leaves as much behind as another is not tried beside it.
WHILE_RITA_WRITES = [submits, takes_back, asks, is_answered, hands_it_back]
ONCE_RITA_HAS_SUBMITTED = [asks, suggested, accepted, returned, excluded]


def doors(desk: Desk, rows: dict) -> Iterator[tuple[str, Callable]]:
    own = {"own_annotation": desk.mine.pk, "comment": desk.comment, "tag": desk.tag.pk, "submitted": desk.mine.pk}
    others = own | {"own_annotation": desk.theirs.pk, "submitted": desk.theirs.pk}
    names = [name for name in LISTED if not name.startswith("account_") and opens(name, ROLES)]
    found = {address(name, rows | each) for name in names for each in (own, others)}
    found |= {f"{reverse('reviews')}?state={state}" for state in ("incomplete", "returned", "accepted", "excluded")}
    found |= {f"{reverse('reviews')}?mine=no", f"{reverse('reviews_next')}?after={desk.mine.pk}"}
    for where in sorted(found):
        yield f"GET {where}", lambda client, where=where: client.get(where)
        if where.startswith(("/annotation/desk/", "/annotation/reviews/", "/annotation/comments/")):
            yield f"POST {where}", lambda client, where=where: client.post(where, {"text": "x", "reason": "x"})


def in_world(act: Callable | None, desk: Desk, listed: list[tuple[str, Callable]], sign_in) -> dict[str, tuple]:
    with transaction.atomic():
        if act is not None:
            act(desk)
        client = sign_in(desk.rita)
        client.get("/account/")
        shown = {}
        for name, door in listed:
            with transaction.atomic():
                status, headers, body, _ = seen(door, client)
                transaction.set_rollback(True)
            shown[name] = (status, headers, OPERATION.sub(b"", body))
        transaction.set_rollback(True)
    return shown


@pytest.mark.parametrize(("stage", "acts"), [(writes, WHILE_RITA_WRITES), (has_submitted, ONCE_RITA_HAS_SUBMITTED)])
def test_nothing_of_the_other_annotation_shows_anywhere(stage, acts, desk, example, sign_in):
    stage(desk)
    nothing = in_world(None, desk, list(doors(desk, example)), sign_in)
    # What takes no such method is tried once.
    listed = [(name, door) for name, door in doors(desk, example) if nothing[name][0] != 405]
    told = {}
    for act in acts:
        shown = in_world(act, desk, listed, sign_in)
        if names := [name for name in shown if shown[name] != nothing[name]]:
            told[act.__name__] = names
    assert told == {}


def test_a_flag_says_that_it_is_there_and_to_others_not_why(desk, sign_in):
    flag_tag(tag=desk.tag, annotator=desk.ansel, reason="The years agree once one reads on.")
    page = sign_in(desk.rita).get(reverse("desk_annotation", args=[desk.mine.pk])).content.decode()
    assert "This tag is flagged" in page
    assert "The years agree" not in page
    page = sign_in(desk.ansel).get(reverse("desk_annotation", args=[desk.theirs.pk])).content.decode()
    assert "The years agree" in page


def test_who_has_read_another_annotation_is_not_handed_the_tag(desk, admin, sign_in):
    """Ralph annotates, too, but read Ansel's in a review; neither the queue nor an admin gives him the tag."""
    submit(desk.theirs)
    submit(desk.mine)
    page = sign_in(desk.ralph).get(reverse("reviews_annotation", args=[desk.theirs.pk]))
    assert page.status_code == 200
    assert SeenAnnotation.objects.filter(person=desk.ralph, annotation=desk.theirs).exists()
    desk.ralph.groups.add(Group.objects.get(name=Role.ANNOTATOR))
    ralph = User.objects.get(pk=desk.ralph.pk)
    set_annotations_needed(tag=desk.tag, needed=3, admin=admin)
    with pytest.raises(Refusal, match="has seen another annotation"):
        assign_tag(tag=desk.tag, annotator=ralph, admin=admin)
    sign_in(ralph).post(reverse("desk_next"))
    assert not desk.tag.annotations.filter(annotator=ralph).exists()


def test_who_annotated_a_tag_may_judge_responses_to_its_instances(desk, admin):
    """Annotating tells nothing of what a model answers, nor of what others say of the answer."""
    submit(desk.mine)
    run = make_run(0)
    make_response(run, make_instance(1, tag=desk.tag))
    round = make_round(admin, [desk.rita, desk.ralph], run)
    assert Judgment.objects.filter(round=round, reviewer=desk.rita).count() == 1
