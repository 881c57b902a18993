"""Comments beside an annotation: who writes, who reads, who is told; and blindness between annotators of one tag."""

import re

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Annotation, AnnotationState, Assignment, Comment, Notice
from core.models import Event, Role, User
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.annotation.reviewing.test_annotation_reviews import submit_annotation
from tests.conftest import make_person
from tests.factories import TagFactory

COMMENTS = "/annotation/comments/"


def about(annotation: Annotation) -> str:
    return f"{COMMENTS}about/{annotation.pk}/"


def write(client, annotation: Annotation, text: str, field: str = "", **more):
    return client.post(f"{about(annotation)}write/", {"text": text, "field": field} | more)


def page(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, response.status_code
    return response.content.decode()


@pytest.fixture
def draft(annotator) -> Annotation:
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content())
    return draft


def test_a_comment_stands_at_its_field_with_who_and_when(draft, anna, annotator):
    annotator.first_name, annotator.last_name = "Anna", "Berg"
    annotator.save()
    assert write(anna, draft, "Which bridge is meant?", "paragraphA_information").status_code == 302
    comment = Comment.objects.get()
    assert (comment.author, comment.field) == (annotator, "paragraphA_information")
    assert comment.field_text == "It opened in 1903 to great applause."
    desk = page(anna, f"/annotation/desk/{draft.pk}/")
    assert 'aria-label="Comments on Passage 1, as found: 1, 1 open"' in desk
    assert 'aria-label="Comments on Passage 2, as found: none"' in desk
    listed = anna.get(f"{about(draft)}?field=paragraphA_information&inline=1", headers={"HX-Request": "true"})
    shown = listed.content.decode()
    assert "Which bridge is meant?" in shown
    assert "<strong>Anna Berg</strong>" in shown
    assert "<html" not in shown
    assert "<form" not in shown, "it stands within the desk's form"
    other = anna.get(f"{about(draft)}?field=paragraphB_information&inline=1", headers={"HX-Request": "true"})
    assert "Which bridge is meant?" not in other.content.decode()


def test_what_the_field_said_then_is_shown_once_it_says_something_else(draft, anna, rita):
    write(anna, draft, "Too long?", "paragraphA_information")
    submit(draft)
    assert "The field at that time" not in page(rita, f"/annotation/reviews/{draft.pk}/")
    anna.post(f"/annotation/desk/{draft.pk}/reopen/")
    save(draft, complete_content(paragraphA_information="It opened in 1903."))
    submit(draft, complete_content(paragraphA_information="It opened in 1903.", paragraphA_information_standalone=""))
    shown = page(rita, f"/annotation/reviews/{draft.pk}/")
    assert "The field at that time" in shown
    assert "to great applause." in shown


def test_a_reply_joins_its_thread_and_whoever_is_concerned_is_told(draft, anna, rita, annotator, reviewer):
    submit(draft)
    write(rita, draft, "Is 1899 right?", "question1_answer2")
    root = Comment.objects.get()
    assert [(n.person, n.kind) for n in Notice.objects.all()] == [(annotator, "comment")]
    assert write(anna, draft, "Yes, see the source.", reply_to=root.pk).status_code == 302
    reply = Comment.objects.get(reply_to=root)
    assert reply.field == "question1_answer2"
    assert [(n.person, n.kind) for n in reply.notices.all()] == [(reviewer, "reply")]
    # A reply to a reply belongs to the same thread.
    write(rita, draft, "Thanks.", reply_to=reply.pk)
    assert Comment.objects.filter(reply_to=root).count() == 2
    shown = page(rita, f"/annotation/reviews/{draft.pk}/")
    assert shown.index("Is 1899 right?") < shown.index("Yes, see the source.") < shown.index("Thanks.")


