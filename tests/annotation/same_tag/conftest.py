"""The tag that two annotate, made once for all tests of a module."""

import pytest

from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.comments.about_annotations import AboutAnnotation
from annotation.desk.comments.comments import write_comment
from annotation.models import Annotation
from core.models import Role, User
from judging.models import CallState
from tests.annotation.desk_helpers import complete_content, save
from tests.annotation.same_tag.desk import Desk, call_for, read_anew, with_roles
from tests.factories import TagFactory


@pytest.fixture(scope="module")
def made(world) -> Desk:
    """Made once. Each test has it anew, as it leaves nothing behind."""
    rita, ansel, ralph, admin = (User.objects.get(username=name) for name in ("rita", "ansel", "ralph", "amir"))
    rita = with_roles(rita, Role.REVIEWER, Role.ANNOTATOR)
    tag = TagFactory(annotations_needed=2)
    for person in (rita, ansel):
        assign_tag(tag=tag, annotator=person, admin=admin)
        save(Annotation.objects.get(tag=tag, annotator=person), complete_content(confidence="3"))
    mine, theirs = (Annotation.objects.get(tag=tag, annotator=person) for person in (rita, ansel))
    said = write_comment(topic=AboutAnnotation(theirs), person=ansel, text="Which year is it?")
    call_for(mine, "A", CallState.FAILED)
    return Desk(tag, rita, ansel, ralph, mine, theirs, said.pk)


@pytest.fixture
def desk(made, db) -> Desk:
    return read_anew(made)


@pytest.fixture
def admin(actors) -> User:
    return actors[Role.ADMIN]
