"""The desk's addresses: who may use them, what they answer to script and to plain forms, also when sent rubbish."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.content.fields import questions_of
from annotation.content.rows import content_of
from annotation.models import Annotation, DraftSave, Skip
from core.models import Role
from tests.annotation.desk_helpers import (
    address,
    claim,
    complete_content,
    let_lapse,
    save,
    submit,
)
from tests.factories import AnnotationFactory, TagFactory


def send(client, name: str, draft: Annotation, content=None, *, version=0, **changes):
    body = {"content": complete_content() if content is None else content, "operation": str(uuid4()), "tab": "t"}
    return client.post(
        address(name, draft),
        json.dumps(body | changes),
        content_type="application/json",
        headers={"If-Match": f'"{version}"'},
    )


def form(content, *, version=0, **more):
    filled = {name: value for name, value in content.items() if value}
    return filled | {"base_version": version, "operation": str(uuid4())} | more


# --- who ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN, None])
def test_only_annotators_have_a_desk(role, request, sign_in):
    cast = {Role.REVIEWER: "reviewer", Role.ADJUDICATOR: "adjudicator", Role.ADMIN: "admin", None: "stranger"}
    client = sign_in(request.getfixturevalue(cast[role]))
    for name in ("desk", "my_work"):
        assert client.get(reverse(name)).status_code == 403
    assert client.post(reverse("desk_next")).status_code == 403


@pytest.mark.parametrize("name", ["annotation", "skip", "flag"])
def test_nobody_sees_the_draft_of_another(draft, other_annotator, sign_in, name):
    assert sign_in(other_annotator).get(address(name, draft)).status_code == 404


@pytest.mark.parametrize("name", ["save", "submit", "renew", "skip", "flag", "reopen", "resume", "hand_back"])
def test_nobody_changes_the_draft_of_another(draft, other_annotator, sign_in, name):
    client = sign_in(other_annotator)
    assert client.post(address(name, draft), {"reason": "x"} | form(complete_content())).status_code == 404
    assert send(client, name, draft).status_code == 404
    draft.refresh_from_db()
    assert draft.version == 0


def test_looking_takes_no_tag(annotator, anna):
    tag = TagFactory()
    assert "1 tag" in anna.get(reverse("desk")).text
    assert anna.get(reverse("desk_next")).status_code == 405
    assert tag.assignments.get().annotator is None


# --- the page ----------------------------------------------------------------------------------------------------


def test_the_page_shows_the_tag_marked_with_its_reason_and_the_article(annotator, anna):
    TagFactory(
        raw="Inconsistent|reason=see infobox",
        reason="see infobox",
        section="Construction",
        paragraph="It opened in 1903.{{Inconsistent|reason=see infobox}} It is long.",
        paragraph_clean="It opened in 1903. It is long.",
        article__wikitext="It opened in 1903.{{Inconsistent|reason=see infobox}} It is long.",
        article__wiki__is_allowed=False,
    )
    draft = claim(annotator)
    anna.post(reverse("desk_evidence", args=[draft.pk, "article"]))
    page = anna.get(address("annotation", draft)).text
    assert '<p class="ev-tagged">It opened in 1903.<sup class="ev-aside ev-this-tag">[inconsistent]</sup>' in page
    assert "see infobox" in page
    assert "Construction" in page
    assert "https://wiki.example.org/wiki/" in page


def test_hostile_text_is_text(annotator, anna):
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    TagFactory(
        article__title=evil[:200],
        article__url="javascript:alert(1)",
        raw=evil,
        reason=evil,
        section=evil,
        paragraph="{{" + evil + "}}" + evil,
        paragraph_clean=evil,
        other_articles=[evil],
    )
    draft = claim(annotator)
    save(draft, complete_content(valid_comment=evil, question1=evil, paragraphA_article=evil))
    page = anna.get(address("annotation", draft)).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "javascript:" not in page
    assert "<script>alert" not in anna.get(reverse("my_work")).text


def test_no_page_of_the_desk_needs_inline_script_or_style(annotator, anna, draft):
    for path in (reverse("desk"), address("annotation", draft), address("skip", draft), reverse("my_work")):
        response = anna.get(path, follow=True)
        assert "script-src 'self'" in response["Content-Security-Policy"]
        assert " style=" not in response.text
        assert "<script>" not in response.text


def test_text_that_begins_with_an_empty_line_keeps_it(anna, draft):
    save(draft, complete_content(valid_comment="\nsecond line"))
    assert ">\n\nsecond line</textarea>" in anna.get(address("annotation", draft)).text


def test_the_empty_desk_says_what_will_come(annotator, other_annotator, anna, admin):
    assert "None has been harvested yet" in anna.get(reverse("desk")).text
    TagFactory()
    claim(other_annotator)
    page = anna.get(reverse("desk")).text
    assert "1 tag is with other annotators" in page
    assert "goes back to the queue" in page


def test_a_submitted_annotation_is_shown_and_cannot_be_changed(anna, draft):
    submit(draft)
    page = anna.get(address("annotation", draft)).text
    assert "Waiting for review" in page
    assert "scripts/desk/" not in page
    assert anna.post(address("save", draft), form(complete_content(valid_comment="x"), version=1)).status_code == 409


# --- script ------------------------------------------------------------------------------------------------------


def test_a_save_is_answered_with_its_version(anna, draft):
    response = send(anna, "save", draft)
    assert response.json() == {"version": 1, "standing": "held", "message": ""}


def test_a_stale_save_is_answered_with_the_other_version(anna, draft):
    send(anna, "save", draft, complete_content(valid_comment="one"))
    response = send(anna, "save", draft, complete_content(valid_comment="two"))
    assert response.status_code == 409
    answer = response.json()
    assert (answer["reason"], answer["version"], answer["content"]["valid_comment"]) == ("stale", 1, "one")


def test_a_save_after_losing_the_tag_is_kept_and_told(anna, draft, other_annotator):
    let_lapse(draft)
    claim(other_annotator)
    answer = send(anna, "save", draft).json()
    assert answer["standing"] == "lost"
    assert "My work" in answer["message"]


def test_a_submission_is_answered_with_the_problems_or_the_next_tag(anna, draft):
    response = send(anna, "submit", draft, complete_content(confidence=""))
    assert response.status_code == 422
    assert response.json()["problems"] == [
        {
            "field": "confidence",
            "target": "f-confidence",
            "step": 6,
            "label": "Confidence",
            "message": "Say how confident you are, from 1 to 5.",
            "is_unseen": False,
        }
    ]
    TagFactory()
    answer = send(anna, "submit", draft, version=1).json()
    assert anna.get(answer["next"]).status_code == 200
    assert Annotation.objects.count() == 2


def test_a_stranger_is_told_so_in_a_way_that_script_understands(draft, anna):
    anna.logout()
    for name in ("save", "submit", "renew"):
        response = send(anna, name, draft)
        assert (response.status_code, response.json()["reason"]) == (401, "signed_out")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param("not json", 400, id="no JSON"),
        pytest.param("[]", 400, id="a list"),
        pytest.param("null", 400, id="nothing"),
        pytest.param(b"\xff\xfe", 400, id="no UTF-8"),
        pytest.param("[" * 100_000, 400, id="deep"),
        pytest.param('{"content": {}}', 400, id="no operation"),
        pytest.param('{"content": {}, "operation": "7"}', 400, id="no UUID"),
        pytest.param('{"content": [], "operation": OPERATION}', 400, id="content is a list"),
        pytest.param('{"content": {"valid_comment": "\\ud83d"}, "operation": OPERATION}', 400, id="half a pair"),
        pytest.param('{"content": {"valid_comment": "\\u0000"}, "operation": OPERATION}', 400, id="NUL"),
        pytest.param('{"content": {}, "operation": OPERATION, "tab": 7}', 400, id="tab is a number"),
        pytest.param('{"content": {"valid_comment": "LONG"}, "operation": OPERATION}', 413, id="long text"),
        pytest.param("x" * 3_000_000, 413, id="3 MB"),
    ],
)
def test_rubbish_is_refused_in_words_and_nothing_is_stored(anna, draft, body, status):
    if isinstance(body, str):
        body = body.replace("OPERATION", f'"{uuid4()}"').replace("LONG", "x" * 300_000)
    response = anna.post(address("save", draft), body, content_type="application/json", headers={"If-Match": '"0"'})
    assert response.status_code == status
    assert response.json()["reason"] == "refused"
    assert response.json()["message"].startswith("Not saved")
    assert not DraftSave.objects.exists()


@pytest.mark.parametrize("version", ["", "x", "-1", "99999999999999999999", "1.5"])
def test_a_save_that_names_no_version_is_refused(anna, draft, version):
    assert send(anna, "save", draft, version=version).status_code == 400


def test_the_open_page_is_told_about_newer_versions(anna, draft):
    save(draft, complete_content())
    answer = send(anna, "renew", draft, {}).json()
    assert (answer["version"], answer["standing"]) == (1, "held")


# --- plain forms -------------------------------------------------------------------------------------------------


def test_a_plain_form_is_saved(anna, draft):
    response = anna.post(address("save", draft), form(complete_content()), follow=True)
    assert "Draft saved." in response.text
    draft.refresh_from_db()
    assert draft.version == 1


def test_a_stale_plain_form_shows_both_versions_and_saving_again_keeps_mine(anna, draft):
    save(draft, complete_content(valid_comment="theirs"))
    response = anna.post(address("save", draft), form(complete_content(valid_comment="mine")))
    assert response.status_code == 409
    assert "theirs" in response.text
    assert "mine</textarea>" in response.text
    assert 'name="base_version" value="1"' in response.text


def test_a_plain_form_that_cannot_be_stored_comes_back_as_typed(anna, draft):
    content = complete_content(valid_comment="x" * 250_000, question1="still here?")
    response = anna.post(address("save", draft), form(content))
    assert response.status_code == 413
    assert "still here?" in response.text
    assert "200 kB" in response.text


def test_a_plain_form_with_problems_comes_back_with_links_to_them(anna, draft):
    response = anna.post(address("submit", draft), form(complete_content(confidence="", question1_answer2="no")))
    assert response.status_code == 422
    assert 'href="#f-confidence"' in response.text
    assert 'href="#f-question1_answer2"' in response.text
    assert "Both passages give this answer" in response.text


def questions_in(draft) -> list[str]:
    return [row[0] for row in questions_of(content_of(Annotation.objects.get(pk=draft.pk)))]


def test_without_script_a_written_question_is_removed_when_asked_once_more(anna, draft):
    content = complete_content(question2="second?", question3="third?")
    response = anna.post(address("save", draft), form(content, remove_question="2"), follow=True)
    assert "Remove question 2 and everything written in it?" in response.text
    assert response.text.count("remove_surely") == 1
    assert questions_in(draft)[1:] == ["second?", "third?"]
    draft.refresh_from_db()
    kept = form(content) | {"base_version": draft.version, "operation": uuid4()}
    assert "and everything written" not in anna.post(address("save", draft), kept, follow=True).text
    assert len(questions_in(draft)) == 3
    anna.post(address("save", draft), kept | {"remove_surely": "2", "operation": uuid4()})
    assert questions_in(draft)[1:] == ["third?"]


def test_without_script_an_empty_question_is_removed_at_once(anna, draft):
    content = complete_content(question3="third?")
    anna.post(address("save", draft), form(content, remove_question="2"))
    assert questions_in(draft)[1:] == ["third?"]


@pytest.mark.parametrize("number", ["0", "11", "x", "٣", "1" * 50])
def test_a_number_that_is_no_question_removes_nothing(anna, draft, number):
    for button in ("remove_question", "remove_surely"):
        anna.post(address("save", draft), form(complete_content(), operation=uuid4(), **{button: number}))
        assert len(questions_in(draft)) == 1
    assert "and everything written" not in anna.get(address("annotation", draft) + f"?remove={number}").text


def test_skip_and_flag_ask_for_a_reason_on_a_page_of_their_own(anna, draft):
    assert "Why are you skipping it?" in anna.get(address("skip", draft)).text
    assert anna.post(address("skip", draft), {"reason": " "}).status_code == 400
    response = anna.post(address("skip", draft), {"reason": "not my field"}, follow=True)
    assert "Skipped “Harbour Bridge”" in response.text
    assert Skip.objects.get().reason == "not my field"


def test_of_thirty_returned_the_start_shows_five_and_the_way_to_all(anna, annotator):
    AnnotationFactory.create_batch(30, annotator=annotator, state="returned", review_message="Which bridge?")
    page = anna.get(reverse("desk")).content.decode()
    assert "30 annotations were returned to you" in page
    assert page.count("Which bridge?") == 5
    assert reverse("my_work") + "?state=returned" in page
