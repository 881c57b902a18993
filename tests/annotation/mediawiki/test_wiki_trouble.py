"""The client when a real MediaWiki lags, limits, breaks off, refuses, or answers with something else."""

import json
import time

import pytest

from annotation.mediawiki import ApiError, AskedToWait, MissingPage, NotAnApi, Refused, Unreachable, Wiki, WikiError
from tests.annotation.wiki_helpers import TITLES, Pauses, reasons, titles
from tests.mediawiki.content import MILESTONES
from tests.servers.services import free_port

pytestmark = pytest.mark.mediawiki


# --- Patience ----------------------------------------------------------------------------------------------------


def test_a_lagging_wiki_is_waited_for(wiki):
    """The refusal comes as a reply with status 200, and names five seconds."""
    pauses = Pauses()
    pauses.meanwhile = lambda: wiki.lag(12) if len(pauses) < 3 else wiki.lag(0)
    wiki.lag(12)
    assert Wiki(wiki.api_url, sleep=pauses).site().name == "Wikipedia"
    assert pauses == [5, 5, 5]


def test_the_lag_that_is_put_up_with_is_a_setting(wiki, client_pauses):
    wiki.lag(12)
    assert Wiki(wiki.api_url, maxlag=20, sleep=client_pauses).site().name == "Wikipedia"
    assert not client_pauses


def test_a_wiki_that_lags_too_long_is_left_alone_with_what_was_fetched_kept(wiki_client, wiki, client_pauses):
    walk = wiki_client.pages_by_title(TITLES)
    first = next(walk)
    wiki.lag(12)
    with pytest.raises(AskedToWait, match="12 seconds lagged") as failure:
        list(walk)
    assert failure.value.passing
    assert failure.value.retry_after == 5
    assert 300 < sum(client_pauses) <= 600
    wiki.lag(0)
    assert len(titles(wiki_client.pages_by_title(TITLES, cursor=first.cursor))) == 70


def test_too_many_requests_are_really_waited_out(wiki):
    wiki.fault("status", status=429, retry_after=2, every=2, times=1)
    pauses: list[float] = []

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        time.sleep(seconds)

    assert len(titles(Wiki(wiki.api_url, sleep=wait).pages_by_title(TITLES))) == MILESTONES
    assert 2 <= sum(pauses) < 6
    sent = [request["time"] for request in wiki.requests()]
    assert len(sent) == 4
    assert sent[2] - sent[1] >= 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_beyond_all_patience_is_reported_at_once(wiki_client, wiki, client_pauses, status):
    wiki.fault("status", status=status, retry_after=86400)
    with pytest.raises(AskedToWait, match="86400 s") as failure:
        wiki_client.site()
    assert failure.value.retry_after == 86400
    assert not client_pauses


def test_a_date_to_come_back_at_is_understood(wiki_client, wiki, client_pauses):
    at = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 90))
    wiki.fault("status", status=429, retry_after=at, times=1)
    wiki_client.site()
    assert 85 <= client_pauses[0] <= 90


@pytest.mark.parametrize("retry_after", ["soon", "-5", "1e9", "²", ""])
def test_a_senseless_wait_is_replaced_by_ours(wiki_client, wiki, client_pauses, retry_after):
    wiki.fault("status", status=429, retry_after=retry_after, times=2)
    wiki_client.site()
    assert client_pauses == [1, 2]


@pytest.mark.parametrize(
    "fault",
    [
        {"answer": "status", "status": 500},
        {"answer": "status", "status": 502},
        {"answer": "status", "status": 503},
        {"answer": "half"},
        {"answer": "cut"},
        {"answer": "json", "text": ""},
        {"answer": "json", "text": '{"error": {"code": "internal_api_error_DBQueryError", "info": "x"}}'},
        {"answer": "json", "text": '{"error": {"code": "readonly", "info": "x"}}'},
        {"answer": "json", "text": '{"error": {"code": "ratelimited", "info": "x"}}'},
    ],
)
def test_what_fails_in_passing_is_tried_again(wiki_client, wiki, client_pauses, fault):
    wiki.fault(**fault, every=2)
    found = titles(wiki_client.pages_by_title(TITLES))
    assert sorted(found) == sorted(TITLES)
    assert set(client_pauses) == {1}
    assert len(wiki.requests()) == 3 + len(client_pauses)


def test_a_slow_answer_is_asked_for_again(wiki, client_pauses):
    wiki.fault("held", asked="action", times=1)
    assert Wiki(wiki.api_url, timeout=(10, 3), sleep=lambda pause: wiki.let_go()).site().name == "Wikipedia"
    assert len(wiki.requests()) == 2


def test_pauses_grow_and_end(wiki_client, wiki, client_pauses):
    wiki_client.site()
    wiki.fault("half")
    with pytest.raises(Unreachable, match="broke off in the middle"):
        wiki_client.site()
    assert client_pauses == [1, 2, 4, 8, 16, 32]


# --- What has no point is said at once ---------------------------------------------------------------------------


def test_a_wiki_that_is_down_is_reported_soon(client_pauses):
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1 cannot be reached, .*refused") as failure:
        Wiki(f"http://127.0.0.1:{free_port()}/w/api.php", sleep=client_pauses).site()
    assert failure.value.passing
    assert client_pauses == [1, 2]


def test_an_unknown_host_is_reported(client_pauses, settings):
    settings.WIKI_ALLOWED_HOSTS = ["no-such-wiki.invalid"]
    with pytest.raises(Unreachable, match=r"no-such-wiki\.invalid cannot be reached"):
        Wiki("https://no-such-wiki.invalid/w/api.php", contact="people@example.org", sleep=client_pauses).site()


