"""Harvests from a real MediaWiki, through the command that an operator types."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.harvesting.dumps.dump import read_pages
from annotation.mediawiki import NotAsked
from annotation.mediawiki import Wiki as WikiClient
from annotation.models import Article, Harvest, HarvestState, Tag, Wiki
from core.models import Event
from tests.annotation.wiki_helpers import lead
from tests.mediawiki.content import MILESTONES

pytestmark = [pytest.mark.mediawiki, pytest.mark.django_db]

ROOT = Path(__file__).parents[3]
CONTACT = "keeper@example.org"


@pytest.fixture
def harvest(wiki, db):
    """`harvest("--template")` types the command and gives what it printed."""

    def typed(*arguments: str) -> str:
        out = StringIO()
        call_command("harvest_articles", *arguments, "--wiki", wiki.api_url, "--allow", stdout=out)
        return out.getvalue()

    return typed


@pytest.fixture
def own_page(wiki):
    """An article with a tag."""
    title = "Page under repair"
    wiki.edit(title, "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms.")
    wiki.reset()
    return title


def rows() -> list:
    return [list(model.objects.order_by("pk").values()) for model in (Article, Tag)]


def test_by_template_under_every_spelling_in_few_requests(harvest, wiki):
    printed = harvest("--template", "--contact", CONTACT)
    done = Harvest.objects.get()
    assert done.state == HarvestState.DONE
    assert done.articles_seen == done.articles_new >= MILESTONES + 8
    assert f"new {done.tags_new}, gone 0" in printed
    assert Tag.objects.filter(article__title__startswith="Milestone").count() == MILESTONES
    spelt = set(Tag.objects.filter(article__title__startswith="Milestone").values_list("raw", "family"))
    assert {(raw.partition("|")[0], family) for raw, family in spelt} == {
        ("Inconsistent", "inconsistent"),
        ("Internally inconsistent", "inconsistent"),
        ("Contradict-inline", "self-contradictory"),
    }
    table_row = Tag.objects.get(article__title="Velm Bridge", raw__contains="three spans")
    assert (table_row.placement, table_row.date) == ("table", "June 2024")
    other = Tag.objects.get(article__title="Tarn Valley Railway")
    assert (other.family, other.other_articles) == ("contradict-other", ["Tarn Valley line"])
    assert other.reason == "the year of closure"
    asked = wiki.requests()
    assert len(asked) < 25
    assert all(CONTACT in request["user_agent"] and "gzip" in request["encoding"] for request in asked)
    assert Wiki.objects.get().aliases["Contradict-inline"] == "self-contradictory"


def test_a_second_run_changes_nothing(harvest):
    harvest("--template")
    before, events = rows(), Event.objects.exclude(subject_kind="harvest").count()
    harvest("--template")
    again = Harvest.objects.latest("pk")
    assert (again.articles_new, again.tags_new, again.tags_gone) == (0, 0, 0)
    assert rows() == before
    assert Event.objects.exclude(subject_kind="harvest").count() == events


def test_by_category_with_its_months(harvest):
    harvest("--category", "Self-contradictory articles")
    assert Tag.objects.filter(article__title__startswith="Milestone").count() == MILESTONES
    assert Harvest.objects.get().articles_total


def test_by_titles_in_any_spelling(harvest, tmp_path):
    listed = tmp_path / "titles.txt"
    listed.write_text("velm_Bridge\nOld Velm Bridge\nNo such page\nDraft:Unfinished\n\nقلعة الورد\n")
    printed = harvest("--titles-file", str(listed))
    assert "No such page: There is no such page." in printed
    assert "Draft:Unfinished: It is not an article" in printed
    assert set(Article.objects.values_list("title", flat=True)) == {"Velm Bridge", "قلعة الورد"}
    assert Harvest.objects.get().problems.count() == 2


def test_a_tag_that_an_editor_removes_is_gone_and_returns_with_a_revert(harvest, wiki, own_page):
    harvest("--template")
    tag = Tag.objects.get(article__title=own_page)
    wiki.edit(own_page, "It has 30 rooms.")
    harvest("--template")
    tag.refresh_from_db()
    assert tag.gone_at
    assert Article.objects.filter(title=own_page).count() == 2
    wiki.edit(own_page, "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms.")
    harvest("--titles", own_page)
    tag.refresh_from_db()
    assert not tag.gone_at
    assert Tag.objects.filter(article__title=own_page).count() == 1


def test_a_deleted_article_loses_its_tags(harvest, wiki, own_page):
    harvest("--titles", own_page)
    wiki.delete(own_page)
    harvest("--template")
    assert Tag.objects.get(article__title=own_page).gone_at


def test_the_wikis_own_dump_gives_the_same_tags(harvest, wiki, tmp_path):
    harvest("--template")
    path = tmp_path / "dump.xml"
    path.write_text(wiki.export(), encoding="utf-8")
    before = rows()
    harvest("--dump", str(path))
    again = Harvest.objects.latest("pk")
    assert again.articles_seen > MILESTONES
    assert (again.articles_new, again.tags_new, again.tags_gone) == (0, 0, 0)
    assert rows() == before


def test_a_wiki_that_refuses_us_fails_in_words_with_an_exit_code(harvest, wiki, db):
    harvest("--titles", "Velm Bridge")  # allows it
    wiki.fault("status", status=403)
    with pytest.raises(CommandError) as error:
        call_command("harvest_articles", "--titles", "Velm Bridge", stdout=StringIO())
    assert "WIKI_CONTACT" in str(error.value)
    failed = Harvest.objects.latest("pk")
    assert f"--resume {failed.pk}" in str(error.value)
    wiki.reset()
    call_command("harvest_articles", "--resume", str(failed.pk), stdout=StringIO())
    failed.refresh_from_db()
    assert failed.state == HarvestState.DONE


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--titles", "x", "--wiki", "https://elsewhere.example/w/api.php"], "not allowed"),
        (["--titles", "x"], "Say which wiki"),
        (["--tasks", "/nowhere.json"], "no readable file"),
        (["--resume", "77"], "no harvest 77"),
        (["--dump", "/nowhere.xml"], "Say which wiki"),
    ],
)
def test_the_command_refuses_in_words(arguments, said, db):
    with pytest.raises(CommandError, match=said):
        call_command("harvest_articles", *arguments, stdout=StringIO())


def test_a_killed_harvest_goes_on_and_doubles_nothing(wiki, migrated, tmp_path):
    """A process of its own with its own database, ended by SIGKILL while it waits for the second batch."""
    environment = os.environ | {"VAR_DIR": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/harvest.sqlite3"}
    manage = [sys.executable, "manage.py"]
    shutil.copy(migrated, tmp_path / "harvest.sqlite3")
    wiki.fault("held", asked="geicontinue")
    command = [*manage, "harvest_articles", "--template", "--wiki", wiki.api_url, "--allow"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    database = sqlite3.connect(tmp_path / "harvest.sqlite3", timeout=20)
    while process.poll() is None:
        if (database.execute("SELECT articles_seen FROM annotation_harvest").fetchone() or [0])[0]:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    state, seen, cursor = database.execute("SELECT state, articles_seen, cursor FROM annotation_harvest").fetchone()
    assert state == "running"
    assert 0 < seen < MILESTONES
    assert len(json.loads(cursor)["seen"]) == seen
    wiki.reset()
    with database:  # what the length of a lease would do
        database.execute("UPDATE annotation_harvest SET lease_expires_at = '2024-01-01 00:00:00'")
    done = subprocess.run(
        [*manage, "harvest_articles", "--resume", "1"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    state, seen, found, new = database.execute(
        "SELECT state, articles_seen, tags_found, tags_new FROM annotation_harvest"
    ).fetchone()
    tags = database.execute("SELECT count(*) FROM annotation_tag").fetchone()[0]
    articles = database.execute("SELECT count(*), count(DISTINCT revision_id) FROM annotation_article").fetchone()
    assert state == "done"
    assert seen == articles[0] == articles[1] >= MILESTONES + 8
    assert found == new == tags
    database.close()


@pytest.fixture
def nested(wiki):
    """A category whose articles lie one and two levels below it; one sub-category is in itself."""
    pages = {
        "Category:Disputed bridges": "[[Category:Disputed bridges by river]]",
        "Category:Disputed bridges by river": "[[Category:Disputed bridges]]",
        "Category:Disputed bridges of the Velm": "[[Category:Disputed bridges by river]]",
        "Weir Bridge": "It has 3 spans.{{Inconsistent}} It has 4 spans. [[Category:Disputed bridges by river]]",
        "Mill Bridge": "It has 2 spans.{{Inconsistent}} It has 1 span. [[Category:Disputed bridges of the Velm]]",
    }
    for title, text in pages.items():
        wiki.edit(title, text)
    wiki.reset()
    return "Disputed bridges"


def test_a_category_whose_articles_lie_below_says_so_and_is_read_by_depth(harvest, wiki, nested, admin, sign_in):
    def last() -> Harvest:
        return Harvest.objects.latest("pk")

    assert "Sub-categories         1   not read; --depth 1 reads them" in harvest("--category", nested)
    assert (last().state, last().articles_seen) == (HarvestState.DONE, 0)
    page = sign_in(admin).get(f"/annotation/harvests/{last().pk}/").text
    assert "the category itself contains no articles" in page
    assert "category=Disputed%20bridges&amp;depth=1" in page
    assert "not read; --depth 2" in harvest("--category", nested, "--depth", "1")
    assert (last().articles_seen, last().articles_total) == (1, 1)
    assert "not read" not in harvest("--category", nested, "--depth", "2")
    assert (last().articles_seen, last().articles_total) == (2, 2)
    asked = {"source": "category", "wiki": last().wiki_id, "category": nested, "depth": "1", "count": "1"}
    counted = sign_in(admin).post("/annotation/harvests/new/", asked).text
    assert "About 1 article, including talk pages." in " ".join(counted.split())
    assert "1 sub-category is not read" in " ".join(counted.split())
    assert 'value="Disputed bridges"' in counted


def test_a_harvest_by_template_knows_its_total_and_ends_at_the_most(harvest, wiki, admin, sign_in):
    harvest("--template", "Inconsistent", "--most", "70")
    done = Harvest.objects.get()
    assert (done.state, done.articles_seen, done.articles_total) == (HarvestState.DONE, 70, 70)
    asked = {"source": "template", "wiki": done.wiki_id, "names": "Inconsistent", "count": "1"}
    counted = " ".join(sign_in(admin).post("/annotation/harvests/new/", asked).text.split())
    harvest("--template", "Inconsistent")
    whole = Harvest.objects.latest("pk")
    assert whole.articles_total == whole.articles_seen > 70
    assert Harvest.objects.count() == 2
    assert f"{whole.articles_total} articles." in counted


def test_a_real_wiki_is_asked_by_a_name_of_this_machine(wiki, monkeypatch, settings):
    settings.WIKI_ALLOWED_HOSTS = ["wiki.example"]
    lead(monkeypatch, "wiki.example", "127.0.0.1")
    url = wiki.api_url.replace("127.0.0.1", "wiki.example")
    assert WikiClient(url, contact="me@example.org").site().name == "Wikipedia"
    settings.LOCAL_WIKIS = False
    with pytest.raises(NotAsked):
        WikiClient(url, contact="me@example.org").site()


@pytest.mark.parametrize("history", [False, True])
def test_a_dump_that_mediawiki_wrote_is_read(tmp_path, wiki, history):
    path = tmp_path / "dump.xml"
    path.write_text(wiki.export(history=history), encoding="utf-8")
    found = list(read_pages(path))
    for at in range(0, len(found), 7):
        assert list(read_pages(path, checkpoint=found[at][1])) == found[at + 1 :]
    pages = {page.title: page for page, _ in found}
    assert pages["Ostrow Observatory"].wikitext.count("{{Inconsistent") == 1
    assert pages["Velm Bridge"].url == f"http://127.0.0.1:{wiki.port}/wiki/Velm_Bridge"
    assert "Old Velm Bridge" not in pages
    assert not [title for title in pages if title.startswith(("Talk:", "Template:", "Category:", "Draft:"))]
