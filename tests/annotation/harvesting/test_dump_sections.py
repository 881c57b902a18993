"""A multistream dump read in several processes: the same pages, problems, counts and messages as by one reader."""

import bz2
from datetime import timedelta
from xml.sax.saxutils import escape

import pytest
from django.utils import timezone

from annotation.harvesting import steps
from annotation.harvesting.dumps import sections
from annotation.harvesting.dumps.dump import DumpError, read_pages
from annotation.harvesting.dumps.sections import Wanted, read_wanted_pages
from annotation.harvesting.harvests import start_harvest
from annotation.harvesting.steps import run_harvest
from annotation.mediawiki.pages import PageRevision
from annotation.models import Article, Harvest, HarvestState, Tag
from annotation.wikitext.families import FAMILIES
from tests.annotation.harvest_helpers import counters
from tests.annotation.harvesting.test_dump_damage import BROKEN_PAGES, page_of, whole, with_page, written
from tests.annotation.harvesting.test_storing import rows_of
from tests.factories import WikiFactory

END = "</page>\n"
WANTED = Wanted(frozenset({5, 211}), FAMILIES)


def multistream(text: str, pages: int = 10) -> bytes:
    """Packed as Wikimedia does: the head, these many pages at a time, and the end are streams."""
    head, _, rest = text.partition("<page>")
    parts = [part + END for part in f"<page>{rest}".split(END)]
    body, end = parts[:-1], parts[-1].removesuffix(END)
    streams = ["".join(body[at : at + pages]) for at in range(0, len(body), pages)]
    return b"".join(bz2.compress(each.encode()) for each in (head, *streams, end))


def sparse(count: int) -> str:
    """A dump in which every seventh article has a tag."""
    text = whole(count)
    for number in range(1, count + 1):
        if number % 7:
            page = page_of(text[text.index(f"<title>Bridge {number}<") - 10 :], 1)
            text = text.replace(page, page.replace("{{Inconsistent|date=May 2024}}", ""))
    return text


@pytest.fixture(autouse=True)
def small_sections(monkeypatch):
    monkeypatch.setattr(sections, "SECTION", 500)


@pytest.fixture
def read_whole(monkeypatch) -> list[bool]:
    """For each section that a process was asked for, whether it could be used."""
    told = []
    real = sections._readers.run

    def run(*args, **values):
        result = real(*args, **values)
        told.append(result is not None)
        return result

    monkeypatch.setattr(sections._readers, "run", run)
    return told


def told_by(pages) -> tuple[list, str]:
    """The wanted articles and the problems with their texts, the number of all, and the message at the end."""
    found, error = [], ""
    try:
        for page in pages:
            is_wanted = not isinstance(page, PageRevision) or "{{" in page.wikitext or page.page_id in WANTED.page_ids
            found.append(page if is_wanted else None)
    except DumpError as raised:
        error = str(raised)
    return found, error


def same_as_one_reader(path, processes: int = 2, checkpoint=None) -> tuple[list, str]:
    expected = told_by(page for page, _ in read_pages(path, checkpoint=checkpoint))
    found = read_wanted_pages(path, WANTED, checkpoint=checkpoint, processes=processes)
    assert told_by(each.page for each in found) == expected
    return expected


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_the_same_pages_in_the_same_order(processes, tmp_path, read_whole):
    found, error = same_as_one_reader(written(tmp_path, multistream(sparse(300))), processes)
    assert (len(found), sum(page is not None for page in found), error) == (300, 44, "")
    assert (all(read_whole), len(read_whole) > 5) == (True, processes > 1)


@pytest.mark.parametrize("number", [7, 57, 99])
@pytest.mark.parametrize("kind", BROKEN_PAGES)
def test_a_broken_page_is_the_same_problem(kind, number, tmp_path, read_whole):
    old, new, _ = BROKEN_PAGES[kind]
    text = whole(100)
    for name in ("<id>7</id>", "Bridge 7<", "7: "):
        old, new = (each.replace(name, name.replace("7", str(number))) for each in (old, new))
    same_as_one_reader(written(tmp_path, multistream(with_page(old, new, number=number, text=text))))
    assert read_whole


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_cut_or_damaged_file_stops_with_the_same_message(share, is_cut, tmp_path):
    content = bytearray(multistream(whole(200)))
    at = int(len(content) * share)
    content[at:] = b"" if is_cut else bytes(byte ^ 0xFF for byte in content[at : at + 40]) + content[at + 40 :]
    assert same_as_one_reader(written(tmp_path, bytes(content)))[1]


