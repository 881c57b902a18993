"""Two annotations of a tag become one: what is decided, what is kept of both, and what may follow."""

import pytest
from django.db import IntegrityError, transaction

from annotation.content.fields import empty_content
from annotation.content.parts import Choice, parts_of
from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import set_annotations_needed
from annotation.desk.decisions import (
    accept_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.models import Annotation, Contribution, Evidence, Passage, PassageSource, Release, ReviewState
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import create_release
from annotation.reviewing.first_submissions import first_submissions
from annotation.reviewing.merging import NotMerged, comparison_of, contributions_to, merge_annotations
from core.models import Event
from core.refusals import Forbidden, Refusal
from tests.annotation.desk_helpers import complete_content, invalid_content, submit
from tests.annotation.merging_helpers import OTHERWISE, annotated_by, merge, take
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def both(annotator, other_annotator) -> list[Annotation]:
    return annotated_by(annotator, other_annotator)


def as_it_stands(annotation: Annotation) -> object:
    """All that is stored of an annotation and its parts."""
    row = Annotation.objects.filter(pk=annotation.pk).values().get()
    parts = [
        list(rows.order_by("pk").values())
        for rows in (annotation.passages, annotation.questions, annotation.contradiction_types)
    ]
    return row, parts


def mixed(originals) -> dict[str, Choice]:
    """The confidence of the second, and a comment of the reviewer's own."""
    return {"confidence": Choice(taken=1), "valid_comment": Choice(written=("Both years are sourced.",))}


# --- What is compared ----------------------------------------------------------------------------------------------


def test_what_is_the_same_but_for_its_spelling_agrees():
    one = complete_content(valid_comment="It is “so”.")
    other = complete_content(valid_comment='it is  "so".', confidence="4")
    differ = [part.name for part in parts_of([one, other]) if not part.agree]
    assert differ == ["confidence"]


def test_questions_put_differently_stand_side_by_side_and_others_alone():
    first = complete_content(question2="How long is the bridge?", question2_answer1="10 m", question2_answer2="12 m")
    second = complete_content(
        question1="Who paid for the opening?",
        question1_answer1="Leith",
        question1_answer2="Nobody",
        question2="Was Harbour Bridge in use by 1900?",
        question2_answer1="No",
        question2_answer2="Yes",
    )
    questions = [[row[0] for row in part.values] for part in parts_of([first, second]) if part.is_question]
    assert questions == [
        ["Was the Harbour Bridge in use in 1900?", "Was Harbour Bridge in use by 1900?"],
        ["How long is the bridge?", ""],
        ["", "Who paid for the opening?"],
    ]


def test_a_field_that_all_left_empty_is_no_part():
    assert not parts_of([empty_content(), empty_content()])


# --- The merge -----------------------------------------------------------------------------------------------------


def test_a_merge_says_what_was_decided_and_is_accepted(both, reviewer):
    merged = merge(both, reviewer, but=mixed(both))
    content = content_of(Annotation.objects.with_parts().get(pk=merged.pk))
    assert content["confidence"] == "3"
    assert content["valid_comment"] == "Both years are sourced."
    assert content["question1"] == complete_content()["question1"]
    assert not content["question2"]
    assert (merged.state, merged.annotator, merged.merged_by) == ("accepted", None, reviewer)
    assert content_of(both[0])["question1"] == complete_content()["question1"]
    event = Event.objects.about(merged).get()
    assert (event.action, event.actor) == ("merged", reviewer)
    assert event.after["of"] == {str(each.pk): each.version for each in both}


def test_what_it_is_made_of_stays_as_it_was_and_is_merged(both, reviewer, annotator):
    before = [as_it_stands(each) for each in both]
    merge(both, reviewer, but=mixed(both))
    assert [as_it_stands(each) for each in both] == before
    for each in Annotation.objects.with_review_state(annotator).filter(pk__in=[one.pk for one in both]):
        assert each.review_state == ReviewState.MERGED


def test_each_field_names_those_who_contributed_it(both, reviewer, annotator, other_annotator):
    merged = merge(both, reviewer, but=mixed(both))
    people = {each.field: each.people for each in contributions_to(merged)}
    assert people["paragraphA_information"] == ["anna", "ansel"]
    assert people["question1"] == ["anna"]
    assert people["question1_answer1"] == ["anna", "ansel"]
    assert people["confidence"] == ["ansel"]
    assert people["valid_comment"] == ["rita"]
    versions = Contribution.objects.filter(original=both[1]).order_by().values_list("version", flat=True)
    assert set(versions) == {both[1].version}


def test_the_questions_of_both_can_be_kept_together(both, reviewer):
    parts = comparison_of(both[0].tag, reviewer=reviewer).parts
    only_second = next(part.name for part in parts if part.is_question and not part.values[0][0])
    merged = merge(both, reviewer, but={only_second: Choice(taken=1)})
    assert [row.text for row in merged.questions.order_by("position")] == [
        complete_content()["question1"],
        OTHERWISE["question2"],
    ]
    people = {each.field: each.people for each in contributions_to(merged)}
    assert people["question2"] == ["ansel"]


def test_a_passage_keeps_where_it_was_selected(both, reviewer):
    page = Evidence.objects.create(tag=both[0].tag, kind="article", rendering="paragraph", title="Harbour Bridge")
    passage = Passage.objects.get(annotation=both[0], position=1)
    PassageSource.objects.create(passage=passage, evidence=page, start=0, end=9, text="It opened", kind="text")
    merged = merge(both, reviewer, but=mixed(both))
    copied = PassageSource.objects.get(passage__annotation=merged)
    assert (copied.evidence, copied.start, copied.end) == (page, 0, 9)
    assert PassageSource.objects.get(passage=passage)


def test_where_all_is_taken_from_one_this_one_is_accepted(both, reviewer):
    accepted = merge(both, reviewer, of=1)
    assert accepted == both[1]
    accepted.refresh_from_db()
    assert (accepted.state, accepted.reviewed_by) == ("accepted", reviewer)
    assert not Annotation.objects.filter(merged_by__isnull=False).exists()


def test_three_annotations_can_become_one(annotator, other_annotator, reviewer):
    third = make_person("alva", "annotator")
    contents = [complete_content(), complete_content(**OTHERWISE), complete_content(confidence="1")]
    three = annotated_by(annotator, other_annotator, third, contents=contents)
    merged = merge(three, reviewer, but={"confidence": Choice(taken=2)}, of=1)
    assert {each.field: each.people for each in contributions_to(merged)}["confidence"] == ["alva"]


def test_one_calls_it_invalid_and_the_reviewer_agrees(annotator, other_annotator, reviewer):
    both = annotated_by(annotator, other_annotator, contents=[complete_content(), invalid_content()])
    choices = {"wikitag_label_valid": Choice(taken=1), "valid_comment": Choice(written=("The same year.",))}
    versions = {each.pk: each.version for each in both}
    merged = merge_annotations(tag=both[0].tag, reviewer=reviewer, choices=choices, seen_versions=versions)
    assert (merged.validity, merged.questions.count()) == ("Invalid", 0)


def test_a_contradiction_within_one_passage_needs_no_second(annotator, other_annotator, reviewer):
    same = complete_content(wikitag_label_samepassage="Same", relevantInfo_comment_B_Span="", confidence="2")
    both = annotated_by(annotator, other_annotator, contents=[complete_content(), same])
    choices = {name: choice for name, choice in take(both[1], reviewer).items() if not name.startswith("paragraphB_")}
    choices["confidence"] = Choice(taken=0)
    versions = {each.pk: each.version for each in both}
    merged = merge_annotations(tag=both[0].tag, reviewer=reviewer, choices=choices, seen_versions=versions)
    one, two = merged.passages.order_by("position")
    assert one.text == two.text


# --- What is refused -----------------------------------------------------------------------------------------------


def test_what_is_undecided_is_named(both, reviewer):
    with pytest.raises(NotMerged) as refused:
        merge_annotations(
            tag=both[0].tag, reviewer=reviewer, choices={}, seen_versions={each.pk: each.version for each in both}
        )
    assert "confidence" in refused.value.problems
    assert "paragraphA_information" not in refused.value.problems
    assert "Confidence: Decide on this." in refused.value.message
    assert Annotation.objects.count() == 2


def test_a_merge_must_be_fit_to_be_submitted(both, reviewer):
    with pytest.raises(NotMerged) as refused:
        merge(both, reviewer, but={"question1": Choice(written=("Why?", "No", "No"))})
    assert list(refused.value.problems) == ["question1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonsense": Choice(taken=0)},
        {"question1": Choice(written=("Why?",))},
        {"confidence": Choice(written=("9",))},
        {"valid_comment": Choice(written=("a\0b",))},
        {"Contradict type I": Choice(written=(["NO SUCH"],))},
    ],
)
def test_a_choice_that_the_form_does_not_have_is_refused(both, reviewer, wrong):
    with pytest.raises(Refusal) as refused:
        merge(both, reviewer, but=wrong)
    assert refused.value.status == 400
    assert Annotation.objects.count() == 2


