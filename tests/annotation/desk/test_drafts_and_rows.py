"""While an annotation is written its draft counts, once it is submitted its rows; nothing is lost in between."""

import json
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.content.fields import differing_fields
from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import assign_tag, unassign
from annotation.desk.assignments.assignment import Standing, take_up_again
from annotation.desk.decisions import (
    accept_annotation,
    exclude_annotation,
    reconsider_annotation,
    reopen_annotation,
    return_annotation,
)
from annotation.desk.drafts.drafts import save_draft
from annotation.desk.drafts.submission import submit_annotation
from annotation.models import Annotation, AnnotationState, DraftSave
from annotation.releases.files.exports import current_records
from annotation.releases.files.work_export import work_lines
from core.models import Event
from core.refusals import Refusal
from tests.annotation.desk_helpers import claim, complete_content, let_lapse, save, submit
from tests.factories import TagFactory


@pytest.fixture
def annotation(annotator) -> Annotation:
    TagFactory(article__title="Harbour Bridge")
    return claim(annotator)


def fresh(annotation: Annotation) -> Annotation:
    return Annotation.objects.get(pk=annotation.pk)


def comment_on_desk(client, annotation: Annotation) -> str:
    page = client.get(reverse("desk_annotation", args=[annotation.pk])).text
    return page.split('name="valid_comment"')[1].split(">", 1)[1].split("<", 1)[0].strip()


def says(annotation: Annotation) -> str:
    return content_of(fresh(annotation))["valid_comment"]


# --- the one and the other ---------------------------------------------------------------------------------------


def test_what_is_submitted_is_rows_without_a_draft(annotation):
    save(annotation, complete_content(valid_comment="in the draft"))
    assert fresh(annotation).draft
    assert not fresh(annotation).valid_comment
    submit(annotation, complete_content(valid_comment="submitted"))
    assert fresh(annotation).draft is None
    assert fresh(annotation).valid_comment == "submitted"
    assert DraftSave.objects.filter(annotation=annotation).count() == 2


def test_the_rows_hold_all_that_the_draft_held(annotation):
    content = complete_content(
        valid_comment="a comment",
        question2="A second?",
        question2_answer1="one",
        question2_answer2="two",
        contradict_comment="on the types",
        question_comment="on the questions",
        **{"Contradict type I": ["NUM", "DATE"]},
    )
    save(annotation, content)
    in_draft = content_of(fresh(annotation))
    assert submit(annotation, content).is_submitted
    in_rows = content_of(fresh(annotation))
    assert in_rows == in_draft
    assert not differing_fields(in_rows, content)


def test_a_second_submission_keeps_the_rows_that_others_name(annotation, reviewer):
    submit(annotation, complete_content(question2="A second?", question2_answer1="1", question2_answer2="2"))
    passages = set(annotation.passages.values_list("pk", flat=True))
    questions = list(annotation.questions.values_list("pk", flat=True))
    return_annotation(annotation=annotation, reviewer=reviewer, message="One question is enough.")
    submit(annotation, complete_content(question1="Was it open in 1900?"))
    assert set(annotation.passages.values_list("pk", flat=True)) == passages
    assert list(annotation.questions.values_list("pk", "text")) == [(questions[0], "Was it open in 1900?")]


@pytest.mark.parametrize("state", ["submitted", "accepted", "excluded"])
def test_what_is_submitted_cannot_have_a_draft(annotation, state):
    save(annotation, complete_content())
    values = {"state": state, "submitted_at": annotation.saved_at, "review_message": "because"}
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotation.objects.filter(pk=annotation.pk).update(**values)


@pytest.mark.django_db(transaction=True)
def test_the_save_that_is_the_draft_cannot_be_deleted(annotation):
    save(annotation, complete_content())
    with pytest.raises(IntegrityError):
        DraftSave.objects.all().delete()
    assert says(annotation) == ""
    assert fresh(annotation).draft
    Annotation.objects.all().delete()
    assert not DraftSave.objects.exists()


# --- back and forth ----------------------------------------------------------------------------------------------


def test_taken_back_it_is_what_was_submitted_until_the_next_save(annotation, annotator, sign_in):
    client = sign_in(annotator)
    submit(annotation, complete_content(valid_comment="  submitted "))
    reopen_annotation(annotation=annotation, annotator=annotator)
    assert comment_on_desk(client, annotation) == "submitted"
    save(annotation, complete_content(valid_comment="changed"))
    assert comment_on_desk(client, annotation) == "changed"


