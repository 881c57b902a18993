"""Fetching evidence: each request once, a wiki by one worker at a time, nothing lost when a worker dies."""

import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, close_old_connections, connection, transaction
from django.utils import timezone

from annotation import tasks
from annotation.evidence import ask_again, ask_for_article, ask_for_evidence, claim_request, queue, work_off
from annotation.evidence.fetching import NotToBeHad, TryLater
from annotation.evidence.whereabouts import find_page
from annotation.models import Evidence, EvidenceKind, EvidenceRequest, Family, Rendering, RequestState, Tag, Wiki
from core.refusals import Refusal
from core.writing.leases import LeaseLost
from tests.factories import ArticleFactory, TagFactory, WikiFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def wiki() -> Wiki:
    return WikiFactory(api_url="https://en.wiki.example/w/api.php", language="en")


@pytest.fixture
def tag(wiki) -> Tag:
    return TagFactory(article__wiki=wiki)


class Fetches(list):
    """Stands in for fetching: notes tag and kind of what is asked for, and gives what `outcome` says."""

    outcome: Exception | None = None

    def __call__(self, request, *, renew):
        self.append((request.tag_id, request.kind))
        if self.outcome:
            raise self.outcome
        title = f"{request.kind} {len(self)}"
        return Evidence.objects.create(tag=request.tag, kind=request.kind, title=title, rendering=Rendering.WIKITEXT)


@pytest.fixture
def fetches(monkeypatch) -> Fetches:
    stand_in = Fetches()
    monkeypatch.setattr(queue, "fetch_request", stand_in)
    return stand_in


def worker_dies(request: EvidenceRequest) -> None:
    EvidenceRequest.objects.filter(pk=request.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_every_tag_gets_its_article_history_and_talk_page_once(tag):
    assert ask_for_evidence(tag=tag)
    ask_for_evidence(tag=tag)
    assert list(tag.evidence_requests.values_list("kind", flat=True)) == ["article", "history", "talk"]


def test_a_tag_that_names_other_articles_gets_these_too(wiki):
    tag = TagFactory(article__wiki=wiki, family=Family.CONTRADICT_OTHER, other_articles=["Tolna", "Averil"])
    ask_for_evidence(tag=tag)
    others = tag.evidence_requests.filter(kind=EvidenceKind.OTHER)
    assert list(others.values_list("subject", flat=True)) == ["Tolna", "Averil"]


def test_tags_of_files_are_asked_for_once_too():
    tag = TagFactory(article=ArticleFactory(wiki=None, page_id=None, revision_id=None, wikitext=""))
    for _ in range(2):
        ask_for_evidence(tag=tag)
    assert tag.evidence_requests.count() == 3
    work_off(tag.pk)
    article = Evidence.objects.get(tag=tag)
    assert article.rendering == Rendering.PARAGRAPH
    assert '<p class="ev-tagged">The bridge opened in 1903.<sup class="ev-aside ev-this-tag">' in article.html
    assert set(tag.evidence_requests.exclude(kind="article").values_list("state", "reason")) == {
        ("missing", "This article came from a file, so there is no wiki to ask.")
    }


def test_a_request_is_claimed_once(tag):
    ask_for_evidence(tag=tag)
    request = tag.evidence_requests.first()
    assert claim_request(request.pk)
    assert claim_request(request.pk) is None
    assert claim_request(10**9) is None


@pytest.mark.django_db(transaction=True)
def test_of_several_workers_one_asks_a_wiki(tag):
    ask_for_evidence(tag=tag)
    requests = list(tag.evidence_requests.values_list("pk", flat=True))
    got = []
    start = threading.Barrier(3)

    def claim(request_id):
        start.wait()
        got.append(claim_request(request_id))
        connection.close()

    threads = [threading.Thread(target=claim, args=(request_id,)) for request_id in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    close_old_connections()
    assert sum(request is not None for request in got) == 1


def test_what_a_dead_worker_held_is_taken_up_by_the_clock(tag, fetches):
    ask_for_evidence(tag=tag)
    request = claim_request(tag.evidence_requests.first().pk)
    tasks.wake_evidence()
    assert fetches == []
    worker_dies(request)
    tasks.wake_evidence()
    assert len(fetches) == 3
    assert not EvidenceRequest.objects.unanswered().exists()


def test_a_request_on_which_workers_die_is_given_up(tag):
    ask_for_evidence(tag=tag)
    request = tag.evidence_requests.first()
    for _ in range(queue.MOST_TRIES):
        assert claim_request(request.pk)
        worker_dies(request)
    assert claim_request(request.pk) is None
    request.refresh_from_db()
    assert request.state == RequestState.MISSING
    assert "worker stopped" in request.reason


def test_a_worker_that_was_thought_dead_changes_nothing(tag, fetches):
    ask_for_evidence(tag=tag)
    request = tag.evidence_requests.first()
    late = claim_request(request.pk)
    worker_dies(request)
    again = claim_request(request.pk)
    hold = queue._hold(late)
    assert not hold.let_go(state=RequestState.MISSING, reason="late")
    request.refresh_from_db()
    assert (request.state, request.lease_expires_at) == (RequestState.RUNNING, again.lease_expires_at)
    with pytest.raises(LeaseLost):
        hold.renew()


def test_urgent_requests_come_first(wiki, fetches):
    tags = [TagFactory(article__wiki=wiki) for _ in range(3)]
    for tag in tags:
        ask_for_evidence(tag=tag)
    ask_for_evidence(tag=tags[2], urgent=True)
    work_off(tags[1].pk)
    assert list(dict.fromkeys(tag_id for tag_id, _ in fetches)) == [tags[1].pk, tags[2].pk, tags[0].pk]


def test_a_passing_error_waits_longer_each_time(tag, fetches):
    fetches.outcome = TryLater("The wiki is busy.")
    ask_for_evidence(tag=tag)
    request = tag.evidence_requests.first()
    pauses = []
    for _ in range(3):
        EvidenceRequest.objects.update(not_before=timezone.now())
        queue.fetch_claimed(request.pk)
        request.refresh_from_db()
        pauses.append(round((request.not_before - timezone.now()).total_seconds()))
    assert pauses == [30, 60, 120]
    assert (request.state, request.reason) == (RequestState.WAITING, "The wiki is busy.")


def test_what_cannot_be_had_says_why_and_can_be_asked_for_again(tag, fetches):
    fetches.outcome = NotToBeHad("It was deleted.")
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    request = tag.evidence_requests.first()
    assert (request.state, request.reason) == (RequestState.MISSING, "It was deleted.")
    fetches.outcome = None
    ask_again(request=request)
    assert request.state == RequestState.WAITING
    work_off(tag.pk)
    request.refresh_from_db()
    assert (request.state, request.reason) == (RequestState.DONE, "")


def test_a_fault_of_ours_is_told_and_stops_no_other(tag, fetches):
    fetches.outcome = ValueError("odd")
    ask_for_evidence(tag=tag)
    assert work_off(tag.pk) == 3
    assert "ValueError: odd" in tag.evidence_requests.first().reason


def test_what_is_being_fetched_cannot_be_asked_for_again(tag):
    ask_for_evidence(tag=tag)
    request = claim_request(tag.evidence_requests.first().pk)
    with pytest.raises(Refusal, match="being fetched"):
        ask_again(request=request)


def test_the_clock_asks_for_the_evidence_of_new_tags_only_when_it_may(tag, fetches, settings):
    tasks.wake_evidence()
    assert fetches == []
    settings.EVIDENCE_AHEAD = True
    gone = TagFactory(gone_at=timezone.now())
    tasks.wake_evidence()
    assert {tag_id for tag_id, _ in fetches} == {tag.pk}
    assert not gone.evidence_requests.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"state": RequestState.MISSING},
        {"state": RequestState.DONE},
        {"state": RequestState.RUNNING},
        {"lease_expires_at": timezone.now()},
    ],
)
def test_the_database_refuses_half_a_state(tag, changes):
    ask_for_evidence(tag=tag)
    with pytest.raises(IntegrityError), transaction.atomic():
        tag.evidence_requests.update(**changes)