def test_a_wiki_asking_for_a_contact_is_served_or_named(wiki, client_pauses):
    wiki.require_user_agent()
    assert Wiki(wiki.api_url, contact="https://example.org/contact", sleep=client_pauses).site().name == "Wikipedia"
    wiki_client = Wiki(wiki.api_url, contact="call me", sleep=client_pauses)
    with pytest.raises(Refused, match="WIKI_CONTACT") as failure:
        wiki_client.site()
    assert not failure.value.passing
    assert not client_pauses


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ({"answer": "html"}, NotAnApi, "a page instead of JSON"),
        ({"answer": "json", "text": "[]"}, NotAnApi, "instead of JSON"),
        ({"answer": "json", "text": '{"a":' * 100_000}, NotAnApi, "too deep"),
        ({"answer": "status", "status": 404}, NotAnApi, "status 404"),
        ({"answer": "status", "status": 401}, Refused, "status 401"),
        ({"answer": "redirect", "location": "http://169.254.169.254/latest"}, Refused, "redirects us to"),
        ({"answer": "redirect", "location": "https://elsewhere.example/w/api.php"}, Refused, "not followed"),
        ({"answer": "redirect", "location": "file:///etc/passwd"}, Refused, "not followed"),
        ({"answer": "redirect", "location": "/w/api.php"}, NotAnApi, "another address"),
        ({"answer": "endless", "bytes": 80_000_000}, NotAnApi, "64 MiB"),
        ({"answer": "json", "text": '{"error": {"code": "readapidenied", "info": "x"}}'}, Refused, "members"),
        ({"answer": "json", "text": '{"error": {"code": "unknown_action", "info": "What?"}}'}, ApiError, "What?"),
        ({"answer": "json", "text": '{"error": "no"}'}, ApiError, "no"),
        ({"answer": "json", "text": '{"batchcomplete": true}'}, WikiError, "what wiki it is"),
    ],
)
def test_what_will_not_get_better_is_said_at_once(wiki_client, wiki, client_pauses, fault, error, words):
    wiki.fault(**fault)
    with pytest.raises(error, match=words) as failure:
        wiki_client.site()
    assert not failure.value.passing
    assert not client_pauses


def test_a_redirect_on_the_same_server_is_followed_with_the_question(wiki, client_pauses):
    wiki.fault("redirect", location=f"http://127.0.0.1:{wiki.port}/api.php?lost=1", times=1)
    wiki_client = Wiki(wiki.api_url, sleep=client_pauses)
    assert wiki_client.site().name == "Wikipedia"
    wiki_client.site()
    assert len(wiki.requests()) == 3, "the new address is kept"


def test_another_page_than_an_api_is_named(wiki, client_pauses):
    for path in ("/wiki/Main_Page", "/nothing/api.php"):
        with pytest.raises(NotAnApi, match=r"address of the wiki's api\.php"):
            Wiki(f"http://127.0.0.1:{wiki.port}{path}", sleep=client_pauses).site()


# --- A reply is other people's data ------------------------------------------------------------------------------


REVISION = {
    "revid": 2,
    "timestamp": "2024-01-01T00:00:00Z",
    "slots": {"main": {"contentmodel": "wikitext", "content": "x"}},
}
PAGE = {"pageid": 1, "ns": 0, "title": "A", "canonicalurl": "https://example.org/wiki/A", "revisions": [REVISION]}


def one_page(wiki_client, wiki, **changes):
    reply = {"batchcomplete": True, "query": {"pages": [PAGE | changes]}}
    wiki.fault("json", text=json.dumps(reply))
    (batch,) = wiki_client.pages_by_title(["A"])
    (page,) = batch.pages + batch.missing
    return page


def main_slot(**slot):
    return [REVISION | {"slots": {"main": slot}}]


def test_what_no_database_keeps_is_replaced(wiki_client, wiki):
    assert one_page(wiki_client, wiki, revisions=main_slot(content="a\x00b\ud800c🏰")).wikitext == "a�b�c🏰"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//example.org/", "http://[", 7, None])
def test_an_address_that_no_browser_should_open_is_dropped(wiki_client, wiki, url):
    assert one_page(wiki_client, wiki, canonicalurl=url, fullurl=url).url == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"revisions": main_slot(texthidden=True)}, "hidden"),
        ({"revisions": main_slot(contentmodel="json", content="{}")}, "json, not wikitext"),
        ({"revisions": [{}]}, "cannot be read"),
        ({"revisions": main_slot(content=None)}, "cannot be read"),
        ({"revisions": [{"revid": 10**30}]}, "cannot be read"),
        ({"pageid": "1; DROP TABLE"}, "cannot be read"),
        ({"revisions": []}, "no text"),
        ({"ns": 10}, "another namespace"),
    ],
)
def test_an_odd_page_is_listed_and_stops_nothing(wiki_client, wiki, changes, reason):
    page = one_page(wiki_client, wiki, **changes)
    assert isinstance(page, MissingPage)
    assert reason in page.reason


@pytest.mark.parametrize(
    "text",
    [
        '{"query": []}',
        '{"query": {"pages": {"1": {}}}}',
        '{"query": {"pages": [7, null]}}',
        '{"query": {"pages": [], "redirects": [{}], "normalized": 3}}',
        '{"continue": 7}',
        '{"continue": {"a": 1}}',
    ],
)
def test_a_reply_of_another_shape_ends_the_walk_without_the_page(wiki_client, wiki, text):
    wiki.fault("json", text=text)
    batches = list(wiki_client.pages_by_title(["A"]))
    assert titles(batches) == []
    assert list(reasons(batches)) == ["A"]
