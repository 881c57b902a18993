"""Turns: a tag goes to as many people as it needs, each person gets their own work first, nobody waits for a lock."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from annotation.content.rows import content_of
from annotation.desk.annotations import reopen_annotation, return_annotation, save_draft, submit_annotation
from annotation.desk.assignment import (
    Standing,
    assign_tag,
    claim_next_tag,
    flag_tag,
    hand_back,
    renew_lease,
    set_annotations_needed,
    skip_tag,
    take_up_again,
    unassign,
    unflag_tag,
)
from annotation.desk.comments import answer_question, ask_question
from annotation.desk.queue import left_for
from annotation.models import Annotation, AnnotationState, Assignment, Comment, Skip, Tag
from annotation.tags.changes import set_priority
from core.models import Event, Project, Role, User
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
    with pytest.raises(Refusal, match="has annotated"):
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


# --- any order of events -----------------------------------------------------------------------------------------


class Turns(RuleBasedStateMachine):
    """Annotators and an admin do anything in any order; what must always hold is asked after each step."""

    people = st.integers(0, 3)
    tags = st.integers(0, 2)

    def __init__(self):
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def teardown(self):
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    @initialize(needs=st.lists(st.integers(1, 3), min_size=3, max_size=3))
    def a_project(self, needs):
        self.annotators = [make_person(f"a{n}", "annotator") for n in range(4)]
        self.admin = make_person("boss", "admin", "reviewer")
        self.needed = needs
        self.rows = [TagFactory(annotations_needed=needed) for needed in needs]

    def tag(self, index) -> Tag:
        return Tag.objects.get(pk=self.rows[index].pk)

    def draft(self, person, tag) -> Annotation | None:
        return Annotation.objects.filter(annotator=self.annotators[person], tag=self.rows[tag]).first()

    def attempt(self, act, **arguments):
        """A refusal is an answer like any other; it must leave everything as it was."""
        before = self.snapshot()
        try:
            with transaction.atomic():
                return act(**arguments)
        except Refusal:
            assert self.snapshot() == before
            return None

    def snapshot(self):
        return (
            list(
                Assignment.objects.order_by("pk").values_list(
                    "pk", "annotator", "done_at", "lease_expires_at", "asked_at"
                )
            ),
            list(Comment.objects.order_by("pk").values_list("pk", "resolved_at")),
            list(Annotation.objects.order_by("pk").values_list("pk", "state", "version")),
            Event.objects.count(),
        )

    @rule(person=people)
    def claim(self, person):
        annotator = self.annotators[person]
        skipped = set(Skip.objects.filter(annotator=annotator).values_list("tag", flat=True))
        waiting = set(Assignment.objects.waiting().values_list("pk", "annotator"))
        got = claim_next_tag(annotator=annotator)
        assert set(Assignment.objects.waiting().values_list("pk", "annotator")) == waiting
        if got is None:
            assert left_for(annotator) == 0
            return
        assert got.tag_id not in skipped
        assert got.is_writable
        assert Assignment.objects.held().filter(annotator=annotator, tag=got.tag).exists()

    @rule(person=people, tag=tags, text=st.text("ab", max_size=2))
    def save_text(self, person, tag, text):
        if draft := self.draft(person, tag):
            self.attempt(
                save_draft,
                annotation=draft,
                annotator=draft.annotator,
                content={"valid_comment": text},
                base_version=draft.version,
                operation=uuid4(),
            )

    @rule(person=people, tag=tags)
    def submit(self, person, tag):
        draft = self.draft(person, tag)
        if draft is None or not draft.is_writable:
            return
        content = complete_content()
        save(draft, content)
        self.attempt(
            submit_annotation,
            annotation=draft,
            annotator=draft.annotator,
            content=content,
            base_version=Annotation.objects.get(pk=draft.pk).version,
            operation=uuid4(),
        )

    @rule(person=people, tag=tags)
    def lapse(self, person, tag):
        if draft := self.draft(person, tag):
            let_lapse(draft)

    @rule(person=people, tag=tags)
    def renew(self, person, tag):
        if draft := self.draft(person, tag):
            renew_lease(annotation=draft, annotator=self.annotators[person])

    @rule(person=people, tag=tags, act=st.sampled_from([skip_tag, hand_back, take_up_again, reopen_annotation]))
    def give_up_or_return_to(self, person, tag, act):
        if draft := self.draft(person, tag):
            more = {"reason": "why not"} if act is skip_tag else {}
            self.attempt(act, annotation=draft, annotator=draft.annotator, **more)

    @rule(person=people, tag=tags)
    def ask(self, person, tag):
        if draft := self.draft(person, tag):
            self.attempt(ask_question, annotation=draft, annotator=draft.annotator, text="Which year?")

    @rule(person=people, tag=tags)
    def answer(self, person, tag):
        ask = Comment.objects.filter(annotation=self.draft(person, tag), is_ask=True).last()
        if ask is None or self.attempt(answer_question, ask=ask, person=self.admin, text="1903") is None:
            return
        assert Assignment.objects.held().filter(annotator=self.annotators[person], tag=self.rows[tag]).exists()

    @rule(person=people, tag=tags)
    def flag(self, person, tag):
        self.attempt(flag_tag, tag=self.tag(tag), annotator=self.annotators[person], reason="odd")

    @rule(tag=tags)
    def unflag(self, tag):
        self.attempt(unflag_tag, tag=self.tag(tag), admin=self.admin)

    @rule(person=people, tag=tags, act=st.sampled_from([assign_tag, unassign]))
    def assign(self, person, tag, act):
        self.attempt(act, tag=self.tag(tag), annotator=self.annotators[person], admin=self.admin)

    @rule(tag=tags, needed=st.integers(0, 4))
    def need(self, tag, needed):
        def set_needed():
            set_annotations_needed(tag=self.tag(tag), needed=needed, admin=self.admin)
            self.needed[tag] = needed

        self.attempt(set_needed)

    @rule(person=people, tag=tags)
    def send_back(self, person, tag):
        if draft := self.draft(person, tag):
            self.attempt(return_annotation, annotation=draft, reviewer=self.admin, message="again")

    @invariant()
    def a_tag_has_exactly_the_assignments_it_needs(self):
        assert [tag.assignments.count() for tag in self.rows] == self.needed

    @invariant()
    def each_submitted_annotation_has_a_done_assignment_of_its_writer_and_no_other_is_done(self):
        done = set(Assignment.objects.exclude(done_at=None).values_list("tag", "annotator"))
        submitted = Annotation.objects.exclude(state__in=AnnotationState.writable())
        assert done == set(submitted.values_list("tag", "annotator"))

    @invariant()
    def a_question_is_open_exactly_as_long_as_its_assignment_waits(self):
        asked = Comment.objects.open_asks().values_list("annotation__tag", "author")
        assert set(asked) == set(Assignment.objects.waiting().values_list("tag", "annotator"))

    @invariant()
    def the_text_of_a_draft_is_never_lost(self):
        for annotation in Annotation.objects.exclude(version=0):
            last = annotation.saves.exclude(version=None).last()
            assert last
            assert last.content["valid_comment"].strip() == content_of(annotation)["valid_comment"].strip()


@pytest.mark.django_db
def test_whatever_happens_in_whatever_order_turns_hold():
    settings_here = settings(
        max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Turns, settings=settings_here)


# --- real transactions at the same time --------------------------------------------------------------------------


def at_once(people: list[User], act) -> list:
    """`act(person)` for all of them in the same instant, each on a connection of their own."""
    barrier = Barrier(len(people))

    def run(person):
        try:
            barrier.wait()
            return act(person)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(run, people))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tags", [50, 20])
def test_of_fifty_who_ask_at_once_each_gets_a_tag_of_their_own_while_there_are_any(tags):
    people = [make_person(f"annotator{n}", "annotator") for n in range(50)]
    TagFactory.create_batch(tags)
    got = at_once(people, lambda person: claim_next_tag(annotator=person))
    claimed = [annotation.tag_id for annotation in got if annotation]
    assert len(claimed) == len(set(claimed)) == tags


@pytest.mark.django_db(transaction=True)
def test_one_person_who_asks_in_five_tabs_at_once_gets_one_tag():
    person = make_person("anna", "annotator")
    TagFactory.create_batch(5)
    got = at_once([person] * 5, lambda person: claim_next_tag(annotator=person))
    assert len({annotation.pk for annotation in got}) == 1


@pytest.mark.django_db(transaction=True)
def test_of_ten_saves_from_one_version_at_once_one_is_accepted_and_nine_are_kept():
    person = make_person("anna", "annotator")
    TagFactory()
    draft = claim(person)
    contents = iter([complete_content(valid_comment=str(n)) for n in range(10)])
    results = at_once(
        [person] * 10,
        lambda person: save_draft(
            annotation=Annotation.objects.get(pk=draft.pk),
            annotator=person,
            content=next(contents),
            base_version=0,
            operation=uuid4(),
        ),
    )
    assert sum(result.is_saved for result in results) == 1
    assert draft.saves.count() == 10


@pytest.mark.django_db(transaction=True)
def test_the_same_save_sent_five_times_at_once_is_one_save():
    person = make_person("anna", "annotator")
    TagFactory()
    draft = claim(person)
    operation = uuid4()
    results = at_once(
        [person] * 5,
        lambda person: save_draft(
            annotation=Annotation.objects.get(pk=draft.pk),
            annotator=person,
            content=complete_content(),
            base_version=0,
            operation=operation,
        ),
    )
    assert {(result.is_saved, result.version) for result in results} == {(True, 1)}
    assert draft.saves.count() == 1


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
        with pytest.raises(Refusal, match="would not be blind"):
            submit(draft)

    def test_reading_ones_own_work_blinds_nobody(self, annotator, sign_in):
        beth = make_person("beth", Role.ANNOTATOR, Role.REVIEWER)
        TagFactory()
        annotation = claim(beth)
        submit(annotation)
        sign_in(beth).get(f"/annotation/reviews/{annotation.pk}/")
        reopen_annotation(annotation=annotation, annotator=beth)
        assert claim(beth) == annotation