def test_a_thread_is_resolved_and_opened_again(draft, anna, rita, reviewer):
    submit(draft)
    write(anna, draft, "Is this one question or two?", "question1")
    comment = Comment.objects.get()
    rita.post(f"{COMMENTS}{comment.pk}/resolve/")
    comment.refresh_from_db()
    assert comment.resolved_by == reviewer
    assert "Resolved by rita" in page(rita, f"/annotation/reviews/{draft.pk}/")
    rita.post(f"{COMMENTS}{comment.pk}/resolve/")  # twice is once
    anna.post(f"{COMMENTS}{comment.pk}/reopen/")
    comment.refresh_from_db()
    assert comment.resolved_at is None
    actions = [event.action for event in Event.objects.about(comment)]
    assert actions == ["commented", "resolved", "reopened"]


def test_htmx_gets_the_list_back(draft, anna):
    where = f"{about(draft)}write/?field=confidence&inline=1"
    sent = anna.post(where, {"text": "Not sure.", "field": "confidence"}, headers={"HX-Request": "true"})
    assert sent.status_code == 200
    assert 'data-threads="1" data-open="1"' in sent.content.decode()
    resolve = f"{COMMENTS}{Comment.objects.get().pk}/resolve/?field=confidence&inline=1"
    assert 'data-threads="1" data-open="0"' in anna.post(resolve, headers={"HX-Request": "true"}).content.decode()


def test_comments_go_with_their_question_when_it_gets_another_number(draft, anna):
    three = {f"question{n}": f"Is it {n}?" for n in (1, 2, 3)} | {"question1_answer1": "", "question1_answer2": ""}
    save(draft, complete_content(**three))
    for n in (1, 2, 3):
        write(anna, draft, f"about {n}", f"question{n}")
    write(anna, draft, "a reply", reply_to=Comment.objects.get(text="about 3").pk)
    # The second one is removed; the first one is only changed.
    save(draft, complete_content(**three | {"question1": "Is it one?", "question2": "Is it 3?", "question3": ""}))
    fields = dict(Comment.objects.values_list("text", "field"))
    assert fields == {"about 1": "question1", "about 2": "", "about 3": "question2", "a reply": "question2"}
    assert Comment.objects.get(text="about 2").field_text == "Is it 2?"


@pytest.mark.parametrize("text", ["", " \n ", "x" * 10_001, "a\0b"])
def test_what_cannot_be_kept_is_refused_and_shown_again(draft, anna, text):
    for headers in ({}, {"HX-Request": "true"}):
        response = anna.post(f"{about(draft)}write/", {"text": text, "field": ""}, headers=headers)
        assert response.status_code == 400
        assert 'role="alert"' in response.content.decode()
    assert not Comment.objects.exists()


def test_an_unknown_field_or_a_thread_of_another_annotation_is_refused(draft, anna, annotator):
    assert write(anna, draft, "Hm.", "no_such_field").status_code == 400
    other = submit_annotation(annotator)
    write(anna, other, "About the other.")
    assert write(anna, draft, "Hm.", reply_to=Comment.objects.get().pk).status_code == 400
    assert write(anna, draft, "Hm.", reply_to="999999").status_code == 404
    assert Comment.objects.count() == 1


def test_text_of_people_is_never_markup(draft, anna, rita, reviewer, annotator):
    evil = "<script>alert(1)</script>"
    save(draft, complete_content(valid_comment=evil))
    write(anna, draft, f"{evil} @rita", "valid_comment")
    save(draft, complete_content(valid_comment="other"))
    for client, address in (
        (anna, about(draft)),
        (anna, f"/annotation/desk/{draft.pk}/"),
        (rita, about(draft)),
        (rita, COMMENTS),
    ):
        assert "<script>alert" not in page(client, address)


