"""A tag is given to a person, or handed back, while another request is doing the same or closes the account."""

import pytest

from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import claim_next_tag, hand_back
from annotation.models import Assignment
from core.accounts.people import deactivate_person
from core.models import User
from core.refusals import Refusal
from tests.conftest import make_person
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> tuple[User, User]:
    return make_person("anna", "annotator"), make_person("amir", "admin")


def test_a_tag_is_not_assigned_to_an_account_that_was_just_closed(people):
    """It would never be finished, as nobody else gets it."""
    anna, amir = people
    tag = TagFactory()
    assert anna.has_role("annotator")
    deactivate_person(person=User.objects.get(pk=anna.pk), admin=amir)
    with pytest.raises(Refusal, match="anna is not an annotator"):
        assign_tag(tag=tag, annotator=anna, admin=amir)
    assert Assignment.objects.free().filter(tag=tag).exists()


def test_a_second_click_on_handing_back_does_not_speak_of_a_submission(people):
    TagFactory()
    claimed = claim_next_tag(annotator=people[0])
    hand_back(annotation=claimed, annotator=people[0])
    with pytest.raises(Refusal, match="already back in the queue"):
        hand_back(annotation=claimed, annotator=people[0])
