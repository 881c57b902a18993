"""A real MediaWiki's answers about single pages and revisions, and how it says that it has none."""

import json

import pytest

from annotation.mediawiki import ApiError, WikiError
from annotation.mediawiki.revisions import GONE_CODES, HIDDEN_CODES

pytestmark = pytest.mark.mediawiki


@pytest.fixture
def observatory(wiki_client, wiki):
    (batch,) = wiki_client.pages_by_title(["Ostrow Observatory"])
    wiki.reset()
    return batch.pages[0]


@pytest.fixture
def hidden(wiki, observatory):
    """The second of three revisions, whose text, comment and author an administrator has hidden."""
    revision = observatory.revision_id - 1
    hide(wiki, revision, 7)
    yield revision
    hide(wiki, revision, 0)


def hide(wiki, revision: int, what: int) -> None:
    with wiki.database() as database:
        database.execute("UPDATE revision SET rev_deleted = ? WHERE rev_id = ?", (what, revision))


def test_a_revision_as_readers_see_it(wiki_client, observatory):
    first = wiki_client.rendered(revision_id=observatory.revision_id - 2)
    assert (first.title, first.page_id) == ("Ostrow Observatory", observatory.page_id)
    assert "was founded in 1902" in first.html
    assert "1906" not in first.html
    assert "mw-editsection" not in first.html


def test_a_title_is_followed_through_its_redirect(wiki_client):
    page = wiki_client.rendered(title="Old Velm Bridge")
    assert (page.title, page.redirected_from) == ("Velm Bridge", "Old Velm Bridge")


@pytest.mark.parametrize("which", [{"revision_id": 10**8}, {"title": "No such page"}])
def test_what_is_not_there_is_told_by_its_code(wiki_client, which):
    with pytest.raises(ApiError) as error:
        wiki_client.rendered(**which)
    assert error.value.code in GONE_CODES


def test_a_hidden_revision_is_told_by_its_code(wiki_client, hidden):
    with pytest.raises(ApiError) as error:
        wiki_client.rendered(revision_id=hidden)
    assert error.value.code in HIDDEN_CODES


def test_how_pages_are_now(wiki_client, observatory, wiki):
    (batch,) = wiki_client.pages_by_title(["Harrow Point Lighthouse"])
    wiki.reset()
    lighthouse = batch.pages[0].page_id
    now = wiki_client.pages_now([observatory.page_id, lighthouse, 10**7])
    assert len(wiki.requests()) == 1
    assert now[observatory.page_id].revision_id == observatory.revision_id
    assert (now[observatory.page_id].talk_title, now[observatory.page_id].has_talk) == (
        "Talk:Ostrow Observatory",
        False,
    )
    assert now[lighthouse].has_talk
    assert now[10**7].revision_id == 0


def test_the_list_of_revisions(wiki_client, observatory, wiki):
    newest, second, first = wiki_client.revisions_before(observatory.page_id, None)
    assert (newest.id, newest.parent_id) == (observatory.revision_id, second.id)
    assert (first.parent_id, first.user, first.comment) == (0, "Wren", "new article")
    assert (second.user, second.is_anonymous, newest.is_anonymous) == ("192.0.2.7", True, False)
    assert newest.size > second.size > first.size
    assert len({stub.sha1 for stub in (newest, second, first)}) == 3
    assert wiki_client.revisions_before(observatory.page_id, second.id) == [second, first]
    assert wiki_client.revisions_before(observatory.page_id, newest.id, limit=2) == [newest, second]
    assert len(wiki.requests()) == 3


def test_the_revision_of_a_time_with_its_text(wiki_client, observatory, wiki):
    *_, second, first = wiki_client.revisions_before(observatory.page_id, None)
    wiki.reset()
    found, text = wiki_client.revision_at(observatory.page_id, second.at)
    assert found == second
    assert "1906" in text
    assert wiki_client.revision_at(observatory.page_id, first.at.replace(year=2001)) is None
    assert len(wiki.requests()) == 2


def test_texts_of_many_revisions_in_one_request(wiki_client, observatory, wiki):
    newest = observatory.revision_id
    texts = wiki_client.texts([newest - 2, newest - 1, newest, 10**8])
    assert set(texts) == {newest - 2, newest - 1, newest}
    assert "{{Inconsistent" in texts[newest].wikitext
    assert texts[newest].at == observatory.revised_at
    assert len(wiki.requests()) == 1


def test_what_is_hidden_is_none(wiki_client, observatory, hidden):
    _, stub, _ = wiki_client.revisions_before(observatory.page_id, None)
    assert (stub.user, stub.comment) == (None, None)
    assert wiki_client.texts([hidden])[hidden].wikitext is None
    assert wiki_client.revision_at(observatory.page_id, stub.at) == (stub, None)


def test_the_list_of_a_deleted_page(wiki_client):
    with pytest.raises(ApiError) as error:
        wiki_client.revisions_before(10**7, None)
    assert error.value.code in GONE_CODES


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"parse": []},
        {"parse": {"title": "A", "pageid": "x", "revid": 1, "text": "a"}},
        {"parse": {"title": "A", "pageid": 1, "revid": 0, "text": "a"}},
        {"query": {"pages": [7]}},
        {"query": {"pages": [{"pageid": 1, "revisions": [{"revid": "x"}, 7, {}]}]}},
        {"query": {"pages": [{"pageid": 1, "revisions": [{"revid": 3, "timestamp": "?", "slots": 7}]}]}},
    ],
)
def test_a_reply_of_another_shape_breaks_nothing(wiki_client, wiki, reply):
    wiki.fault("json", text=json.dumps(reply))
    for ask in (
        lambda: wiki_client.rendered(revision_id=7),
        lambda: wiki_client.pages_now([1]),
        lambda: wiki_client.revisions_before(1, None),
        lambda: wiki_client.texts([1]),
    ):
        try:
            ask()
        except WikiError:
            continue


def test_text_that_no_database_keeps_is_mended(wiki_client, wiki):
    page = {"title": "A", "pageid": 1, "revid": 2, "text": "a\x00b\ud800"}
    wiki.fault("json", text=json.dumps({"parse": page}))
    assert wiki_client.rendered(revision_id=2).html == "a�b�"
