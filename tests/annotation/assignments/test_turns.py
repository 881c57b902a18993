"""Turns, whatever annotators and an admin do in whatever order."""

from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from annotation.content.rows import content_of
from annotation.desk.assignments.ahead import claim_ahead, hand_back_ahead
from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed, unassign, unflag_tag
from annotation.desk.assignments.assignment import (
    claim_next_tag,
    flag_tag,
    hand_back,
    renew_lease,
    skip_tag,
    take_up_again,
)
from annotation.desk.assignments.queue import left_for
from annotation.desk.comments import comments
from annotation.desk.comments.comments import answer_question, ask_question, reopen_comment, resolve_comment
from annotation.desk.decisions import (
    accept_annotation,
    exclude_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.desk.drafts.drafts import save_draft
from annotation.desk.drafts.submission import submit_annotation
from annotation.models import Annotation, AnnotationState, Assignment, Comment, Skip, Tag
from annotation.tags.changes import TagAction, change_all_tags
from core.accounts.people import activate_person, deactivate_person
from core.models import Event
from tests.annotation.desk_helpers import complete_content, let_lapse, save
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.interleaving.schedules import UndoneMachine, try_schedules

# For rules about a person's draft, which `a_draft` draws.
with_drafts = precondition(lambda self: Annotation.objects.exists())
with_asks = precondition(lambda self: Comment.objects.filter(is_ask=True).exists())


def a_draft(data: st.DataObject) -> Annotation:
    return data.draw(st.sampled_from(list(Annotation.objects.select_related("annotator", "tag").order_by("pk"))))


class Turns(UndoneMachine):
    """Annotators and an admin do anything in any order; what must always hold is asked after each step."""

    people = st.integers(0, 3)
    tags = st.integers(0, 2)

    @initialize(needs=st.lists(st.integers(1, 3), min_size=3, max_size=3))
    def a_project(self, needs):
        self.annotators = [make_person(f"a{n}", "annotator") for n in range(4)]
        self.admin = make_person("boss", "admin", "reviewer")
        self.needed = needs
        self.rows = [TagFactory(annotations_needed=needed) for needed in needs]

    def tag(self, index) -> Tag:
        return Tag.objects.get(pk=self.rows[index].pk)

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

    @with_drafts
    @rule(data=st.data(), text=st.text("ab", max_size=2))
    def save_text(self, data, text):
        draft = a_draft(data)
        self.attempt(
            save_draft,
            annotation=draft,
            annotator=draft.annotator,
            content={"valid_comment": text},
            base_version=draft.version,
            operation=uuid4(),
        )

    @precondition(lambda self: Annotation.objects.filter(state__in=AnnotationState.writable()).exists())
    @rule(data=st.data())
    def submit(self, data):
        writable = Annotation.objects.filter(state__in=AnnotationState.writable()).order_by("pk")
        draft = data.draw(st.sampled_from(list(writable)))
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

    @with_drafts
    @rule(data=st.data())
    def lapse(self, data):
        let_lapse(a_draft(data))

    @with_drafts
    @rule(data=st.data())
    def renew(self, data):
        draft = a_draft(data)
        renew_lease(annotation=draft, annotator=draft.annotator)

    @with_drafts
    @rule(data=st.data(), act=st.sampled_from([skip_tag, hand_back, take_up_again, reopen_annotation]))
    def give_up_or_return_to(self, data, act):
        draft = a_draft(data)
        more = {"reason": "why not"} if act is skip_tag else {}
        self.attempt(act, annotation=draft, annotator=draft.annotator, **more)

    @with_drafts
    @rule(data=st.data())
    def look_ahead(self, data):
        draft = a_draft(data)
        got = claim_ahead(annotation=draft, annotator=draft.annotator)
        assert got is None or (got.is_writable and got.tag_id != draft.tag_id)

    @rule(person=people)
    def want_nothing_ahead(self, person):
        was_ahead = Assignment.objects.filter(annotator=self.annotators[person], is_ahead=True).exists()
        assert hand_back_ahead(annotator=self.annotators[person]) == was_ahead
        assert not Assignment.objects.filter(annotator=self.annotators[person], is_ahead=True).exists()

    @with_drafts
    @rule(data=st.data(), following=tags)
    def undo(self, data, following):
        draft = a_draft(data)
        self.attempt(
            reopen_annotation,
            annotation=draft,
            annotator=draft.annotator,
            following=Annotation.objects.filter(annotator=draft.annotator, tag=self.rows[following]).first(),
        )

    @with_drafts
    @rule(data=st.data())
    def ask(self, data):
        draft = a_draft(data)
        self.attempt(ask_question, annotation=draft, annotator=draft.annotator, text="Which year?")

    @with_asks
    @rule(data=st.data())
    def answer(self, data):
        ask = data.draw(st.sampled_from(list(Comment.objects.filter(is_ask=True).order_by("pk"))))
        if self.attempt(answer_question, ask=ask, person=self.admin, text="1903") is not None:
            assert Assignment.objects.held().filter(annotator=ask.author, tag=ask.annotation.tag).exists()

    @with_asks
    @rule(data=st.data(), act=st.sampled_from([resolve_comment, reopen_comment]))
    def resolve_or_reopen(self, data, act):
        ask = data.draw(st.sampled_from(list(Comment.objects.filter(is_ask=True).order_by("pk"))))
        self.attempt(act, comment=ask, person=self.admin)

    @with_asks
    @rule(data=st.data())
    def hand_back_what_waits(self, data):
        ask = data.draw(st.sampled_from(list(Comment.objects.filter(is_ask=True).order_by("pk"))))
        self.attempt(comments.hand_back, ask=ask, admin=self.admin)

    @rule(person=people, tag=tags)
    def flag(self, person, tag):
        self.attempt(flag_tag, tag=self.tag(tag), annotator=self.annotators[person], reason="odd")

    @rule(tag=tags)
    def unflag(self, tag):
        self.attempt(unflag_tag, tag=self.tag(tag), admin=self.admin)

    @rule(person=people, tag=tags, act=st.sampled_from([assign_tag, unassign]))
    def assign(self, person, tag, act):
        self.attempt(act, tag=self.tag(tag), annotator=self.annotators[person], admin=self.admin)

    @rule(person=people, tag=tags)
    def hand_over(self, person, tag):
        self.attempt(
            change_all_tags,
            tags=[self.tag(tag)],
            action=TagAction.HAND_OVER,
            admin=self.admin,
            annotator=self.annotators[person],
        )

    @rule(person=people)
    def close_and_open_an_account(self, person):
        deactivate_person(person=self.annotators[person], admin=self.admin)
        assert not Assignment.objects.unfinished().filter(annotator=self.annotators[person]).exists()
        activate_person(person=self.annotators[person], admin=self.admin)

    @rule(tag=tags, needed=st.integers(0, 4))
    def need(self, tag, needed):
        def set_needed():
            set_annotations_needed(tag=self.tag(tag), needed=needed, admin=self.admin)
            self.needed[tag] = needed

        self.attempt(set_needed)

    @with_drafts
    @rule(data=st.data())
    def send_back(self, data):
        self.attempt(return_annotation, annotation=a_draft(data), reviewer=self.admin, message="again")

    @with_drafts
    @rule(data=st.data(), act=st.sampled_from([accept_annotation, exclude_annotation, reconsider_annotation]))
    def decide(self, data, act):
        more = {} if act is accept_annotation else {"reason": "?"}
        self.attempt(act, annotation=a_draft(data), reviewer=self.admin, **more)

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
    try_schedules(Turns, count=15, steps=25)