def test_returned_saved_submitted_and_taken_back_it_is_the_last_text_each_time(
    annotation, annotator, reviewer, sign_in
):
    client = sign_in(annotator)
    submit(annotation, complete_content(valid_comment="first"))
    return_annotation(annotation=annotation, reviewer=reviewer, message="Say more.")
    assert comment_on_desk(client, annotation) == "first"
    save(annotation, complete_content(valid_comment="second"))
    assert (comment_on_desk(client, annotation), fresh(annotation).valid_comment) == ("second", "first")
    assert submit(annotation, complete_content(valid_comment="third")).is_submitted
    reopen_annotation(annotation=annotation, annotator=annotator)
    assert comment_on_desk(client, annotation) == "third"
    save(annotation, complete_content(valid_comment="fourth"))
    assert submit(annotation, complete_content(valid_comment="fourth")).is_submitted
    accept_annotation(annotation=annotation, reviewer=reviewer)
    reconsider_annotation(annotation=annotation, reviewer=reviewer, reason="a reader wrote in")
    return_annotation(annotation=annotation, reviewer=reviewer, message="Again.")
    assert comment_on_desk(client, annotation) == "fourth"


def test_a_draft_outlives_an_admin_who_takes_its_tag_away(annotation, annotator, other_annotator, admin, sign_in):
    save(annotation, complete_content(valid_comment="half a thought"))
    unassign(tag=annotation.tag, annotator=annotator, admin=admin)
    save(annotation, complete_content(valid_comment="the page was still open"))
    assign_tag(tag=annotation.tag, annotator=other_annotator, admin=admin)
    assert says(annotation) == "the page was still open"
    unassign(tag=annotation.tag, annotator=other_annotator, admin=admin)
    take_up_again(annotation=fresh(annotation), annotator=annotator)
    assert comment_on_desk(sign_in(annotator), annotation) == "the page was still open"
    assert submit(annotation, complete_content(valid_comment="done")).is_submitted


def test_what_cannot_be_submitted_is_saved_all_the_same(annotation, other_annotator, reviewer):
    submit(annotation, complete_content(valid_comment="first"))
    return_annotation(annotation=annotation, reviewer=reviewer, message="Say more.")
    save(annotation, complete_content(valid_comment="second"))
    annotation.tag.assignments.update(annotator=other_annotator)
    with pytest.raises(Refusal, match="other annotators have taken it"):
        submit(annotation, complete_content(valid_comment="third"))
    assert (fresh(annotation).state, says(annotation)) == (AnnotationState.RETURNED, "third")
    assert fresh(annotation).valid_comment == "first"


def test_a_lapsed_tag_that_is_free_is_taken_again_to_submit(annotation, other_annotator, admin):
    let_lapse(annotation)
    unassign(tag=claim(other_annotator).tag, annotator=other_annotator, admin=admin)
    assert submit(annotation, complete_content(valid_comment="back in time")).is_submitted


# --- at the same moment ------------------------------------------------------------------------------------------


def send(annotation: Annotation, *, base: int, comment: str, operation=None):
    """A save that has read its draft already."""
    assert annotation.annotator
    return save_draft(
        annotation=annotation,
        annotator=annotation.annotator,
        content=complete_content(valid_comment=comment),
        base_version=base,
        operation=operation or uuid4(),
    )


def test_two_tabs_that_read_the_same_version_do_not_overwrite_each_other(annotation):
    one, two = fresh(annotation), fresh(annotation)
    assert send(one, base=0, comment="from tab 1").is_saved
    result = send(two, base=0, comment="from tab 2")
    assert (result.is_saved, result.version, result.content["valid_comment"]) == (False, 1, "from tab 1")
    assert says(annotation) == "from tab 1"
    assert DraftSave.objects.get(version=None).content["valid_comment"] == "from tab 2"


def test_the_same_operation_twice_in_one_instant_is_one_save(annotation):
    one, two, operation = fresh(annotation), fresh(annotation), uuid4()
    first = send(one, base=0, comment="sent twice", operation=operation)
    again = send(two, base=0, comment="sent twice", operation=operation)
    assert (first.is_saved, again.is_saved, first.version, again.version) == (True, True, 1, 1)
    assert DraftSave.objects.count() == 1


