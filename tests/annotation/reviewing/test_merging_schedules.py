"""Two annotators and two reviewers do anything in any order, and the merge of a tag stays what it says it is."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from annotation.content.parts import Choice
from annotation.desk.decisions import (
    accept_annotation,
    exclude_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.models import Annotation, Contribution, Release
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import create_release
from annotation.reviewing.merging import comparison_of, merge_annotations
from core.models import Event
from core.refusals import Refusal
from tests.annotation.desk_helpers import complete_content, submit
from tests.annotation.merging_helpers import annotated_by, take
from tests.annotation.reviewing.test_merging import as_it_stands
from tests.conftest import make_person
from tests.interleaving.schedules import UndoneMachine, try_schedules

pytestmark = pytest.mark.django_db


class Decisions(UndoneMachine):
    """Two annotators and two reviewers do anything in any order with the annotations of one tag."""

    who = st.integers(0, 1)

    @initialize(merged_by=st.sampled_from([None, 0, 1]))
    def both_are_in(self, merged_by):
        """And perhaps they are merged, or many schedules would end without a merge."""
        self.annotators = [make_person(f"a{n}", "annotator") for n in range(2)]
        self.reviewers = [make_person(f"r{n}", "reviewer") for n in range(2)]
        self.admin = make_person("boss", "admin")
        self.originals = [each.pk for each in annotated_by(*self.annotators)]
        self.releases: list[Release] = []
        if merged_by is not None:
            self.merge_both(merged_by, of=0)

    def one(self, index: int) -> Annotation:
        return Annotation.objects.get(pk=self.originals[index])

    def merge(self) -> Annotation | None:
        return Annotation.objects.filter(merged_by__isnull=False).first()

    def snapshot(self):
        rows = Annotation.objects.order_by("pk").values_list("pk", "state", "version")
        return list(rows), list(Contribution.objects.order_by("pk").values_list()), Event.objects.count()

    @rule(who=who)
    def take_back(self, who):
        self.attempt(reopen_annotation, annotation=self.one(who), annotator=self.annotators[who])

    @precondition(lambda self: any(self.one(n).is_writable for n in (0, 1)))
    @rule(confidence=st.sampled_from("124"))
    def submit(self, confidence):
        draft = next(one for one in (self.one(0), self.one(1)) if one.is_writable)
        self.attempt(submit, annotation=draft, content=complete_content(confidence=confidence))

    @rule(who=who, reviewer=who)
    def accept_one(self, who, reviewer):
        self.attempt(accept_annotation, annotation=self.one(who), reviewer=self.reviewers[reviewer])

    @rule(who=who, reviewer=who)
    def return_one(self, who, reviewer):
        self.attempt(return_annotation, annotation=self.one(who), reviewer=self.reviewers[reviewer], message="?")

    @rule(who=who, reviewer=who)
    def exclude_one(self, who, reviewer):
        self.attempt(exclude_annotation, annotation=self.one(who), reviewer=self.reviewers[reviewer], reason="?")

    @rule(who=who, reviewer=who)
    def reconsider_one(self, who, reviewer):
        self.attempt(reconsider_annotation, annotation=self.one(who), reviewer=self.reviewers[reviewer], reason="?")

    @rule(reviewer=who, of=who)
    def merge_both(self, reviewer, of):
        before = [as_it_stands(self.one(n)) for n in (0, 1)]
        written = {"valid_comment": Choice(written=("Both.",))}
        try:
            choices = take(self.one(of), self.reviewers[reviewer], but=written)
        except Refusal:
            assert [as_it_stands(self.one(n)) for n in (0, 1)] == before
            return
        if "valid_comment" not in {part.name for part in self.parts(reviewer)}:
            choices.pop("valid_comment")
        versions = {each.pk: each.version for each in map(self.one, (0, 1))}
        tag = self.one(0).tag
        made = self.attempt(
            merge_annotations, tag=tag, reviewer=self.reviewers[reviewer], choices=choices, seen_versions=versions
        )
        assert made is not None
        if made.is_merge:
            assert [as_it_stands(self.one(n)) for n in (0, 1)] == before

    def parts(self, reviewer):
        return comparison_of(self.one(0).tag, reviewer=self.reviewers[reviewer]).parts

    @precondition(lambda self: self.merge() is not None)
    @rule(reviewer=who, act=st.sampled_from([accept_annotation, exclude_annotation, reconsider_annotation]))
    def decide_on_the_merge(self, reviewer, act):
        words = {} if act is accept_annotation else {"reason": "?"}
        self.attempt(act, annotation=self.merge(), reviewer=self.reviewers[reviewer], **words)

    @rule()
    def release(self):
        if made := self.attempt(create_release, name="R", notes="", admin=self.admin):
            self.releases.append(made)

    @invariant()
    def at_most_one_is_accepted(self):
        assert Annotation.objects.accepted().count() <= 1

    @invariant()
    def an_accepted_merge_is_made_of_what_is_submitted(self):
        made = self.merge()
        if made is None or made.state != "accepted":
            return
        versions = dict(
            made.contributions.exclude(original=None).order_by().values_list("original", "version").distinct()
        )
        for pk, version in versions.items():
            original = Annotation.objects.get(pk=pk)
            assert (original.state in ("submitted", "excluded"), original.version) == (True, version)
        assert {row.field for row in made.contributions.all()} >= {"confidence", "question1", "valid_comment"}

    @invariant()
    def releases_do_not_change(self):
        for each in self.releases:
            assert content_hash_of(each) == each.content_hash


def test_whatever_is_done_in_whatever_order():
    try_schedules(Decisions, count=10, steps=15)
