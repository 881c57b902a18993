"""A tag that waits for an answer: kept for its annotator, listed for who may answer, and theirs again with it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import assign_tag, set_annotations_needed
from annotation.desk.assignments.assignment import Standing, claim_next_tag, renew_lease
from annotation.desk.assignments.queue import left_for
from annotation.models import Annotation, Assignment, Comment, Skip, Tag
from annotation.tags.progress import annotators_progress
from core.accounts.people import deactivate_person
from core.models import Event
from core.refusals import Refusal
from tests.annotation.desk.test_comments import COMMENTS, about, page, write
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory


@pytest.fixture
def draft(annotator) -> Annotation:
    TagFactory(article__title="Velm Bridge")
    draft = claim(annotator)
    save(draft, complete_content())
    return draft


def ask(client, draft: Annotation, text: str = "Is a ferry a bridge?", field: str = "wikitag_label_valid"):
    return client.post(f"/annotation/desk/{draft.pk}/ask/", {"text": text, "field": field})


def the_assignment() -> Assignment:
    return Assignment.objects.get(tag__article__title="Velm Bridge")


def answer(client, text: str = "No.", **more):
    return client.post(f"{COMMENTS}{Comment.objects.filter(is_ask=True).latest('pk').pk}/answer/", {"text": text})


def test_asking_makes_the_tag_wait_and_goes_on_to_the_next(draft, anna, annotator, other_annotator):
    second = TagFactory(article__title="Second")
    response = ask(anna, draft)
    assert response.status_code == 302
    following = Annotation.objects.get(annotator=annotator, tag=second)
    assert response["Location"] == f"/annotation/desk/{following.pk}/"
    assignment = the_assignment()
    assert (assignment.annotator, assignment.lease_expires_at) == (annotator, None)
    assert assignment.asked_at
    assert claim_next_tag(annotator=other_annotator) is None
    assert Event.objects.about(draft).get(action="asked").after == {"asked": True}


def test_a_waiting_tag_neither_lapses_nor_is_handed_to_its_own_annotator(draft, anna, annotator):
    ask(anna, draft)
    Assignment.objects.update(claimed_at=timezone.now() - timedelta(days=30))
    assert claim_next_tag(annotator=annotator) is None
    assert left_for(annotator) == 0
    assert Assignment.objects.free().count() == 0
    assert renew_lease(annotation=draft, annotator=annotator) == Standing.WAITING
    assert the_assignment().lease_expires_at is None


def test_the_draft_can_be_read_and_written_but_not_submitted(draft, anna):
    ask(anna, draft)
    shown = page(anna, f"/annotation/desk/{draft.pk}/")
    assert "This tag is waiting for an answer" in shown
    assert "Is a ferry a bridge?" in shown
    assert save(draft, complete_content(valid_comment="still here")).is_saved
    with pytest.raises(Refusal, match="is waiting for the answer"):
        submit(draft, complete_content(valid_comment="still here"))
    draft.refresh_from_db()
    assert (draft.state, content_of(draft)["valid_comment"]) == ("draft", "still here")


def test_my_work_and_the_first_page_say_that_it_waits(draft, anna):
    ask(anna, draft)
    shown = page(anna, "/annotation/work/")
    assert "Waiting for an answer" in shown
    assert "Continue without the answer" in shown
    assert '<h2 id="waiting">' in shown
    start = page(anna, "/annotation/desk/")
    assert "1 tag is waiting for the answer to your question" in start
    assert 'href="/annotation/work/#waiting"' in start
    assert "You asked" in page(anna, COMMENTS)


def test_a_reviewer_finds_the_question_and_answers_it(draft, anna, rita, reviewer, annotator):
    TagFactory()
    ask(anna, draft)
    assert "1 question<" in page(rita, "/")
    assert "Is a ferry a bridge?" in page(rita, COMMENTS)
    question = Comment.objects.get()
    assert rita.get(f"{COMMENTS}{question.pk}/")["Location"] == f"{about(draft)}#comment-{question.pk}"
    shown = page(rita, about(draft))
    assert "It was closed in 1899." in shown, "the tag's paragraph"
    assert "The first cars" not in shown, "the draft is nobody else's to read"
    assert answer(rita, "  ").status_code == 400
    assert answer(rita, "No, @nobody knows.").status_code == 400
    assert the_assignment().asked_at
    assert answer(rita, "No: it floats.")["Location"] == COMMENTS
    assignment = the_assignment()
    assert (assignment.annotator, assignment.asked_at, assignment.lease_expires_at) == (annotator, None, None)
    question.refresh_from_db()
    assert question.resolved_by == reviewer
    assert "No open questions." in page(rita, COMMENTS)


def test_with_the_answer_the_tag_is_the_annotators_again_and_comes_first(draft, anna, rita, annotator):
    ask(anna, draft)
    answer(rita, "No: it floats.")
    TagFactory(priority=9)
    assert "rita answered your question" in page(anna, COMMENTS)
    assert claim(annotator) == draft
    shown = page(anna, f"/annotation/desk/{draft.pk}/")
    assert "Answered by rita" in shown
    assert "No: it floats." in shown
    assert "You asked: Is a ferry a bridge?" in shown
    assert 'class="count"' not in page(anna, "/"), "read"
    assert submit(draft).is_submitted


def test_the_annotator_goes_on_without_the_answer(draft, anna, rita, annotator):
    ask(anna, draft)
    anna.post(f"/annotation/desk/{draft.pk}/resume/")
    assignment = the_assignment()
    assert assignment.asked_at is None
    assert assignment.lease_expires_at, "as any claim"
    assert "No open questions." in page(rita, COMMENTS)
    late = answer(rita)
    assert late.status_code == 409
    assert "is no longer open" in late.content.decode()
    assert submit(draft).is_submitted


def test_what_was_assigned_or_returned_has_no_lease_afterwards(annotator, anna, admin, rita):
    tag = TagFactory(article__title="Velm Bridge")
    assign_tag(tag=tag, annotator=annotator, admin=admin)
    draft = claim(annotator)
    ask(anna, draft)
    with pytest.raises(Refusal, match="is waiting for the answer"):
        assign_tag(tag=tag, annotator=annotator, admin=admin)
    anna.post(f"/annotation/desk/{draft.pk}/resume/")
    assert the_assignment().lease_expires_at is None
    submit(draft)
    draft.refresh_from_db()
    words = {"message": "Which bridge?", "seen_version": draft.version}
    rita.post(f"/annotation/reviews/{draft.pk}/return/", words)
    ask(anna, draft, "The left or the right one?")
    assert "Waiting for an answer" in page(anna, "/annotation/work/")
    anna.post(f"/annotation/desk/{draft.pk}/resume/")
    assert the_assignment().lease_expires_at is None
    ask(anna, draft, "Which one?")
    answer(rita, "The left one.")
    shown = page(anna, f"/annotation/desk/{draft.pk}/")
    assert "Which bridge?" in shown
    assert "The left one." in shown


def test_one_question_at_a_time_and_only_about_ones_own_tag(draft, anna, other_annotator, sign_in):
    assert ask(sign_in(other_annotator), draft).status_code == 404
    assert ask(anna, draft, " ").status_code == 400
    assert the_assignment().asked_at is None
    ask(anna, draft)
    again = ask(anna, draft, "And a tunnel?")
    assert again.status_code == 409
    assert "already asked about this tag" in again.content.decode()
    assert "And a tunnel?" in again.content.decode(), "what was typed is kept"


def test_a_tag_that_went_to_others_cannot_wait(draft, anna, other_annotator):
    Assignment.objects.update(lease_expires_at=timezone.now())
    claim(other_annotator)
    refused = ask(anna, draft)
    assert refused.status_code == 409
    assert not Comment.objects.exists()


def test_a_question_is_neither_resolved_nor_opened_again_by_hand(draft, anna, rita):
    ask(anna, draft)
    question = Comment.objects.get()
    assert rita.post(f"{COMMENTS}{question.pk}/resolve/").status_code == 409
    answer(rita)
    assert rita.post(f"{COMMENTS}{question.pk}/reopen/").status_code == 409


@pytest.mark.parametrize(
    ("action", "words"), [("skip", {"reason": "no"}), ("flag", {"reason": "no"}), ("hand-back", {})]
)
def test_giving_the_tag_up_closes_the_question(draft, anna, rita, action, words):
    ask(anna, draft)
    anna.post(f"/annotation/desk/{draft.pk}/{action}/", words)
    assert the_assignment().annotator is None
    assert not Comment.objects.open_asks().exists()
    assert answer(rita).status_code == 409


def test_an_admin_gives_the_tag_of_an_annotator_who_left_to_others(
    draft, anna, admin, annotator, other_annotator, sign_in
):
    ask(anna, draft)
    client = sign_in(admin)
    assert "Return the tag to the queue" in page(client, about(draft))
    assert client.post(f"{COMMENTS}{Comment.objects.get().pk}/hand-back/").status_code == 302
    assert not Comment.objects.open_asks().exists()
    assert Skip.objects.filter(annotator=annotator).exists()
    assert claim(other_annotator).tag == draft.tag
    assert client.post(f"{COMMENTS}{Comment.objects.get().pk}/hand-back/").status_code == 409
    assert Annotation.objects.filter(pk=draft.pk).exists(), "the draft is kept"


def test_who_has_read_the_question_is_not_given_the_tag(draft, anna, admin, other_annotator, sign_in):
    other_annotator.groups.add(Group.objects.get_or_create(name="reviewer")[0])
    ask(anna, draft)
    assert "Is a ferry a bridge?" in page(sign_in(other_annotator), about(draft))
    sign_in(admin).post(f"{COMMENTS}{Comment.objects.get().pk}/hand-back/")
    assert claim_next_tag(annotator=other_annotator) is None


def test_a_reviewer_does_not_hand_tags_back(draft, anna, rita):
    ask(anna, draft)
    assert "Return the tag to the queue" not in page(rita, about(draft))
    assert rita.post(f"{COMMENTS}{Comment.objects.get().pk}/hand-back/").status_code == 403


def test_closing_an_account_gives_its_waiting_tags_back(draft, anna, admin, annotator, other_annotator):
    ask(anna, draft)
    assert deactivate_person(person=annotator, admin=admin) == 1
    assert not Comment.objects.open_asks().exists()
    assert claim(other_annotator).tag == draft.tag


def test_an_answer_to_an_earlier_question_does_not_end_the_wait_for_a_later_one(draft, anna, rita):
    """As from a page that was opened before the first was answered."""
    ask(anna, draft)
    first = Comment.objects.get()
    answer(rita, "No: it floats.")
    ask(anna, draft, "And a tunnel?")
    late = rita.post(f"{COMMENTS}{first.pk}/answer/", {"text": "No, really."})
    assert late.status_code == 409
    assert "No, really." in late.text, "what was typed is kept"
    assert the_assignment().asked_at
    assert Comment.objects.open_asks().get().text == "And a tunnel?"


def test_nobody_answers_their_own_question(draft, anna, annotator):
    annotator.groups.add(Group.objects.get_or_create(name="reviewer")[0])
    ask(anna, draft)
    assert answer(anna).status_code == 403
    assert "No open questions." in page(anna, COMMENTS)


def test_a_waiting_assignment_cannot_be_taken_out_of_the_tag(draft, anna, admin):
    ask(anna, draft)
    tag = Tag.objects.get()
    set_annotations_needed(tag=tag, needed=2, admin=admin)
    set_annotations_needed(tag=tag, needed=1, admin=admin)
    assert the_assignment().asked_at


def test_admins_see_who_waits(draft, anna, admin, sign_in):
    ask(anna, draft)
    [row] = annotators_progress(None)
    assert (row.held, row.waiting, row.drafts) == (0, 1, 1)
    client = sign_in(admin)
    assert "Waiting for an answer" in page(client, "/annotation/tags/?state=waiting")
    assert "waiting for an answer" in page(client, f"/annotation/tags/{draft.tag.pk}/")


def test_a_plain_comment_on_a_waiting_question_leaves_it_waiting(draft, anna, rita):
    ask(anna, draft)
    question = Comment.objects.get()
    write(anna, draft, "I mean the old ferry.", reply_to=question.pk)
    write(rita, draft, "Let me look.", reply_to=question.pk)
    assert the_assignment().asked_at
    assert "I mean the old ferry." in page(rita, about(draft))
    answer(rita, "No: it floats.")
    on_top = page(anna, f"/annotation/desk/{draft.pk}/").split('id="answer"')[1].split("</div>")[0]
    assert "No: it floats." in on_top
    assert "Let me look." not in on_top
