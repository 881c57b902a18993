"""The client against a real MediaWiki: what it finds, in how many requests, and how it goes on."""

import json

import pytest

from annotation.mediawiki import ApiError, Wiki
from tests.annotation.wiki_helpers import TITLES, reasons, titles
from tests.mediawiki.content import MILESTONES, SPELLINGS

pytestmark = pytest.mark.mediawiki


# --- What is found ------------------------------------------------------------------------------------------------


def test_the_site_says_what_it_is(wiki_client):
    site = wiki_client.site()
    assert (site.name, site.language) == ("Wikipedia", "en")


def test_every_spelling_is_asked_of_the_wiki(wiki_client, wiki):
    """Known aliases are the start: each leads to its template, and that to all the others."""
    asked = ["inconsistent", "Template:Contradict-inline", "self contradictory", "Contradict_other", "No such thing"]
    found = wiki_client.template_names(asked)
    assert {name: set(spellings) for name, spellings in found.items()} == {
        name: {name, *others} for name, others in SPELLINGS.items()
    }
    assert all(spellings[0] == name for name, spellings in found.items())
    assert len(wiki.requests()) == 1


def test_articles_by_template_come_under_any_spelling_and_once(wiki_client):
    found = titles(
        wiki_client.pages_with_templates([name for family in SPELLINGS.items() for name in [family[0], *family[1]]])
    )
    assert len(found) == len(set(found))
    assert set(found) == {
        *TITLES,
        "Velm Bridge",
        "Harrow Point Lighthouse",
        "Battle of Kessel Ford",
        "Tarn Valley Railway",
        "Two Rivers Festival",
        "Ostrow Observatory",
        "Marché & Fête, 100% «Été»",
        "قلعة الورد",
    }


def test_an_alias_alone_finds_the_whole_template(wiki_client):
    """Asked for a redirect, MediaWiki lists only the pages that use that spelling."""
    assert titles(wiki_client.pages_with_templates(["Contradict-other"])) == [
        "Tarn Valley Railway",
        "Two Rivers Festival",
    ]


def test_a_template_that_the_wiki_lost_is_found_where_it_still_stands(wiki_client, wiki):
    wiki.edit("Orphaned tag", "Built in 1900.{{Inconsistent with that}}")
    found = wiki_client.pages_with_templates(["Inconsistent with that", "No such thing"])
    assert titles(found) == ["Orphaned tag"]
    assert len(wiki.requests()) == 4  # one of them counts


def test_a_category_brings_its_months(wiki_client, wiki):
    batches = list(wiki_client.pages_in_category("Self-contradictory articles"))
    found = titles(batches)
    assert len(found) == len(set(found)) == MILESTONES + 7
    assert {batch.total for batch in batches} == {len(found) + 2}  # two of the articles are in two months


@pytest.mark.parametrize("name", ["Category:All self-contradictory articles", "all_self-contradictory_articles"])
def test_a_category_is_found_however_it_is_written(wiki_client, name):
    assert len(titles(wiki_client.pages_in_category(name))) == MILESTONES + 7


@pytest.mark.parametrize("name", ["No such category", "a|b", ""])
def test_a_category_that_is_not_there_is_named(wiki_client, name):
    with pytest.raises(ApiError, match="category"):
        list(wiki_client.pages_in_category(name))


def test_an_article_comes_with_all_that_is_kept(wiki_client, wiki):
    ((page,),) = [batch.pages for batch in wiki_client.pages_by_title(["ostrow_Observatory"])]
    assert (page.title, page.namespace, page.redirected_from) == ("Ostrow Observatory", 0, "")
    assert page.wikitext.endswith("{{Inconsistent|date=July 2022}} Its founding in 1906 was celebrated.")
    assert page.revised_at.isoformat() == "2022-07-08T10:00:00+00:00"
    assert page.url == f"http://127.0.0.1:{wiki.port}/wiki/Ostrow_Observatory"
    assert page.page_id > 0
    assert page.revision_id > 0


@pytest.mark.parametrize(
    ("asked", "title", "redirected_from"),
    [
        (["Old Velm Bridge"], "Velm Bridge", "Old Velm Bridge"),
        (["Ancient_Velm_Bridge"], "Velm Bridge", "Ancient Velm Bridge"),
        (["Velm Bridge", "Old Velm Bridge"], "Velm Bridge", ""),
        (["velm  Bridge", "Velm_Bridge", " Velm Bridge ", "[[Velm Bridge]]"], "Velm Bridge", ""),
        (["Harrow Point Lighthouse#Tower"], "Harrow Point Lighthouse", ""),
        (["https://en.wikipedia.org/wiki/Velm_Bridge#Spans"], "Velm Bridge", ""),
        (["https://en.wikipedia.org/w/index.php?title=Velm_Bridge&oldid=7"], "Velm Bridge", ""),
        (["March%C3%A9", "Marché & Fête, 100% «Été»"], "Marché & Fête, 100% «Été»", ""),
        (["قلعة_الورد"], "قلعة الورد", ""),
    ],
)
def test_titles_lead_to_one_article(wiki_client, asked, title, redirected_from):
    pages = [page for batch in wiki_client.pages_by_title(asked) for page in batch.pages]
    assert [(page.title, page.redirected_from) for page in pages] == [(title, redirected_from)]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("Nicht da", "no such page"),
        ("Way to nowhere", "no such page"),
        ("Loop one", "circle"),
        ("Talk:Harrow Point Lighthouse", "another namespace"),
        ("Special:Search", "another namespace"),
        ("Way to a template", "another namespace"),
        ("mw:Help", "another wiki"),
        ("a|b", "invalid characters"),
        ("x" * 300, "too long"),
        ("../up", "relative path"),
    ],
)
def test_a_title_without_article_is_listed_with_the_reason(wiki_client, asked, reason):
    batches = list(wiki_client.pages_by_title([asked, "Velm Bridge"]))
    assert titles(batches) == ["Velm Bridge"]
    ((title, why),) = reasons(batches).items()
    assert title == asked
    assert reason in why