# --- Which wiki has an article -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Velm Bridge", "Velm Bridge"),
        (" velm_Bridge#Spans ", "velm Bridge"),
        ("https://en.wiki.example/wiki/Velm_Bridge", "Velm Bridge"),
        ("https://en.m.wiki.example/wiki/Velm_Bridge#Spans", "Velm Bridge"),
        ("https://en.wiki.example/w/index.php?title=Velm_Bridge&oldid=7", "Velm Bridge"),
        ("Talk:Velm Bridge", "Talk:Velm Bridge"),
        ("Re: Zero", "Re: Zero"),
    ],
)
def test_titles_and_addresses_of_the_article_s_own_wiki(tag, wiki, text, title):
    page = find_page(text, tag)
    assert (page.wiki, page.title) == (wiki, title)


@pytest.mark.parametrize("text", ["de:Velmbrücke", ":de:Velmbrücke", "https://de.wiki.example/wiki/Velmbr%C3%BCcke"])
def test_another_language_needs_an_admin_or_the_setting(tag, text, settings):
    if text.startswith("https"):
        with pytest.raises(Refusal, match="An admin can allow it"):
            find_page(text, tag)
    assert Wiki.objects.count() == 1
    settings.WIKI_SAME_FAMILY = True
    page = find_page(text, tag)
    assert (page.wiki.api_url, page.wiki.language) == ("https://de.wiki.example/w/api.php", "de")
    assert page.title == "Velmbrücke"
    Wiki.objects.filter(pk=page.wiki.pk).update(is_allowed=False)
    if text.startswith("https"):
        with pytest.raises(Refusal):
            find_page(text, tag)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "https://evil.example/wiki/X", "https://en.wiki.example.evil.example/wiki/X", "http://[", "a|b",
     "x" * 300, "https://169.254.169.254/wiki/X", "https://en.wiki.example@evil.example/wiki/X", "https://de.evil.example/wiki/X"],
)  # fmt: skip
def test_no_other_host_is_asked(tag, annotator, text, settings):
    settings.WIKI_SAME_FAMILY = True
    with pytest.raises(Refusal):
        ask_for_article(tag=tag, text=text, by=annotator)
    assert Wiki.objects.count() == 1