def test_who_wrote_one_of_them_cannot_merge_them(both, reviewer, annotator):
    annotator.groups.add(*reviewer.groups.all())
    with pytest.raises(Forbidden):
        comparison_of(both[0].tag, reviewer=annotator)


def test_nothing_is_merged_while_one_still_writes(annotator, other_annotator, reviewer):
    tag = TagFactory(annotations_needed=2)
    annotated_by(annotator, contents=[complete_content()], tag=tag)
    with pytest.raises(Refusal, match="still writing"):
        comparison_of(tag, reviewer=reviewer)


def test_an_annotation_that_changed_since_it_was_shown_is_not_merged(both, reviewer, annotator):
    choices = take(both[0], reviewer, but=mixed(both))
    seen = {each.pk: each.version for each in both}
    reopen_annotation(annotation=both[0], annotator=annotator)
    submit(both[0], complete_content(confidence="2"))
    with pytest.raises(Refusal, match="changed since"):
        merge_annotations(tag=both[0].tag, reviewer=reviewer, choices=choices, seen_versions=seen)


def test_what_was_merged_can_neither_be_taken_back_nor_returned(both, reviewer, annotator):
    merge(both, reviewer, but=mixed(both))
    with pytest.raises(Refusal, match="merged them"):
        reopen_annotation(annotation=both[0], annotator=annotator)
    with pytest.raises(Refusal, match="a merge, is accepted"):
        return_annotation(annotation=both[0], reviewer=reviewer, message="Which bridge?")


