"""The page Find: admins see the candidates, send them to the queue, dismiss them, undo it; no other role sees any."""

import pytest

from annotation.assisting.untagged.candidates import candidates_in_page
from annotation.finding.deciding import send_to_queue
from annotation.finding.storing import store_page_candidates
from annotation.models import Candidate, Tag
from tests.factories import WikiFactory

from .pages import BRIDGE, page

pytestmark = pytest.mark.django_db
PAGE, CHANGE = "/annotation/candidates/", "/annotation/candidates/change/"


@pytest.fixture
def candidate() -> Candidate:
    found = candidates_in_page("Tarn Bridge", BRIDGE)
    store_page_candidates(wiki=WikiFactory(), page=page("Tarn Bridge", BRIDGE), found=found, by=None)
    return Candidate.objects.get()


def state(candidate: Candidate) -> str:
    candidate.refresh_from_db()
    return candidate.state


def test_an_admin_sees_both_texts_and_the_reason(candidate, amir):
    shown = amir.get(PAGE).content.decode()
    for text in ("Opened: 1868", "The bridge was opened on 4 May 1871", "opened: 1868 ≠ 4 May 1871", "Tarn Bridge"):
        assert text in shown


def test_the_empty_page_says_how_candidates_get_here(amir):
    assert "No candidates yet" in amir.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("query", "is_shown"),
    [("kind=infobox", True), ("kind=total", False), ("state=sent", False), ("q=Tarn", True), ("q=Mill", False)],
)
def test_the_list_is_filtered(query, is_shown, candidate, amir):
    assert ("Opened: 1868" in amir.get(f"{PAGE}?{query}").content.decode()) == is_shown


@pytest.mark.parametrize("who", ["anna", "rita", "ada"])
def test_nobody_else_sees_or_decides(who, candidate, request):
    client = request.getfixturevalue(who)
    assert client.get(PAGE).status_code == 403
    assert client.post(CHANGE, {"one": f"send:{candidate.pk}"}).status_code == 403
    assert client.get("/api/v1/candidates/").status_code == 403
    assert state(candidate) == "waiting"


def test_one_is_decided_by_its_button_and_undone(candidate, amir):
    amir.post(CHANGE, {"one": f"dismiss:{candidate.pk}"})
    assert state(candidate) == "dismissed"
    assert "Your last decisions" in amir.get(PAGE).content.decode()
    amir.post(CHANGE, {"one": f"take_back:{candidate.pk}"})
    assert state(candidate) == "waiting"


def test_the_selected_ones_are_decided(candidate, amir):
    shown = amir.post(CHANGE, {"action": "send", "candidate": [candidate.pk]}, follow=True).content.decode()
    assert "1 candidate sent to the queue" in shown
    assert f"Tag {Tag.objects.get().pk}" in shown
    again = amir.post(CHANGE, {"action": "send", "candidate": [candidate.pk]}, follow=True).content.decode()
    assert "decided already" in again
    nothing = amir.post(CHANGE, {"action": "send"}, follow=True).content.decode()
    assert "No candidate was selected" in nothing


def test_the_api_lists_and_decides(candidate, amir):
    (row,) = amir.get("/api/v1/candidates/").json()["results"]
    assert (row["id"], row["state"], row["tag"]) == (candidate.pk, "waiting", None)
    sent = {"ids": [candidate.pk], "action": "send"}
    done = amir.post("/api/v1/candidates/change/", sent, content_type="application/json")
    assert done.json() == {"changed": 1}
    (row,) = amir.get("/api/v1/candidates/?state=sent").json()["results"]
    assert row["tag"] == Tag.objects.get().pk
    assert amir.post("/api/v1/candidates/change/", sent, content_type="application/json").status_code == 409


def test_the_desk_and_the_tag_s_page_say_who_found_it(candidate, admin, amir, anna):
    tag = send_to_queue(candidate=candidate, admin=admin)
    said = "Found by the program, not tagged by an editor"
    assert said in amir.get(f"/annotation/tags/{tag.pk}/").content.decode()
    assert "found by the program" in amir.get("/annotation/tags/").content.decode()
    assert said in anna.post("/annotation/desk/next/", follow=True).content.decode()
