"""Turns: a tag goes to as many people as it needs, each person gets their own work first, nobody waits for a lock."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed, unassign, unflag_tag
from annotation.desk.assignments.assignment import (
    Standing,
    claim_next_tag,
    flag_tag,
    hand_back,
    renew_lease,
    skip_tag,
    take_up_again,
)
from annotation.desk.assignments.queue import left_for
from annotation.desk.decisions import reopen_annotation
from annotation.models import Annotation, Assignment, Skip, Tag
from annotation.tags.changes import set_priority
from core.models import Event, Project, Role
from core.refusals import Refusal
from tests.annotation.desk_helpers import claim, complete_content, let_lapse, save, submit
from tests.conftest import make_person
from tests.factories import TagFactory


def test_the_first_free_tag_is_claimed_by_priority_then_age(annotator, other_annotator, admin):
    TagFactory()
    old, urgent = TagFactory(), TagFactory(priority=5)
    set_priority(tag=old, priority=1, admin=admin)
    assert claim(annotator).tag == urgent
    assert claim(other_annotator).tag == old


def test_asking_again_gives_the_same_tag(annotator):
    TagFactory.create_batch(2)
    assert claim(annotator) == claim(annotator)


def test_two_people_get_two_tags_and_the_third_nothing(annotator, other_annotator, reviewer):
    TagFactory.create_batch(2)
    one, two = claim(annotator), claim(other_annotator)
    assert one.tag != two.tag
    assert claim_next_tag(annotator=reviewer) is None


def test_a_tag_that_needs_two_goes_to_two_people_once_each(annotator, other_annotator, reviewer):
    TagFactory(annotations_needed=2)
    submit(claim(annotator))
    assert claim_next_tag(annotator=annotator) is None
    assert claim(other_annotator)
    assert claim_next_tag(annotator=reviewer) is None


def test_a_claim_has_the_projects_lease(annotator):
    Project.get()
    Project.objects.update(lease_seconds=300)
    TagFactory()
    before = timezone.now()
    claim(annotator)
    ends = Assignment.objects.get().lease_expires_at
    assert ends
    left = ends - before
    assert 299 <= left.total_seconds() <= 310


def test_gone_and_flagged_tags_are_not_offered(annotator, admin):
    gone, flagged = TagFactory(gone_at=timezone.now()), TagFactory()
    flag_tag(tag=flagged, annotator=admin, reason="look at this")
    assert claim_next_tag(annotator=annotator) is None
    assert left_for(annotator) == 0
    unflag_tag(tag=Tag.objects.get(pk=flagged.pk), admin=admin)
    assert claim(annotator).tag == flagged
    assert gone.assignments.get().annotator is None


# --- leases ------------------------------------------------------------------------------------------------------


def test_a_lapsed_lease_returns_the_tag_and_keeps_the_draft(annotator, other_annotator):
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content())
    let_lapse(draft)
    taken = claim(other_annotator)
    assert taken.tag == draft.tag
    assert taken != draft
    draft.refresh_from_db()
    assert draft.version == 1
    assert claim_next_tag(annotator=annotator) is None


def test_who_comes_back_in_time_gets_the_same_draft(annotator):
    TagFactory(priority=1)
    draft = claim(annotator)
    TagFactory(priority=9)
    let_lapse(draft)
    assert claim(annotator) == draft


def test_a_draft_whose_assignment_became_free_again_comes_first(annotator, other_annotator):
    TagFactory()
    draft = claim(annotator)
    let_lapse(draft)
    taken = claim(other_annotator)
    TagFactory(priority=9)
    hand_back(annotation=taken, annotator=other_annotator)
    assert claim(annotator) == draft


def test_the_open_page_renews(annotator, other_annotator):
    TagFactory()
    draft = claim(annotator)
    let_lapse(draft)
    assert renew_lease(annotation=draft, annotator=annotator) == Standing.HELD
    assert claim_next_tag(annotator=other_annotator) is None


def test_renewing_tells_when_the_tag_is_lost_flagged_or_done(annotator, other_annotator, admin):
    TagFactory()
    draft = claim(annotator)
    let_lapse(draft)
    taken = claim(other_annotator)
    assert renew_lease(annotation=draft, annotator=annotator) == Standing.LOST
    flag_tag(tag=draft.tag, annotator=other_annotator, reason="odd")
    assert renew_lease(annotation=draft, annotator=annotator) == Standing.FLAGGED
    unflag_tag(tag=Tag.objects.get(), admin=admin)
    submit(taken)
    assert renew_lease(annotation=taken, annotator=other_annotator) == Standing.CLOSED


# --- skip, flag, release -----------------------------------------------------------------------------------------


def test_a_skipped_tag_does_not_come_back_but_goes_to_others(annotator, other_annotator):
    tag = TagFactory()
    draft = claim(annotator)
    save(draft, complete_content())
    skip_tag(annotation=draft, annotator=annotator, reason="not my field")
    assert claim_next_tag(annotator=annotator) is None
    assert claim(other_annotator).tag == tag
    assert Event.objects.about(tag).filter(action="skipped").get().message == "not my field"
    assert Annotation.objects.filter(pk=draft.pk, version=1).exists()


def test_a_skip_can_be_taken_back(annotator):
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content())
    skip_tag(annotation=draft, annotator=annotator, reason="too hard")
    assert take_up_again(annotation=draft, annotator=annotator) == Standing.HELD
    assert not Skip.objects.exists()


def test_skipping_an_untouched_tag_leaves_no_draft(annotator):
    TagFactory()
    skip_tag(annotation=claim(annotator), annotator=annotator, reason="too hard")
    assert not Annotation.objects.exists()


def test_a_flag_puts_the_tag_aside_and_frees_the_assignment(annotator, other_annotator):
    tag = TagFactory()
    draft = claim(annotator)
    save(draft, complete_content())
    flag_tag(tag=tag, annotator=annotator, reason="the tag is about the whole article")
    tag.refresh_from_db()
    assert (tag.flagged_by, tag.flag_reason) == (annotator, "the tag is about the whole article")
    assert Assignment.objects.get().annotator is None
    assert claim_next_tag(annotator=annotator) is None
    assert claim_next_tag(annotator=other_annotator) is None


@pytest.mark.parametrize("words", ["", " \n "])
def test_skip_and_flag_need_a_reason(annotator, words):
    TagFactory()
    draft = claim(annotator)
    with pytest.raises(Refusal):
        skip_tag(annotation=draft, annotator=annotator, reason=words)
    with pytest.raises(Refusal):
        flag_tag(tag=draft.tag, annotator=annotator, reason=words)


def test_what_is_submitted_can_be_neither_skipped_nor_flagged(annotator):
    TagFactory()
    draft = claim(annotator)
    submit(draft)
    with pytest.raises(Refusal, match="submitted"):
        skip_tag(annotation=draft, annotator=annotator, reason="late")
    with pytest.raises(Refusal, match="submitted"):
        flag_tag(tag=draft.tag, annotator=annotator, reason="late")


# --- what an admin decides ---------------------------------------------------------------------------------------


def test_an_assigned_tag_comes_first_and_has_no_lease(annotator, other_annotator, admin):
    first, assigned = TagFactory(priority=9), TagFactory()
    assign_tag(tag=assigned, annotator=annotator, admin=admin)
    assert claim(other_annotator).tag == first
    assert claim(annotator).tag == assigned
    assert Assignment.objects.get(annotator=annotator).lease_expires_at is None


def test_a_tag_is_assigned_only_where_an_assignment_is_free(annotator, other_annotator, admin, stranger):
    tag = TagFactory()
    with pytest.raises(Refusal, match="not an annotator"):
        assign_tag(tag=tag, annotator=stranger, admin=admin)
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    with pytest.raises(Refusal, match="no free assignment"):
        assign_tag(tag=tag, annotator=other_annotator, admin=admin)
    submit(claim(annotator))
    with pytest.raises(Refusal, match="has already annotated"):
        assign_tag(tag=tag, annotator=annotator, admin=admin)


def test_an_assignment_overrides_a_skip_and_a_lapsed_claim(annotator, other_annotator, admin):
    tag = TagFactory()
    skip_tag(annotation=claim(annotator), annotator=annotator, reason="no time")
    let_lapse(claim(other_annotator))
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    assert claim(annotator).tag == tag


def test_what_was_taken_away_goes_to_others(annotator, other_annotator, admin):
    tag = TagFactory()
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    unassign(tag=tag, annotator=annotator, admin=admin)
    assert claim_next_tag(annotator=annotator) is None
    assert claim(other_annotator).tag == tag
    with pytest.raises(Refusal, match="does not hold"):
        unassign(tag=tag, annotator=annotator, admin=admin)


@pytest.mark.django_db
@pytest.mark.parametrize("values", [{"number": 0}, {"number": 21}, {"claimed_at": timezone.now()}])
def test_the_database_refuses_an_assignment_that_cannot_be(values):
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(**{"tag": TagFactory(), "number": 2} | values)


def test_a_tag_can_need_more_and_fewer_annotations_but_not_fewer_than_are_in_use(
    annotator, other_annotator, reviewer, admin
):
    tag = TagFactory()
    claim(annotator)
    set_annotations_needed(tag=tag, needed=3, admin=admin)
    claim(other_annotator)
    with pytest.raises(Refusal, match="2 people"):
        set_annotations_needed(tag=Tag.objects.get(), needed=1, admin=admin)
    assert Tag.objects.get().annotations_needed == 3
    set_annotations_needed(tag=Tag.objects.get(), needed=2, admin=admin)
    assert claim_next_tag(annotator=reviewer) is None
    assert Assignment.objects.count() == 2
    for needed in (0, -1, 21):
        with pytest.raises(Refusal):
            set_annotations_needed(tag=tag, needed=needed, admin=admin)


def test_what_is_left_counts_own_work_and_free_tags(annotator, other_annotator):
    TagFactory.create_batch(3)
    assert left_for(annotator) == 3
    submit(claim(annotator))
    assert left_for(annotator) == 2
    claim(other_annotator)
    assert left_for(annotator) == 1


class TestBlindness:
    """A reviewer who also annotates: what they have read while reviewing, they no longer annotate."""

    @pytest.fixture
    def both(self, db):
        return make_person("beth", Role.ANNOTATOR, Role.REVIEWER)

    @pytest.fixture
    def seen(self, annotator, both, sign_in) -> Tag:
        """A tag that needs one annotation more since `both` has read the first."""
        TagFactory()
        annotation = claim(annotator)
        submit(annotation)
        page = sign_in(both).get(f"/annotation/reviews/{annotation.pk}/")
        assert page.status_code == 200
        set_annotations_needed(tag=annotation.tag, needed=2, admin=both)
        return annotation.tag

    def test_the_queue_does_not_offer_it(self, seen, both, other_annotator):
        assert claim_next_tag(annotator=both) is None
        assert left_for(both) == 0
        assert claim(other_annotator).tag == seen

    def test_an_admin_cannot_assign_it(self, seen, both, admin):
        with pytest.raises(Refusal, match="has seen another annotation of this tag"):
            assign_tag(tag=seen, annotator=both, admin=admin)

    def test_an_old_draft_does_not_get_its_assignment_back(self, seen, both):
        draft = Annotation.objects.create(tag=seen, annotator=both)
        assert renew_lease(annotation=draft, annotator=both) == Standing.SEEN
        result = save(draft, complete_content())
        assert (result.is_saved, result.standing) == (True, Standing.SEEN)
        with pytest.raises(Refusal, match="would not be independent"):
            submit(draft)

    def test_reading_ones_own_work_blinds_nobody(self, annotator, sign_in):
        beth = make_person("beth", Role.ANNOTATOR, Role.REVIEWER)
        TagFactory()
        annotation = claim(beth)
        submit(annotation)
        sign_in(beth).get(f"/annotation/reviews/{annotation.pk}/")
        reopen_annotation(annotation=annotation, annotator=beth)
        assert claim(beth) == annotation