def test_a_contributor_does_not_decide_on_the_merge(both, reviewer, annotator):
    merged = merge(both, reviewer, but=mixed(both))
    with pytest.raises(Forbidden):
        reconsider_annotation(annotation=merged, reviewer=annotator, reason="Mine was better.")


def test_a_merge_has_nobody_to_return_it_to(both, reviewer):
    merged = merge(both, reviewer, but=mixed(both))
    reconsider_annotation(annotation=merged, reviewer=reviewer, reason="Too hasty.")
    with pytest.raises(Refusal, match="no annotator to return it to"):
        return_annotation(annotation=merged, reviewer=reviewer, message="Which bridge?")


# --- What may follow -----------------------------------------------------------------------------------------------


def test_a_reconsidered_merge_is_written_anew_by_the_next(both, reviewer, other_reviewer):
    merged = merge(both, reviewer, but=mixed(both))
    reconsider_annotation(annotation=merged, reviewer=other_reviewer, reason="Too hasty.")
    again = merge(both, other_reviewer, but={"confidence": Choice(taken=1)})
    assert (again.pk, again.version, again.merged_by) == (merged.pk, 2, other_reviewer)
    people = {each.field: each.people for each in contributions_to(again)}
    assert people["valid_comment"] == ["anna"]
    assert Event.objects.about(again).order_by("pk").last().before == {"state": "submitted", "version": 1}