@pytest.mark.parametrize(
    ("decide", "words"),
    [
        (accept_annotation, {}),
        (exclude_annotation, {"reason": "ambiguous"}),
        (return_annotation, {"message": "Say more."}),
    ],
)
def test_a_save_while_a_reviewer_decides_changes_nothing_that_was_decided(annotation, reviewer, decide, words):
    read = fresh(annotation)
    submit(annotation, complete_content(valid_comment="submitted"))
    decide(annotation=annotation, reviewer=reviewer, **words)
    if decide is return_annotation:
        result = send(read, base=0, comment="typed meanwhile")
        assert not result.is_saved
        assert DraftSave.objects.get(version=None).content["valid_comment"] == "typed meanwhile"
    else:
        with pytest.raises(Refusal, match="cannot be changed here"):
            send(read, base=0, comment="typed meanwhile")
    assert says(annotation) == "submitted"


def test_a_second_submission_that_read_the_draft_before_the_first_gets_its_answer(annotation, annotator):
    save(annotation, complete_content())
    operation, read = uuid4(), fresh(annotation)
    assert submit(annotation, complete_content(), operation=operation).is_submitted
    again = submit_annotation(
        annotation=read, annotator=annotator, content=complete_content(), base_version=1, operation=operation
    )
    assert (again.is_submitted, again.save.standing) == (True, Standing.CLOSED)
    assert Event.objects.about(annotation).filter(action="submitted").count() == 1


# --- what others read --------------------------------------------------------------------------------------------


@pytest.fixture
def rewritten(annotation, reviewer) -> Annotation:
    """Returned to its writer, who has saved since and changed every kind of field."""
    submit(annotation, complete_content(valid_comment="as submitted"))
    return_annotation(annotation=annotation, reviewer=reviewer, message="Say more.")
    save(
        annotation,
        complete_content(
            wikitag_label_valid="Invalid",
            valid_comment="as rewritten",
            paragraphA_information="It was opened in 1904.",
            paragraphA_information_standalone="The Harbour Bridge was opened in 1904.",
            question1="Was it open in 1902?",
            confidence="2",
            **{"Contradict type I": ["NUM"]},
        ),
    )
    return fresh(annotation)


def test_lists_show_the_choices_of_the_draft(rewritten, annotator, reviewer, admin, sign_in):
    assert "Invalid tag" in sign_in(annotator).get(reverse("my_work")).text
    row = sign_in(reviewer).get(reverse("reviews"), {"state": "returned"}).text.split("data-row")[1]
    assert "<td>Invalid</td>" in row
    assert "<td>2</td>" in row
    assert "<td>Invalid</td>" in sign_in(admin).get(reverse("tag", args=[rewritten.tag_id])).text


def test_lists_show_the_choices_of_what_was_submitted(annotation, reviewer, admin, sign_in):
    submit(annotation)
    row = sign_in(reviewer).get(reverse("reviews")).text.split("data-row")[1]
    assert "<td>Valid</td>" in row
    assert "<td>5</td>" in row
    assert "<td>Valid</td>" in sign_in(admin).get(reverse("tag", args=[annotation.tag_id])).text


def test_a_reviewer_reads_what_the_writer_saved_since(rewritten, reviewer, sign_in):
    page = sign_in(reviewer).get(reverse("reviews_annotation", args=[rewritten.pk])).text
    assert "as rewritten" in page
    assert "as submitted" not in page
    save(rewritten, complete_content(paragraphA_information="It was opened in 1904.", question1="In 1902?"))
    page = sign_in(reviewer).get(reverse("reviews_annotation", args=[rewritten.pk])).text
    assert "It was opened in 1904." in page.replace('<mark class="span">', "").replace("</mark>", "")
    assert "In 1902?" in page


def test_how_it_was_made_is_told_of_the_draft(rewritten):
    (line,) = work_lines()
    record = json.loads(line)
    assert record["state"] == "returned"
    assert record["passages"][0]["changed_to_stand_alone"] == [["removed", "It "], ["added", "The Harbour Bridge "]]


def test_a_draft_is_in_no_export(rewritten):
    assert list(current_records()) == []


def test_pruning_spares_the_draft_after_many_saves(annotation):
    for number in range(60):
        save(annotation, complete_content(valid_comment=str(number)))
    assert says(annotation) == "59"
    draft = fresh(annotation).draft
    assert draft
    assert draft.version == 60
