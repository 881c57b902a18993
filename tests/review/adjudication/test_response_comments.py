"""Comments on responses and on words of them: who reads and writes them while people judge, through every door."""

import pytest
from django.core import mail
from django.db import IntegrityError, transaction

from annotation.models import Comment, Notice
from annotation.tasks import send_mail
from core.models import Event, Role, User
from judging.models import Response, ResponseComment
from review.models import Judgment, Saw, SeenJudgments
from review.rounds.adjudication import adjudicate
from review.rounds.rounds import close_round
from review.rounds.turns.seen import seen_by
from tests.conftest import make_person
from tests.factories import AnnotationFactory
from tests.factories.review import give_all, make_imported_run, make_round

TOLD = "Both say 1912, so it is plainly wrong."
NAMES_THE_MODEL = "Mist always says so."


def page(response: Response) -> str:
    return f"/judging/responses/{response.key}/"


def about(response: Response) -> str:
    return f"/judging/responses/{response.key}/comments/"


def api(response: Response) -> str:
    return f"/api/v1/responses/{response.key}/comments/"


def write(client, response: Response, text: str = TOLD, **more):
    return client.post(f"{about(response)}write/", {"text": text} | more)


@pytest.fixture
def response(admin) -> Response:
    return Response.objects.filter(run=make_imported_run(1)).order_by("pk")[0]


@pytest.fixture
def disputed(admin, reviewer, other_reviewer, response) -> Response:
    """A response of an open round about which its two reviewers disagree."""
    round = make_round(admin, [reviewer, other_reviewer], response.run)
    give_all(round.items.get(response=response), "correct", "incorrect")
    return response


def test_words_of_a_response_are_commented_on(response, amir):
    words = response.answer.split()[0]
    assert write(amir, response, "<b>Why</b>?", field="response", quote=words)["Location"].startswith(page(response))
    comment = Comment.objects.get()
    assert (comment.quote, comment.quote_start, comment.about) == (words, 0, "response")
    shown = amir.get(page(response)).content.decode()
    assert "&lt;b&gt;Why&lt;/b&gt;?" in shown
    assert f"{words}</button></blockquote>" in shown
    assert Event.objects.filter(action="commented", subject_kind="comment").count() == 1


@pytest.mark.parametrize(("field", "name"), [("question", "question"), ("passage_2", "passage_2")])
def test_words_of_what_it_answers_are_quoted_too(field, name, response, amir):
    words = response.instance.content[name].split()[-1]
    assert write(amir, response, field=field, quote=words).status_code == 302
    assert f'data-quotes="{field}"' in amir.get(page(response)).content.decode()


@pytest.mark.parametrize(
    "sent",
    [
        {"text": " "},
        {"field": "response", "quote": "words that nobody said"},
        {"quote": "Both"},
        {"field": "elsewhere"},
        {"text": "@nobody look"},
    ],
)
def test_what_cannot_be_is_refused_and_comes_back_as_typed(sent, response, amir):
    answer = write(amir, response, **({"text": "Odd, is it?"} | sent))
    assert answer.status_code == 400
    assert sent.get("text", "Odd, is it?") in answer.content.decode()
    assert not Comment.objects.exists()


def test_a_thread_is_replied_to_resolved_and_reopened(response, amir):
    write(amir, response)
    root = Comment.objects.get()
    write(amir, response, "Is it?", reply_to=root.pk)
    assert Comment.objects.get(reply_to=root).text == "Is it?"
    for act, is_resolved in (("resolve", True), ("reopen", False)):
        amir.post(f"/annotation/comments/{root.pk}/{act}/")
        root.refresh_from_db()
        assert bool(root.resolved_at) is is_resolved


def test_programs_do_the_same(response, amir):
    sent = {"text": TOLD, "field": "response", "quote": response.answer.split()[0]}
    written = amir.post(api(response), sent, content_type="application/json")
    assert written.status_code == 201
    assert [written.json()] == amir.get(api(response)).json()
    (said,) = amir.get(api(response)).json()
    assert (said["text"], said["quote"], said["resolved_at"]) == (TOLD, sent["quote"], None)
    assert amir.post(f"/api/v1/comments/{said['id']}/resolve/", content_type="application/json").status_code == 204
    assert amir.get(api(response)).json()[0]["resolved_at"]


@pytest.mark.parametrize("act", ["answer", "hand-back"])
def test_no_tag_waits_for_the_answer_to_a_comment_on_a_response(response, amir, act):
    write(amir, response)
    root, sent = Comment.objects.get(), {"text": "x"}
    assert amir.post(f"/annotation/comments/{root.pk}/{act}/", sent).status_code == 409
    if act == "answer":
        answered = amir.post(f"/api/v1/comments/{root.pk}/answer/", sent, content_type="application/json")
        assert (answered.status_code, answered["Content-Type"]) == (409, "application/problem+json")
    assert Comment.objects.count() == 1


def test_a_mention_is_a_notice_and_a_letter_that_leads_there(disputed, adjudicator, ada, settings):
    settings.MAIL_CONFIGURED, settings.SITE_ADDRESS = True, "https://bench.example/"
    write(ada, disputed, f"@{adjudicator.username} Really?")
    assert not Notice.objects.exists()
    other = make_person("ines", Role.ADJUDICATOR)
    User.objects.filter(pk=other.pk).update(mail=User.Mail.AT_ONCE)
    write(ada, disputed, f"@ines {TOLD}")
    assert Notice.objects.get().person == other
    send_mail()
    (letter,) = mail.outbox
    assert letter.to == ["ines@example.org"]
    assert disputed.instance.question in letter.body
    assert TOLD not in letter.body
    assert f"/annotation/comments/{Notice.objects.get().comment_id}/" in letter.body


