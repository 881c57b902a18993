"""Comments of admins on responses and on words of them, closed to whoever judges in an open round."""

import pytest
from django.db import IntegrityError, transaction

from core.models import Event, Role
from judging.models import Response, ResponseComment
from tests.conftest import make_person
from tests.review.making import make_round, make_run


@pytest.fixture
def response(admin) -> Response:
    run = make_run()
    return Response.objects.filter(run=run).order_by("pk")[0]


@pytest.fixture
def amir(admin, sign_in):
    return sign_in(admin)


def where(response: Response) -> str:
    return f"/judging/responses/{response.key}/"


def note(client, response: Response, text: str = "Odd.", **more):
    return client.post(f"{where(response)}comment/", {"text": text} | more)


def test_words_of_a_response_are_commented_on(response, amir):
    words = response.answer.split()[0]
    answer = note(amir, response, "<b>Why</b> this one?", quote=words)
    assert answer["Location"] == f"{where(response)}#comments"
    comment = ResponseComment.objects.get()
    assert (comment.quote, comment.quote_start) == (words, 0)
    shown = amir.get(where(response)).content.decode()
    assert "&lt;b&gt;Why&lt;/b&gt; this one?" in shown
    assert f"{words}</button></blockquote>" in shown
    assert Event.objects.filter(action="commented", subject_kind="responsecomment").count() == 1


@pytest.mark.parametrize("sent", [{"text": " "}, {"quote": "words that nobody said"}, {"quote": "x" * 1_001}])
def test_what_cannot_be_is_refused_and_comes_back_as_typed(sent, response, amir):
    answer = note(amir, response, **({"text": "Odd, is it?"} | sent))
    assert answer.status_code == 400
    assert sent.get("quote", "")[:20] in answer.content.decode()
    assert not ResponseComment.objects.exists()


def test_an_admin_who_judges_in_an_open_round_neither_reads_nor_writes_any(response, amir, admin, sign_in):
    note(amir, response, "It is plainly wrong.")
    judge = make_person("jo", Role.ADMIN, Role.REVIEWER)
    make_round(admin, [judge, make_person("ray", Role.REVIEWER)], response.run)
    client = sign_in(judge)
    for answer in (client.get(where(response)), note(client, response)):
        assert answer.status_code == 403
        assert "plainly wrong" not in answer.content.decode()
    assert ResponseComment.objects.count() == 1


@pytest.mark.parametrize("values", [{"text": ""}, {"quote": "x"}, {"quote_start": 3}])
def test_the_database_refuses_half_a_comment(values, response, admin):
    whole = {"response": response, "author": admin, "text": "?"}
    with pytest.raises(IntegrityError), transaction.atomic():
        ResponseComment.objects.create(**whole | values)
