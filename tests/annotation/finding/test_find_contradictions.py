"""`manage.py find_contradictions` prints the candidates of documents, dumps and articles, and stores them except in a
dry run. It makes no tag.
"""

import bz2
import io
import json
import time

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.assisting.counterparts.pairs import pairs_in
from annotation.models import Candidate, Tag
from tests.annotation.finding.pages import BRIDGE as PAGE
from tests.annotation.finding.pages import FINE
from tests.annotation.harvest_helpers import FakeWiki
from tests.factories import ArticleFactory, WikiFactory
from tests.mediawiki.dumpfile import Page, dump

BRIDGE = (
    "The northbound bridge was the first of the present ones. It rests on 16 piers. Planning began after the war. "
    "The northbound bridge was opened to traffic in 1950. Walkers may use the deck. "
    "The northbound bridge was opened to traffic in 1948, after two years of work."
)


def found(*arguments: str) -> list[dict]:
    output = io.StringIO()
    call_command("find_contradictions", *arguments, "--dry-run", stdout=output, stderr=io.StringIO())
    return [json.loads(line) for line in output.getvalue().splitlines()]


@pytest.fixture
def bridge(tmp_path):
    path = tmp_path / "Bridge.txt"
    path.write_text(BRIDGE)
    return str(path)


def test_the_pair_is_printed_with_both_texts_and_the_reason(bridge):
    first = found(bridge)[0]
    assert (first["title"], first["found_by"], first["reason"]) == (
        "Bridge",
        "the program",
        "opened: 1950 ≠ 1948",
    )
    assert first["text_1"].endswith("in 1950.")
    assert first["text_2"].startswith("The northbound bridge was opened to traffic in 1948")


def test_the_number_and_the_score_of_candidates_can_be_limited(bridge):
    assert found(bridge, "--most", "0") == []
    assert found(bridge, "--score", "2") == []


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(bridge, tmp_path):
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Br\xfccke".encode("latin-1"))
    output = io.StringIO()
    with pytest.raises(CommandError, match="2 of 3 files could not be used"):
        call_command(
            "find_contradictions",
            str(tmp_path / "missing.txt"),
            str(latin),
            bridge,
            "--dry-run",
            stdout=output,
            stderr=io.StringIO(),
        )
    assert "1948" in output.getvalue()


@pytest.mark.parametrize(
    "texts", [[], [""], ["One sentence only."], ["The same words here."] * 2, ["橋" * 50, "川" * 50]]
)
def test_there_is_no_pair_without_a_difference(texts):
    assert pairs_in(texts) == []


def test_the_time_is_in_proportion():
    texts = [f"Its pier {at} was mended in 19{at % 90 + 10} at a cost of {at * 37} crowns." for at in range(5_000)]
    begin = time.process_time()
    pairs_in(texts)
    assert time.process_time() - begin < 3


def run(*arguments: str) -> tuple[list[dict], str]:
    output, said = io.StringIO(), io.StringIO()
    call_command("find_contradictions", *arguments, stdout=output, stderr=said)
    return [json.loads(line) for line in output.getvalue().splitlines()], said.getvalue()


def packed(folder, *pages: tuple[str, str]) -> str:
    """A multistream dump of these pages, larger than one section."""
    site = "<siteinfo><base>https://wiki.example/wiki/Main_Page</base></siteinfo>"
    pieces = list(dump([Page.of(*each) for each in pages], siteinfo=site))
    path = folder / "dump.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(piece.encode()) for piece in pieces))
    return str(path)


@pytest.mark.django_db
def test_a_document_is_stored_with_its_candidates(bridge):
    lines, said = run(bridge)
    assert [each["reason"] for each in lines] == list(Candidate.objects.values_list("reason", flat=True))
    assert "1 page compared, 1 candidate found.\n1 new" in said
    assert Candidate.objects.get().article.title == "Bridge"
    assert "None of them is new" in run(bridge)[1]
    assert not Tag.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("how", [[], ["--processes", "2"], ["--closely"]], ids=str)
def test_a_dump_is_looked_through(how, tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.harvesting.dumps.sections.SECTION", 1)
    path = packed(tmp_path, ("Tarn Bridge", PAGE), ("Other Bridge", FINE))
    wiki = WikiFactory(api_url="https://wiki.example/w/api.php")
    lines, said = run("--dump", path, "--wiki", "wiki.example", *how)
    assert [each["title"] for each in lines] == ["Tarn Bridge"]
    assert "2 pages compared, 1 candidate found" in said
    assert Candidate.objects.get().article.wiki == wiki


@pytest.mark.django_db
def test_a_dump_needs_its_wiki_unless_nothing_is_stored(tmp_path):
    path = packed(tmp_path, ("Tarn Bridge", PAGE))
    with pytest.raises(CommandError, match="Say which wiki"):
        run("--dump", path)
    assert len(found("--dump", path)) == 1
    assert not Candidate.objects.exists()


@pytest.mark.django_db
def test_what_was_found_before_damage_is_kept(tmp_path):
    path = tmp_path / "cut.xml"
    path.write_text("".join(dump([Page.of("Tarn Bridge", PAGE), Page.of("Lost", FINE)]))[:-120])
    WikiFactory(api_url="https://wiki.example/w/api.php")
    with pytest.raises(CommandError, match="1 page before that was compared, and 1 new candidate stored"):
        run("--dump", str(path), "--wiki", "wiki.example")
    assert Candidate.objects.count() == 1


@pytest.mark.django_db
def test_stored_articles_are_looked_through_all_or_by_title():
    one = ArticleFactory(title="Tarn Bridge", wikitext=PAGE)
    ArticleFactory(title="Other Bridge", wikitext=PAGE)
    ArticleFactory(title="Tarn Bridge", wiki=one.wiki, page_id=one.page_id, wikitext=FINE, revised_at=one.fetched_at)
    lines, said = run("--stored", "Other Bridge", "Missing")
    assert [each["title"] for each in lines] == ["Other Bridge"]
    assert "Missing: It is not among the stored articles." in said
    # Of an article, the newest revision counts.
    assert "2 pages compared, 1 candidate found" in run("--stored")[1]


@pytest.mark.django_db
def test_titles_of_a_wiki_are_read_from_it(monkeypatch):
    asked = FakeWiki()
    asked.edit("Tarn Bridge", PAGE)
    monkeypatch.setattr("annotation.finding.looking.WikiClient", lambda *arguments, **options: asked)
    WikiFactory(api_url="https://wiki.example/w/api.php")
    how = ("--wiki", "wiki.example", "--contact", "ada@example.org")
    lines, said = run("--titles", "Tarn Bridge", "Nowhere", *how)
    assert [each["kind"] for each in lines] == ["infobox"]
    assert "Nowhere: There is no such page." in said
    assert Candidate.objects.get().article.revision_id == asked.revision


@pytest.mark.parametrize("wrong", [[], ["a.txt", "--stored"]], ids=str)
def test_one_source_has_to_be_named(wrong):
    with pytest.raises(CommandError, match="Say where to look"):
        run(*wrong)