# --- Blindness ------------------------------------------------------------------------------------------------------


def doors(response: Response) -> list[str]:
    """Whatever could show a comment on it, or that there is one."""
    of_all = ["/annotation/comments/", "/activity/", "/", "/overview/", "/judging/responses/export/jsonl/"]
    return [page(response), about(response), api(response), *of_all, "/review/files/judgments.csv", "/review/judge/"]


def told(client, response: Response, text: str) -> list[str]:
    """The doors by which this person reads the text."""
    found = []
    for door in doors(response):
        answer = client.get(door, follow=True)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        if text in body.decode():
            found.append(door)
    return found


def test_whoever_adjudicates_reads_and_writes_without_learning_the_model(disputed, ada, amir):
    key = disputed.items.get().adjudication.key
    write(amir, disputed, NAMES_THE_MODEL)
    write(ada, disputed, TOLD)
    for where in (about(disputed), api(disputed), f"/review/adjudicate/{key}/"):
        shown = ada.get(where).content.decode()
        assert TOLD in shown
        assert "Mist" not in shown
    assert TOLD in amir.get(page(disputed)).content.decode()
    assert ResponseComment.objects.filter(knows_model=False).count() == 1


def test_a_reply_by_a_person_who_knows_the_model_reaches_the_adjudicator_once_the_round_is_finished(
    disputed, ada, amir, adjudicator
):
    write(ada, disputed)
    write(amir, disputed, NAMES_THE_MODEL, reply_to=Comment.objects.get().pk)
    assert told(ada, disputed, NAMES_THE_MODEL) == []
    assert "1 new" not in ada.get("/annotation/comments/").content.decode()
    item = disputed.items.get()
    adjudicate(adjudication=item.adjudication, person=adjudicator, verdict="incorrect", reason="both")
    close_round(round=item.round, admin=None)
    assert about(disputed) in told(ada, disputed, NAMES_THE_MODEL)


@pytest.mark.parametrize(
    "others", [(), (Role.ADMIN,), (Role.ADJUDICATOR,), (Role.ADMIN, Role.ADJUDICATOR), (Role.ADMIN, Role.ANNOTATOR)]
)
def test_whoever_judged_it_learns_nothing_by_any_door(others, admin, adjudicator, response, sign_in):
    judge = make_person("jo", Role.REVIEWER, *others)
    round = make_round(admin, [judge, *judges("ray")], response.run)
    give_all(round.items.get(response=response), "correct", "incorrect")
    mention = f"@{judge.username} " if others else ""
    write(sign_in(admin), response, mention + TOLD)
    write(sign_in(adjudicator), response, mention + TOLD)
    root = ResponseComment.objects.get(knows_model=False)
    jo = sign_in(judge)
    assert told(jo, response, TOLD) == []
    assert told(jo, response, f"/annotation/comments/{root.pk}/") == []
    assert write(jo, response, "?").status_code == 404
    assert jo.post(api(response), {"text": "?", "field": ""}, content_type="application/json").status_code == 404
    for act in ("", "resolve/", "reopen/"):
        where = f"/annotation/comments/{root.pk}/{act}"
        assert (jo.post(where) if act else jo.get(where)).status_code == 404
    assert Comment.objects.count() == 2


def test_a_person_who_judges_elsewhere_in_the_round_adjudicates_without_the_words_of_those_who_know(
    admin, response, amir, sign_in
):
    """Rosa judges other responses of the round only, and adjudicates this one."""
    rosa = make_person("rosa", Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN)
    people = judges("ray", "rob")
    round = make_round(admin, people, response.run)
    give_all(round.items.get(response=response), "correct", "incorrect")
    round.reviewers.create(person=rosa)
    write(amir, response, NAMES_THE_MODEL)
    client = sign_in(rosa)
    write(client, response, TOLD)
    assert NAMES_THE_MODEL not in client.get(about(response)).content.decode()
    assert not ResponseComment.objects.get(comment__author=rosa).knows_model
    assert client.get(page(response)).status_code == 403


def test_whoever_read_what_others_say_of_a_response_no_longer_judges_it(response, amir, admin, sign_in):
    write(amir, response)
    assert not SeenJudgments.objects.exists()
    reader = make_person("ines", Role.ADMIN, Role.REVIEWER)
    sign_in(reader).get(page(response))
    assert SeenJudgments.objects.get().what == Saw.COMMENTS
    make_round(admin, [reader, *judges("ray", "rob")], response.run)
    dealt = Judgment.objects.filter(item__response=response)
    assert not dealt.filter(reviewer=reader).exists()
    assert dealt.count() == 2
    assert not Judgment.objects.filter(seen_by(reader.pk), reviewer=reader).exists()


def judges(*names: str) -> list[User]:
    return [make_person(name, Role.REVIEWER) for name in names]


def test_a_page_with_none_but_ones_own_comments_keeps_nobody_from_judging(response, amir):
    write(amir, response)
    amir.get(page(response))
    assert not SeenJudgments.objects.exists()


@pytest.mark.parametrize("values", [{"about": "response"}, {"annotation": None}, {"about": ""}])
def test_the_database_refuses_a_comment_on_nothing_or_on_two_things(values, admin):
    whole = {"annotation": AnnotationFactory(), "author": admin, "text": "?"}
    with pytest.raises(IntegrityError), transaction.atomic():
        Comment.objects.create(**whole | values)