def test_a_reconsidered_merge_can_be_accepted_as_long_as_nothing_changed(both, reviewer, annotator):
    merged = merge(both, reviewer, but=mixed(both))
    reconsider_annotation(annotation=merged, reviewer=reviewer, reason="Too hasty.")
    accept_annotation(annotation=merged, reviewer=reviewer)
    reconsider_annotation(annotation=merged, reviewer=reviewer, reason="Again.")
    return_annotation(annotation=both[0], reviewer=reviewer, message="Which bridge?")
    with pytest.raises(Refusal, match="has since changed"):
        accept_annotation(annotation=merged, reviewer=reviewer)
    submit(both[0], complete_content(confidence="2"))
    with pytest.raises(Refusal, match="has since changed"):
        accept_annotation(annotation=merged, reviewer=reviewer)
    both[0].refresh_from_db()
    assert merge(both, reviewer, but=mixed(both)).state == "accepted"


def test_one_more_annotation_after_the_merge_is_merged_too_once_it_is_reconsidered(both, reviewer, admin):
    merged = merge(both, reviewer, but=mixed(both))
    third = make_person("alva", "annotator")
    set_annotations_needed(tag=both[0].tag, needed=3, admin=admin)
    annotated_by(third, contents=[complete_content(confidence="1")], tag=both[0].tag)
    reconsider_annotation(annotation=merged, reviewer=reviewer, reason="A third is in.")
    assert len(comparison_of(both[0].tag, reviewer=reviewer).originals) == 3


def test_a_release_holds_the_merge_and_does_not_change_after_it(both, reviewer, admin):
    merged = merge(both, reviewer, but=mixed(both))
    first = create_release(name="First", notes="", admin=admin)
    assert first.how_made["annotators"] == 2
    assert first.how_made["merged"] == 1
    assert first.records.get().annotation_id == merged.pk
    reconsider_annotation(annotation=merged, reviewer=reviewer, reason="Too hasty.")
    merge(both, reviewer, but={"question1": Choice(taken=1), "confidence": Choice(taken=0)})
    second = create_release(name="Second", notes="", admin=admin)
    assert second.content_hash != first.content_hash
    assert content_hash_of(Release.objects.get(pk=first.pk)) == first.content_hash


def test_agreement_of_annotators_reads_what_they_wrote(both, reviewer):
    merge(both, reviewer, but=mixed(both))
    (compared,) = first_submissions([both[0].tag_id], reader=None)
    assert [each.annotation for each in compared] == [each.pk for each in both]
    assert [each.content["confidence"] for each in compared] == ["5", "3"]


# --- In the database -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{"state": "draft"}, {"state": "returned"}, {"imported_record": "{}"}])
def test_a_merge_is_nobodys_and_never_a_draft(reviewer, values):
    changes = {"state": "accepted", "review_message": "?"} | values
    with pytest.raises(IntegrityError), transaction.atomic():
        AnnotationFactory(merged_by=reviewer, **changes)
    with pytest.raises(IntegrityError), transaction.atomic():
        AnnotationFactory(merged_by=reviewer, annotator=make_person("alva"))


def test_a_tag_has_one_merge(both, reviewer):
    merge(both, reviewer, but=mixed(both))
    with pytest.raises(IntegrityError), transaction.atomic():
        AnnotationFactory(tag=both[0].tag, merged_by=reviewer, state="submitted")


def test_a_contribution_is_written_down_once(both, reviewer):
    merged = merge(both, reviewer, but=mixed(both))
    wrong = [
        {"original": both[0], "version": both[0].version, "field": "paragraphA_information"},
        {"field": "valid_comment"},
        {"original": both[0], "field": "new"},
        {"original": merged, "version": 1, "field": "new"},
    ]
    for values in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            Contribution.objects.create(annotation=merged, **values)