def test_a_title_that_is_an_attack_on_the_list_is_a_title(wiki_client):
    """Titles are divided by U+001F, so that a bar does not smuggle in another one."""
    batches = list(
        wiki_client.pages_by_title(["Velm Bridge|Harrow Point Lighthouse", "Tarn Valley line\x1fVelm Bridge"])
    )
    assert titles(batches) == []
    assert len(reasons(batches)) == 2


# --- How many requests --------------------------------------------------------------------------------------------


def test_fifty_titles_go_in_a_request(wiki_client, wiki):
    batches = list(wiki_client.pages_by_title([*TITLES, *TITLES]))
    assert [len(batch.pages) for batch in batches] == [50, 50, 20]
    assert len(wiki.requests()) == 3
    assert {batch.total for batch in batches} == {MILESTONES}


def test_a_template_takes_one_request_for_fifty_articles(wiki_client, wiki):
    assert len(titles(wiki_client.pages_with_templates(["Inconsistent"]))) == 85
    assert len(wiki.requests()) == 1 + 1 + 2  # the template's names, how many there are, the pages


def test_a_category_takes_one_request_for_fifty_articles(wiki_client, wiki):
    assert len(titles(wiki_client.pages_in_category("All self-contradictory articles"))) == MILESTONES + 7
    assert len(wiki.requests()) == 1 + 3  # the category, the pages


def test_each_request_says_who_asks_and_takes_compressed_replies(wiki):
    agents = {}
    for contact in ("people@example.org", "", "Zoë (https://example.org/contact)\r\nX-Injected: yes"):
        wiki.reset()
        Wiki(wiki.api_url, contact=contact).site()
        (request,) = wiki.requests()
        assert request["encoding"] == "gzip"
        assert request["parameters"]["formatversion"] == "2"
        assert request["parameters"]["maxlag"] == "5"
        agents[contact] = request["user_agent"]
    assert agents["people@example.org"].startswith("WikiContradictWorkbench/0.")
    assert "(people@example.org) python-requests/" in agents["people@example.org"]
    assert "(workbench@" in agents[""]
    assert agents["Zoë (https://example.org/contact)\r\nX-Injected: yes"].count("(") == 1


def test_a_long_list_of_titles_is_posted(wiki_client, wiki):
    long = [f"{'قلعة ' * 20}{number}" for number in range(50)]
    assert len(reasons(wiki_client.pages_by_title(long))) == 50
    (request,) = wiki.requests()
    assert request["method"] == "POST"


@pytest.mark.parametrize("size", [1500, 8000])
def test_a_cut_reply_is_put_together(wiki_client, wiki, size):
    whole = {page.title: page for batch in wiki_client.pages_with_templates(["Inconsistent"]) for page in batch.pages}
    wiki.cut_replies_at(size)
    pieces = list(wiki_client.pages_with_templates(["Inconsistent"]))
    assert {page.title: page for batch in pieces for page in batch.pages} == whole
    assert [len(batch.pages) for batch in pieces] == [50, 35]
    assert not reasons(pieces)


def test_a_text_that_fits_in_no_reply_is_listed(wiki_client, wiki):
    wiki.edit("Long article", "long words " * 1000 + "{{Inconsistent}}")
    wiki.cut_replies_at(3000)
    by_title = list(wiki_client.pages_by_title(["Velm Bridge", "Long article", "Milestone 1"]))
    by_template = list(wiki_client.pages_with_templates(["Inconsistent"]))
    assert set(titles(by_title)) == {"Milestone 1", "Velm Bridge"}
    assert "gave no text" in reasons(by_title)["Long article"]
    assert len(titles(by_template)) == 85
    assert list(reasons(by_template)) == ["Long article"]


# --- Going on ----------------------------------------------------------------------------------------------------


WALKS = {
    "template": lambda wiki_client, cursor=None: wiki_client.pages_with_templates(
        ["Inconsistent", "Contradict"], cursor=cursor
    ),
    "category": lambda wiki_client, cursor=None: wiki_client.pages_in_category(
        "Self-contradictory articles", cursor=cursor
    ),
    "titles": lambda wiki_client, cursor=None: wiki_client.pages_by_title([*TITLES, "No such page"], cursor=cursor),
}


@pytest.mark.parametrize("source", WALKS)
def test_a_walk_goes_on_from_any_batch(wiki_client, wiki, source):
    walk = WALKS[source]
    whole = [titles([batch]) for batch in walk(wiki_client)]
    batches = list(walk(wiki_client))
    for number, batch in enumerate(batches, start=1):
        wiki.reset()
        rest = list(walk(wiki_client, cursor=json.loads(json.dumps(batch.cursor))))
        assert set(titles(rest)) >= {title for some in whole[number:] for title in some}
        assert len(wiki.requests()) == len(batches) - number, "nothing is asked twice"
        assert {after.total for after in rest} <= {batch.total}


def test_a_list_whose_continuation_the_wiki_no_longer_knows_is_read_from_its_beginning(wiki_client):
    cursor = {
        "todo": ["Template:Contradicts other"],
        "continue": {"geicontinue": "gone", "continue": "geicontinue||"},
    }
    assert len(titles(wiki_client.pages_with_templates(["Contradicts other"], cursor=cursor))) == 2