class TestMentions:
    def test_who_is_mentioned_finds_it_in_the_navigation_and_is_led_there(self, draft, anna, rita, reviewer):
        write(anna, draft, "Dear @Rita, is this a date? Mail: anna@example.org", "paragraphA_information")
        home = page(rita, "/")
        assert 'title="1 for you"' in home
        assert "1 new" in home
        listed = page(rita, COMMENTS)
        assert "anna mentions you" in listed
        comment = Comment.objects.get()
        led = rita.get(f"{COMMENTS}{comment.pk}/")
        assert led["Location"] == f"{about(draft)}#comment-{comment.pk}"
        shown = page(rita, about(draft))
        assert "is this a date?" in shown
        assert "It opened in 1903 to great applause." in shown, "what the comment is about"
        assert "The first cars" not in shown, "the rest of the draft is nobody else's"
        assert 'title="1 for you"' not in page(rita, "/")
        assert Notice.objects.get().read_at

    def test_the_annotator_is_led_to_the_desk(self, draft, anna, rita):
        write(rita, draft, "@anna why?", "question1")
        comment = Comment.objects.get()
        assert "New since your last visit" in page(anna, f"/annotation/desk/{draft.pk}/")
        led = anna.get(f"{COMMENTS}{comment.pk}/")
        assert led["Location"] == f"/annotation/desk/{draft.pk}/?comments=question1"
        assert "New since your last visit" not in page(anna, f"/annotation/desk/{draft.pk}/")

    @pytest.mark.parametrize("name", ["ansel", "ada", "stan", "nobody"])
    def test_who_may_not_see_it_is_refused_in_plain_words(
        self, draft, anna, name, other_annotator, adjudicator, stranger, reviewer
    ):
        refused = write(anna, draft, f"What do you think, @{name}?")
        assert refused.status_code == 400
        told = refused.content.decode()
        assert f"“@{name}” is not someone who can see this annotation" in told
        assert f"What do you think, @{name}?" in told
        assert not Comment.objects.exists()

    def test_a_closed_account_is_not_mentioned(self, draft, anna, reviewer):
        User.objects.filter(pk=reviewer.pk).update(is_active=False)
        assert write(anna, draft, "@rita?").status_code == 400

    def test_all_are_marked_as_read_at_once(self, draft, anna, rita):
        for text in ("@rita one", "@rita two."):
            write(anna, draft, text)
        assert "2 new" in page(rita, COMMENTS)
        rita.post(f"{COMMENTS}read/")
        assert "2 new" not in page(rita, COMMENTS)

    def test_a_name_with_a_full_stop_and_one_at_the_end_of_a_sentence(self, draft, anna, reviewer):
        dotted = make_person("j.r", Role.ADMIN)
        write(anna, draft, "Ask @j.r. Or @rita.")
        assert {notice.person for notice in Notice.objects.all()} == {dotted, reviewer}


