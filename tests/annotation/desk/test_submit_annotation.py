"""Submitting checks everything at once; a reviewer accepts, returns or excludes, and each step is logged."""

from uuid import uuid4

import pytest

from annotation.content.checks import answer_key, find_problems, is_placeholder
from annotation.content.fields import empty_content
from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import set_annotations_needed
from annotation.desk.assignments.assignment import claim_next_tag, flag_tag
from annotation.desk.decisions import (
    accept_annotation,
    exclude_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.models import Annotation, AnnotationState, Assignment
from core.models import Event
from core.refusals import Forbidden, Refusal
from tests.annotation.desk_helpers import claim, complete_content, invalid_content, let_lapse, save, submit
from tests.factories import AnnotationFactory, TagFactory


@pytest.fixture
def annotation(annotator) -> Annotation:
    TagFactory()
    return claim(annotator)


def fields_with_problems(**changes) -> list[str]:
    return [problem.field for problem in find_problems(complete_content(**changes))]


# --- what is checked ---------------------------------------------------------------------------------------------


def test_a_complete_annotation_has_no_problems():
    assert fields_with_problems() == []


def test_everything_that_is_missing_is_told_at_once():
    problems = find_problems(empty_content() | {"wikitag_label_valid": "Valid"})
    assert [problem.field for problem in problems] == [
        "paragraphA_article",
        "paragraphA_information",
        "wikitag_label_samepassage",
        "paragraphB_article",
        "paragraphB_information",
        "relevantInfo_comment_A",
        "relevantInfo_comment_B",
        "Contradict type I",
        "Contradict type II",
        "Contradict type III",
        "Contradict type IV",
        "question1",
        "confidence",
    ]
    assert [problem.step for problem in problems] == [2, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 5, 6]


def test_nothing_but_validity_is_asked_before_validity_is_said():
    assert [problem.field for problem in find_problems(empty_content())] == ["wikitag_label_valid"]


def test_an_invalid_tag_needs_step_1_only_but_the_reason():
    assert find_problems(invalid_content()) == []
    assert [p.field for p in find_problems(invalid_content(valid_comment=" \n"))] == ["valid_comment"]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"Contradict type II": ["TT", "TI"]}, ["Contradict type II"]),
        ({"Contradict type IV": ["EXP", "IMP"]}, ["Contradict type IV"]),
        ({"Contradict type I": ["DATE", "NUM", "DISC-REL"]}, []),
        ({"relevantInfo_comment_A_Span": "opened in 1904"}, ["relevantInfo_comment_A_Span"]),
        ({"relevantInfo_comment_A_Span": "in 1899"}, ["relevantInfo_comment_A_Span"]),
        ({"relevantInfo_comment_A_Span": ""}, []),
        ({"relevantInfo_comment_A_Span": "  Opened\n in\u00a01903 "}, []),
        ({"relevantInfo_comment_B_Span": "crossed the Harbour Bridge"}, []),  # in the stand-alone version only
        ({"relevantInfo_comment_A_Span": "opened in\ngreat applause"}, []),  # two pieces
        ({"relevantInfo_comment_A_Span": "opened in\nsmall applause"}, ["relevantInfo_comment_A_Span"]),
        ({"question1_answer2": "no."}, ["question1_answer2"]),
        ({"question1_answer1": ""}, ["question1_answer1"]),
        ({"question1": ""}, ["question1"]),
        ({"question1": "", "question1_answer1": "", "question1_answer2": ""}, ["question1"]),
        ({"question3": "A third?", "question3_answer1": "1903"}, ["question3_answer2"]),
        ({"question2_answer1": "add the answer based on Passage 1"}, []),
        ({"question1_answer1": "Add the answer  based on passage 1"}, ["question1_answer1"]),
        ({"paragraphA_information": "\u200b \u00a0"}, ["paragraphA_information"]),
        ({"paragraphB_article": "River Ferry"}, ["origin_confirmed"]),
        ({"paragraphB_article": "River Ferry", "origin_confirmed": "1"}, []),
        ({"paragraphB_article": "River Ferry", "Contradict type III": ["CROSS"]}, []),
        ({"Contradict type III": ["CROSS"]}, ["origin_confirmed"]),
        ({"paragraphB_article": "harbour_Bridge "}, []),
        ({"confidence": ""}, ["confidence"]),
    ],
)
def test_each_rule_points_at_its_field(changes, fields):
    span_of_1 = {"relevantInfo_comment_A_Span": ""} if "paragraphA_information" in changes else {}
    assert fields_with_problems(**span_of_1, **changes) == fields