def test_streams_that_do_not_begin_with_a_page_are_read_by_one_reader(tmp_path, read_whole):
    content = whole(200).encode()
    packed = b"".join(bz2.compress(content[at : at + 3_000]) for at in range(0, len(content), 3_000))
    assert len(same_as_one_reader(written(tmp_path, packed))[0]) == 200
    assert not all(read_whole)


def test_reading_goes_on_from_any_page(tmp_path):
    path = written(tmp_path, multistream(sparse(120)))
    pages = list(read_wanted_pages(path, WANTED, checkpoint=None, processes=2))
    for at in range(0, 120, 9):
        rest, _ = same_as_one_reader(path, checkpoint=pages[at].behind)
        assert len(rest) == 119 - at


def harvested(path, wiki, processes: int, **values) -> Harvest:
    row = start_harvest(source="dump", wiki=wiki, parameters={"path": str(path), **values})
    run_harvest(row.pk, processes=processes)
    row.refresh_from_db()
    return row


ODD = {
    20: "{{Contradict-other|Tarn Valley line}}\n\n== Years ==\n{| class=wikitable\n| 1903{{Inconsistent}} || a\n|}",
    30: "{{lang|en|" * 400 + "{{Inconsistent}}" + "}}" * 400,
    40: "[[" * 3_000 + "{{Inconsistent|reason=Which [[year]]?}}",
    41: "<!-- {{Inconsistent}} --> It has none.",
}


def odd(count: int) -> str:
    """A dump in which some pages are hard to read."""
    text = sparse(count)
    for number, wikitext in ODD.items():
        page = page_of(text, number)
        text = text.replace(page, page.replace(f"{number}: It", f"{escape(wikitext)} It"))
    return text


@pytest.mark.parametrize("most", [None, 20])
def test_a_harvest_stores_the_same(most, db, tmp_path):
    path = written(tmp_path, multistream(with_page("It opened", "It & opened", number=250, text=odd(300))))
    results = []
    for processes in (1, 2):
        wiki = WikiFactory()
        done = harvested(path, wiki, processes, most=most)
        assert done.state == HarvestState.DONE
        stored = rows_of(Article.objects.filter(wiki=wiki))
        results.append((counters(done), list(done.problems.values_list("title", "reason")), stored))
    assert results[0] == results[1]
    assert results[0][0]["tags_new"] == (most or 46)


def test_tags_are_found_where_the_section_is_read(wiki_row, tmp_path, monkeypatch, read_whole):
    monkeypatch.setattr(sections, "SECTION", 300)
    asked = []
    monkeypatch.setattr(steps, "extract_tags", lambda wikitext, **values: asked.append(wikitext) or [])
    done = harvested(written(tmp_path, multistream(sparse(300))), wiki_row, 2)
    assert len(asked) < 5  # those before the first section and behind the last
    assert done.tags_new + len(asked) == 42


def test_a_page_that_takes_too_long_is_the_same_problem_and_costs_no_other(db, tmp_path, settings, read_whole):
    settings.EXTRACTION_SECONDS = 2.0
    stall = f"{escape('<br ' * 300_000)} It"
    text = with_page("154: It", stall, number=154, text=sparse(300))
    path = written(tmp_path, multistream(text))
    results = []
    for processes in (1, 2):
        wiki = WikiFactory()
        done = harvested(path, wiki, processes)
        stored = rows_of(Article.objects.filter(wiki=wiki))
        results.append((counters(done), list(done.problems.values_list("title", "reason")), stored))
    assert results[0] == results[1]
    assert results[0][1] == [("Bridge 154", "Reading it took longer than 2 seconds.")]
    assert all(read_whole)


def test_a_harvest_whose_worker_was_killed_goes_on_and_stores_each_tag_once(wiki_row, tmp_path):
    class Killed(BaseException):
        pass

    def die(harvest):
        raise Killed  # after one step of fifty pages

    row = start_harvest(
        source="dump", wiki=wiki_row, parameters={"path": str(written(tmp_path, multistream(whole(300))))}
    )
    for _ in range(4):
        with pytest.raises(Killed):
            run_harvest(row.pk, processes=2, on_step=die)
        Harvest.objects.filter(pk=row.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    run_harvest(row.pk, processes=2)
    row.refresh_from_db()
    assert (row.state, row.articles_seen, row.tags_new) == (HarvestState.DONE, 300, 300)
    assert Tag.objects.count() == Article.objects.count() == 300
