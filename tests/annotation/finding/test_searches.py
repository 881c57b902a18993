"""Searches that an admin starts on the page Find or through the API: a worker does each once and says how it went."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.finding import looking
from annotation.mediawiki import Batch
from annotation.models import Candidate, Tag
from core.background import doing
from core.background.works import claim_next
from core.files import uploads
from core.models import BackgroundWork, Event, Role, WorkState
from tests.conftest import make_person
from tests.factories import ArticleFactory, WikiFactory
from tests.mediawiki.dumpfile import Page, dump

from .pages import BRIDGE, FINE, page

pytestmark = pytest.mark.django_db
PAGE, FORM = "/annotation/candidates/", "/annotation/candidates/search/"
SEARCHES = "/api/v1/candidates/searches/"
NOTES = "The bridge was opened in 1868 by the mayor. The bridge was opened in 1871 by the mayor. Many came."


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(uploads, "folder", lambda: tmp_path / "uploads")
    return tmp_path / "uploads"


@pytest.fixture
def do_waiting(django_capture_on_commit_callbacks):
    def do() -> BackgroundWork:
        with django_capture_on_commit_callbacks(execute=True):
            doing.do_waiting()
        return BackgroundWork.objects.latest("pk")

    return do


@pytest.fixture
def bridge():
    return ArticleFactory(title="Tarn Bridge", wikitext=BRIDGE, page_id=7)


def two_pages() -> bytes:
    """A dump of two pages, the first of which contradicts itself."""
    return "".join(dump([Page.of("Tarn Bridge", BRIDGE), Page.of("Other Bridge", FINE)])).encode()


def shown(client) -> str:
    return client.get(PAGE).content.decode()


def test_what_is_stored_is_searched(bridge, amir, do_waiting):
    asked = amir.post(FORM, {"source": "stored", "titles": ""})
    assert (asked.status_code, asked.url) == (302, PAGE)
    assert "Waiting for a worker" in shown(amir)
    assert not Candidate.objects.exists()
    assert do_waiting().state == WorkState.DONE
    assert Candidate.objects.get().article == bridge
    assert not Tag.objects.exists()
    assert "1 new, to decide on the page Find." in shown(amir)


def test_titles_are_read_from_the_wiki(amir, do_waiting, monkeypatch):
    class Client:
        def __init__(self, *given, **named): ...

        def pages_by_title(self, titles):
            assert titles == ["Tarn Bridge", "Mill"]
            yield Batch([page("Tarn Bridge", BRIDGE)], [], None)

    monkeypatch.setattr(looking, "WikiClient", Client)
    monkeypatch.setattr(looking, "refuse_unasked", lambda url, contact: None)
    wiki = WikiFactory()
    amir.post(FORM, {"source": "titles", "wiki": wiki.pk, "titles": "Tarn Bridge\r\n\r\nMill\r\nMill"})
    assert do_waiting().state == WorkState.DONE
    assert Candidate.objects.get().article.title == "Tarn Bridge"


def test_a_document_is_searched_under_its_file_s_name(amir, do_waiting, folder):
    amir.post(FORM, {"source": "document", "document": SimpleUploadedFile("notes.txt", NOTES.encode())})
    assert do_waiting().state == WorkState.DONE
    assert Candidate.objects.first().article.title == "notes"
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"Br\xfccke", "not text in UTF-8"), (b"a\0b", "no plain text"), (b"  \n", "is empty")],
    ids=["Latin-1", "binary", "blank"],
)
def test_a_document_that_is_no_text_is_refused_in_words(content, said, amir, do_waiting):
    amir.post(FORM, {"source": "document", "document": SimpleUploadedFile("notes.txt", content)})
    work = do_waiting()
    assert work.state == WorkState.REFUSED
    assert said in work.problem
    assert said in shown(amir)
    assert not Candidate.objects.exists()


def test_a_dump_is_searched(amir, do_waiting):
    wiki = WikiFactory()
    amir.post(FORM, {"source": "dump", "dump_wiki": wiki.pk, "dump": SimpleUploadedFile("wiki.xml", two_pages())})
    assert do_waiting().state == WorkState.DONE
    assert Candidate.objects.get().article.wiki == wiki


def test_what_was_found_before_a_dump_s_damage_is_kept(amir, do_waiting):
    whole = two_pages()
    cut = whole[: whole.rindex(b"<page>") + 40]
    amir.post(FORM, {"source": "dump", "dump_wiki": WikiFactory().pk, "dump": SimpleUploadedFile("wiki.xml", cut)})
    work = do_waiting()
    assert (work.state, Candidate.objects.count()) == (WorkState.REFUSED, 1)
    assert "1 new candidate stored" in work.problem


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"source": "titles"}, "Choose the wiki."),
        ({"source": "dump"}, "Choose the file."),
        ({"source": "document"}, "Choose the file."),
        ({"source": "moon"}, "moon is not one of the available choices"),
        ({}, "This field is required."),
    ],
    ids=str,
)
def test_a_form_with_something_missing_asks_for_it(sent, said, amir):
    answer = amir.post(FORM, sent)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not BackgroundWork.objects.exists()


def test_a_second_click_starts_nothing_new_and_a_later_search_finds_nothing_twice(bridge, amir, do_waiting):
    for _ in range(2):
        amir.post(FORM, {"source": "stored"})
    assert BackgroundWork.objects.count() == 1
    do_waiting()
    amir.post(FORM, {"source": "stored"})
    assert "None of them is new." in do_waiting().lines
    assert Candidate.objects.count() == 1


def test_a_search_whose_worker_died_is_taken_up_and_stores_nothing_twice(bridge, amir, do_waiting):
    amir.post(FORM, {"source": "stored"})
    dead = claim_next()
    doing.result_of(dead, doing.Progress(dead))
    BackgroundWork.objects.update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    assert "Its worker has stopped responding" in shown(amir)
    assert do_waiting().state == WorkState.DONE
    assert Candidate.objects.count() == 1
    assert Event.objects.filter(action="found").count() == 1


def test_a_cancelled_search_stops_at_the_next_page_and_keeps_what_it_stored(amir, do_waiting, monkeypatch):
    for number in (7, 8, 9):
        ArticleFactory(title=f"Bridge {number}", wikitext=BRIDGE, page_id=number)
    amir.post(FORM, {"source": "stored"})
    work = BackgroundWork.objects.get()
    compare = looking.compared_page

    def cancelled(title, wikitext):
        amir.post(f"/work/{work.key}/cancel/")
        return compare(title, wikitext)

    monkeypatch.setattr(looking, "compared_page", cancelled)
    monkeypatch.setattr(doing, "EVERY_SECONDS", 0.0)
    hear = doing.Progress.hear
    monkeypatch.setattr(doing.Progress, "hear", lambda self, *said: (self.write(), hear(self, *said)))
    assert do_waiting().state == WorkState.CANCELLED
    assert Candidate.objects.count() == 1
    assert "Cancelled" in shown(amir)


def test_nobody_else_starts_or_sees_a_search(bridge, amir, anna, rita, ada, client):
    amir.post(FORM, {"source": "stored"})
    key = BackgroundWork.objects.get().key
    for other in (anna, rita, ada):
        assert other.post(FORM, {"source": "stored"}).status_code == 403
        for where in (SEARCHES, f"{SEARCHES}{key}/"):
            assert other.get(where).status_code == 403
    assert client.post(FORM, {"source": "stored"}).status_code == 401
    assert client.get(SEARCHES).status_code == 401
    assert BackgroundWork.objects.count() == 1


def test_another_admin_sees_it_neither_on_the_page_nor_in_the_api(bridge, amir, sign_in):
    amir.post(FORM, {"source": "stored"})
    other = sign_in(make_person("amos", Role.ADMIN))
    assert "Waiting for a worker" not in shown(other)
    assert other.get(SEARCHES).json()["results"] == []
    assert other.get(f"{SEARCHES}{BackgroundWork.objects.get().key}/").status_code == 404


def test_the_api_starts_a_search_and_gives_its_progress(bridge, amir, do_waiting):
    begun = amir.post(SEARCHES, {"source": "stored"}, content_type="application/json")
    assert begun.status_code == 201
    assert (begun.json()["state"], begun.json()["source"]) == ("waiting", "stored")
    do_waiting()
    ended = amir.get(f"{SEARCHES}{begun.json()['key']}/").json()
    assert ended["state"] == "done"
    assert "1 new, to decide on the page Find." in ended["lines"]
    assert amir.get(SEARCHES).json()["results"] == [ended]
    refused = amir.post(SEARCHES, {"source": "titles"}, content_type="application/json")
    assert refused.status_code == 400


def test_the_api_takes_a_file_and_cancels(amir):
    notes = SimpleUploadedFile("notes.txt", NOTES.encode())
    begun = amir.post(f"{SEARCHES}files/", {"source": "document", "document": notes}).json()
    assert begun["files"] == ["notes.txt"]
    assert (
        amir.post(f"{SEARCHES}{begun['key']}/cancel/", content_type="application/json").json()["state"] == "cancelled"
    )
    assert amir.post(f"{SEARCHES}{begun['key']}/cancel/", content_type="application/json").status_code == 409
    assert amir.post(f"{SEARCHES}files/", {"source": "stored"}).status_code == 400