def test_the_same_passage_twice_needs_one_text_only():
    changes = {
        "wikitag_label_samepassage": "Same",
        "paragraphB_article": "",
        "paragraphB_information": "",
        "paragraphB_information_standalone": "",
        "relevantInfo_comment_B_Span": "great applause",
    }
    assert fields_with_problems(**changes) == []
    assert fields_with_problems(**changes | {"relevantInfo_comment_B_Span": "in 1899"}) == [
        "relevantInfo_comment_B_Span"
    ]


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("The dog.", "the  DOG", True),
        ("1990–1995", "1990-1995", True),
        ("“Yes”", "yes!", True),
        ("1.5", "15", False),
        ("-5", "5", False),
        ("10²", "102", False),
        ("café", "cafe", False),
        ("?", "!", False),
    ],
)
def test_answers_are_compared_without_case_blanks_and_punctuation(one, other, are_alike):
    assert (answer_key(one) == answer_key(other)) is are_alike


def test_a_persons_own_words_are_no_placeholder():
    assert is_placeholder("add the answer based on Passage 2")
    assert not is_placeholder("add the answers of both studies and you get 12")


def test_a_warning_stands_at_the_box_that_confirms_it():
    (warning,) = find_problems(complete_content(paragraphB_article="River Ferry"))
    assert warning.field == "origin_confirmed"
    assert "River Ferry" in warning.message


# --- what submitting does ----------------------------------------------------------------------------------------


def test_submitting_stores_the_form_tidied(annotation):
    content = complete_content(
        valid_comment="  kept ",
        question1_answer1="No ",
        question2_answer1="add the answer based on Passage 1",
        question4="A fourth?",
        question4_answer1="1",
        question4_answer2="2",
        origin_confirmed="1",
    )
    assert submit(annotation, content).is_submitted
    annotation.refresh_from_db()
    stored = content_of(annotation)
    assert annotation.state == AnnotationState.SUBMITTED
    assert (stored["valid_comment"], stored["question1_answer1"]) == ("kept", "No")
    assert (stored["question2"], stored["question4"]) == ("A fourth?", "")
    assert stored["origin_confirmed"] == ""


def test_the_same_passage_is_stored_for_both(annotation):
    submit(annotation, complete_content(wikitag_label_samepassage="Same", relevantInfo_comment_B_Span=""))
    one, two = annotation.passages.all()
    assert (one.article_title, one.text, one.standalone_text) == (two.article_title, two.text, two.standalone_text)


def test_problems_leave_a_saved_draft(annotation):
    result = submit(annotation, complete_content(confidence=""))
    assert not result.is_submitted
    assert [problem.field for problem in result.problems] == ["confidence"]
    annotation.refresh_from_db()
    assert (annotation.state, annotation.version) == (AnnotationState.DRAFT, 1)
    assert content_of(annotation)["question1"]


def test_a_stale_form_is_not_submitted(annotation):
    save(annotation, complete_content(valid_comment="newer"))
    result = submit(annotation, base=0)
    assert not result.is_submitted
    assert not result.save.is_saved
    annotation.refresh_from_db()
    assert annotation.state == AnnotationState.DRAFT


def test_a_second_click_gets_the_answer_of_the_first(annotation):
    operation = uuid4()
    assert submit(annotation, operation=operation, base=0).is_submitted
    assert submit(annotation, operation=operation, base=0).is_submitted
    assert Event.objects.about(annotation).filter(action="submitted").count() == 1


def test_a_submission_sent_again_late_does_not_submit_what_was_taken_back(annotation, annotator):
    operation = uuid4()
    submit(annotation, operation=operation, base=0)
    reopen_annotation(annotation=annotation, annotator=annotator)
    assert submit(annotation, operation=operation, base=0).is_submitted
    annotation.refresh_from_db()
    assert annotation.state == AnnotationState.DRAFT


def test_a_lapsed_lease_does_not_hinder_while_the_assignment_is_free(annotation):
    let_lapse(annotation)
    assert submit(annotation).is_submitted


def test_nobody_submits_more_than_the_tag_needs(annotation, other_annotator):
    let_lapse(annotation)
    other = claim(other_annotator)
    with pytest.raises(Refusal, match="other annotators have taken it"):
        submit(annotation)
    annotation.refresh_from_db()
    assert annotation.state == AnnotationState.DRAFT
    assert content_of(annotation)["confidence"] == "5"
    assert submit(other).is_submitted


def test_a_assignment_that_was_added_lets_the_waiting_draft_in(annotation, other_annotator, admin):
    let_lapse(annotation)
    claim(other_annotator)
    set_annotations_needed(tag=annotation.tag, needed=2, admin=admin)
    assert submit(annotation).is_submitted


def test_a_flagged_tag_is_not_submitted(annotation, annotator):
    save(annotation, complete_content())
    flag_tag(tag=annotation.tag, annotator=annotator, reason="two tags in one")
    with pytest.raises(Refusal, match="flagged"):
        submit(annotation)