class TestTwoAnnotatorsOfOneTag:
    """Neither learns of the other, on any page; reviewers and admins see both."""

    @pytest.fixture
    def pair(self, annotator, other_annotator) -> tuple[Annotation, Annotation]:
        TagFactory(annotations_needed=2)
        drafts = claim(annotator), claim(other_annotator)
        for each in drafts:
            save(each, complete_content())
        return drafts

    def test_an_annotator_sees_no_comment_on_the_other_annotation(self, pair, anna, rita, other_annotator, sign_in):
        theirs = pair[1]
        write(sign_in(other_annotator), theirs, "SECRET of ansel @rita", "question1")
        write(rita, theirs, "SECRET of rita", "question1")
        for address in ("/", COMMENTS, about(pair[0]), f"/annotation/desk/{pair[0].pk}/", "/annotation/work/"):
            shown = page(anna, address)
            assert "SECRET" not in shown
            assert "ansel" not in shown
        comment = Comment.objects.first()
        assert comment
        for address in (about(theirs), f"{COMMENTS}{comment.pk}/"):
            assert anna.get(address).status_code == 404
        assert write(anna, theirs, "Hello?").status_code == 404
        assert write(anna, pair[0], "Hello?", reply_to=comment.pk).status_code == 404
        for action in ("resolve", "reopen"):
            assert anna.post(f"{COMMENTS}{comment.pk}/{action}/").status_code == 404
        assert "SECRET of ansel" in page(rita, about(theirs))

    def test_pages_are_the_same_to_the_byte_whatever_the_other_one_says(self, pair, anna, rita, annotator, sign_in):
        def everything() -> list[str]:
            pages = [page(anna, where) for where in ("/", COMMENTS, about(pair[0]), "/annotation/work/")]
            return [without_tokens(shown) for shown in pages]

        before = everything()
        write(rita, pair[1], "Why?")
        other = pair[1].annotator
        assert other
        sign_in(other).post(f"/annotation/desk/{pair[1].pk}/ask/", {"text": "Is it valid?"})
        assert everything() == before

    def test_admins_and_reviewers_see_both(self, pair, anna, rita, admin, sign_in):
        write(anna, pair[0], "FIRST")
        other = pair[1].annotator
        assert other
        write(sign_in(other), pair[1], "SECOND")
        for client in (rita, sign_in(admin)):
            assert "FIRST" in page(client, about(pair[0]))
            assert "SECOND" in page(client, about(pair[1]))

    def test_a_reviewer_who_annotates_the_tag_sees_nothing_until_theirs_is_decided(self, annotator, anna, sign_in):
        tag = TagFactory(annotations_needed=2)
        both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
        client = sign_in(both)
        mine = claim(annotator)
        # She could be handed the other assignment, so she is blind until then; and the mention does not tell Anna.
        assert write(anna, mine, "@bea what now?").status_code == 302
        for _ in range(2):
            assert client.get(about(mine)).status_code == 404
            assert "what now?" not in page(client, COMMENTS)
            assert 'class="count"' not in page(client, "/")
            claim(both)
        own = Annotation.objects.get(annotator=both)
        submit(mine)
        submit(own)
        assert client.get(about(mine)).status_code == 404
        Annotation.objects.filter(tag=tag).update(state=AnnotationState.EXCLUDED, review_message="ambiguous")
        assert "what now?" in page(client, COMMENTS)
        assert "what now?" in page(client, about(mine))

    def test_a_reviewer_who_annotates_elsewhere_sees_a_tag_that_needs_nobody_else(self, draft, anna, sign_in):
        client = sign_in(make_person("bea", Role.REVIEWER, Role.ANNOTATOR))
        write(anna, draft, "@bea what now?")
        assert "what now?" in page(client, about(draft))


def without_tokens(shown: str) -> str:
    return re.sub(r'csrfmiddlewaretoken" value="[^"]*"|X-CSRFToken": "[^"]*"|<time.*?</time>', "", shown)


def test_who_is_no_reviewer_any_more_sees_nothing(draft, anna, rita, reviewer):
    write(anna, draft, "@rita hello")
    reviewer.groups.set([Group.objects.get_or_create(name=Role.ANNOTATOR)[0]])
    assert rita.get(about(draft)).status_code == 404
    assert "hello" not in page(rita, COMMENTS)


def test_a_draft_that_was_talked_about_is_kept_when_its_tag_is_handed_back(annotator, anna):
    TagFactory()
    draft = claim(annotator)
    write(anna, draft, "Is this one for me?")
    anna.post(f"/annotation/desk/{draft.pk}/skip/", {"reason": "no time"})
    assert Comment.objects.exists()


@pytest.mark.django_db
class TestWhatTheDatabaseRefuses:
    def refuses(self, act) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            act()

    def test_a_waiting_assignment_that_could_lapse_or_is_nobodys_or_done(self, draft):
        assignment = Assignment.objects.filter(tag=draft.tag)
        now = timezone.now()
        self.refuses(lambda: assignment.update(asked_at=now))  # it has a lease
        assignment.update(asked_at=now, lease_expires_at=None)
        self.refuses(lambda: assignment.update(lease_expires_at=now))
        self.refuses(lambda: assignment.update(done_at=now))
        self.refuses(lambda: assignment.update(annotator=None, claimed_at=None))

    def test_two_open_questions_and_two_notices_of_one_comment(self, draft, annotator):
        ask = Comment.objects.create(annotation=draft, text="Why?", is_ask=True, author=annotator)
        self.refuses(lambda: Comment.objects.create(annotation=draft, text="Why?", is_ask=True, author=annotator))
        Notice.objects.create(comment=ask, person=annotator, kind="mention")
        self.refuses(lambda: Notice.objects.create(comment=ask, person=annotator, kind="reply"))