def test_one_can_take_back_what_nobody_has_looked_at(annotation, annotator, other_annotator):
    submit(annotation)
    reopen_annotation(annotation=annotation, annotator=annotator)
    assert annotation.state == AnnotationState.DRAFT
    assert claim_next_tag(annotator=other_annotator) is None
    assert claim(annotator) == annotation
    assert submit(annotation, complete_content(confidence="3")).is_submitted


# --- the annotation reviews ----------------------------------------------------------------------------------------


def test_each_change_of_state_is_logged_with_who_and_from_what_to_what(annotation, annotator, reviewer):
    submit(annotation)
    return_annotation(annotation=annotation, reviewer=reviewer, message="Passage 2 is too long.")
    submit(annotation)
    accept_annotation(annotation=annotation, reviewer=reviewer)
    reconsider_annotation(annotation=annotation, reviewer=reviewer, reason="a reader wrote in")
    exclude_annotation(annotation=annotation, reviewer=reviewer, reason="ambiguous")
    told = [
        (event.action, event.actor, event.before["state"], event.after["state"], event.message)
        for event in Event.objects.about(annotation)
    ]
    assert told == [
        ("submitted", annotator, "draft", "submitted", ""),
        ("returned", reviewer, "submitted", "returned", "Passage 2 is too long."),
        ("submitted", annotator, "returned", "submitted", ""),
        ("accepted", reviewer, "submitted", "accepted", ""),
        ("reconsidered", reviewer, "accepted", "submitted", "a reader wrote in"),
        ("excluded", reviewer, "submitted", "excluded", "ambiguous"),
    ]


def test_a_returned_annotation_is_its_writers_next_tag(annotation, annotator, other_annotator, reviewer):
    submit(annotation)
    TagFactory(priority=10)
    return_annotation(annotation=annotation, reviewer=reviewer, message="Say which year.")
    assert claim(annotator) == annotation
    assert claim(other_annotator).tag != annotation.tag
    assert claim(annotator).review_message == "Say which year."


def test_nobody_reviews_their_own(annotation, annotator):
    submit(annotation)
    with pytest.raises(Forbidden):
        accept_annotation(annotation=annotation, reviewer=annotator)
    with pytest.raises(Forbidden):
        return_annotation(annotation=annotation, reviewer=annotator, message="x")
    with pytest.raises(Forbidden):
        exclude_annotation(annotation=annotation, reviewer=annotator, reason="x")


def test_what_was_decided_cannot_be_decided_or_taken_back_again(annotation, annotator, reviewer, other_reviewer):
    submit(annotation)
    accept_annotation(annotation=annotation, reviewer=reviewer)
    with pytest.raises(Refusal, match="Accepted"):
        exclude_annotation(annotation=annotation, reviewer=other_reviewer, reason="too late")
    with pytest.raises(Refusal, match="Accepted"):
        reopen_annotation(annotation=annotation, annotator=annotator)


def test_a_reviewer_decides_only_on_what_they_saw(annotation, annotator, reviewer):
    submit(annotation)
    annotation.refresh_from_db()
    seen = annotation.version
    reopen_annotation(annotation=annotation, annotator=annotator)
    submit(annotation, complete_content(confidence="1"))
    with pytest.raises(Refusal, match="changed this annotation since"):
        accept_annotation(annotation=annotation, reviewer=reviewer, seen_version=seen)


def test_one_annotation_of_a_tag_is_accepted(annotator, other_annotator, reviewer):
    TagFactory(annotations_needed=2)
    for person in (annotator, other_annotator):
        submit(claim(person))
    one, two = Annotation.objects.all()
    accept_annotation(annotation=one, reviewer=reviewer)
    with pytest.raises(Refusal, match="only one"):
        accept_annotation(annotation=two, reviewer=reviewer)
    exclude_annotation(annotation=two, reviewer=reviewer, reason="the other one is accepted")


@pytest.mark.parametrize("words", ["", "  \n"])
def test_a_return_and_an_exclusion_need_words(annotation, reviewer, words):
    submit(annotation)
    with pytest.raises(Refusal):
        return_annotation(annotation=annotation, reviewer=reviewer, message=words)
    with pytest.raises(Refusal):
        exclude_annotation(annotation=annotation, reviewer=reviewer, reason=words)


def test_an_imported_annotation_has_nobody_to_return_to(reviewer):
    annotation = AnnotationFactory(state=AnnotationState.SUBMITTED)
    with pytest.raises(Refusal, match="imported"):
        return_annotation(annotation=annotation, reviewer=reviewer, message="x")
    accept_annotation(annotation=annotation, reviewer=reviewer)


def test_a_submitted_tag_is_done_for_the_queue(annotation, other_annotator):
    submit(annotation)
    assert Assignment.objects.get().done_at
    assert claim_next_tag(annotator=other_annotator) is None
