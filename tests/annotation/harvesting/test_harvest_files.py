"""Harvests from files: an XML dump, and the paper's tasks JSON."""

import json

import pytest

from annotation.harvesting.harvests import resume_harvest, start_harvest
from annotation.harvesting.steps import run_harvest
from annotation.models import Article, Harvest, HarvestState, Tag, Wiki
from annotation.samples.articles import harvest_samples
from core.refusals import Refusal
from tests.annotation.harvest_helpers import counters
from tests.mediawiki.dumpfile import Page, Revision, write_dump

BRIDGE = "It opened in 1903.{{Inconsistent|date=May 2024}} It closed in 1899."
RECORD = {
    "title": "Velm Bridge",
    "url": "https://en.wikipedia.org/wiki/Velm_Bridge",
    "paragraph_A": BRIDGE,
    "paragraph_A_clean": "It opened in 1903. It closed in 1899.",
    "tag": "Inconsistent|date=May 2024",
    "tagDate": "May 2024",
    "tagReason": "",
}


def harvest_file(source: str, path, wiki: Wiki | None = None) -> Harvest:
    row = start_harvest(source=source, wiki=wiki, parameters={"path": str(path)})
    run_harvest(row.pk)
    row.refresh_from_db()
    return row


# --- Dumps ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def dump(tmp_path):
    def write(*pages: Page):
        return write_dump(tmp_path / "dump.xml", pages)

    return write


def test_reads_the_tagged_articles_of_a_dump(dump, wiki_row):
    pages = [Page.of(f"Plain {n}", "Nothing here.") for n in range(120)]
    done = harvest_file("dump", dump(*pages, Page.of("Velm Bridge", BRIDGE), Page.of("Talk:X", BRIDGE)), wiki_row)
    assert done.state == HarvestState.DONE
    assert (done.articles_seen, done.articles_new, done.tags_new) == (121, 1, 1)


def test_a_second_dump_tells_what_has_gone(dump, wiki_row):
    harvest_file("dump", dump(Page.of("A", BRIDGE), Page.of("B", BRIDGE)), wiki_row)
    mended = [*[Revision(BRIDGE)] * 2, Revision("It opened in 1903.", timestamp="2024-06-01T00:00:00Z")]
    done = harvest_file("dump", dump(Page("A", mended), Page.of("B", "{{Contradict}} " + BRIDGE)), wiki_row)
    assert done.tags_gone == 1
    assert Tag.objects.get(gone_at__isnull=False).article.title == "A"


def test_a_dump_that_is_older_than_what_is_known_changes_nothing(dump, wiki_row, fake_wiki):
    path = dump(Page.of("Velm Bridge", "It opened in 1903."), Page.of("Old Bridge", "Nothing."))
    page = fake_wiki.edit("Velm Bridge", BRIDGE)
    values = {name: getattr(page, name) for name in page.__slots__}
    fake_wiki.pages["Velm Bridge"] = type(page)(
        **{**values, "page_id": 1, "revision_id": 500, "revised_at": page.revised_at.replace(year=2025)}
    )
    row = start_harvest(source="titles", wiki=wiki_row, parameters={"titles": ["Velm Bridge"]})
    run_harvest(row.pk)
    done = harvest_file("dump", path, wiki_row)
    assert Tag.objects.present().count() == 1
    assert "a newer one" in done.problems.get().reason


def test_a_dump_of_another_wiki_is_told_by_its_numbers(dump, wiki_row):
    harvest_file("dump", dump(Page.of("A", BRIDGE), Page.of("B", BRIDGE)), wiki_row)
    done = harvest_file(
        "dump", dump(Page("Other", [Revision(BRIDGE, f"202{n}-01-01T00:00:00Z") for n in (4, 5)])), wiki_row
    )
    assert "another wiki" in done.problems.get().reason
    assert done.tags_new == 0
    assert Tag.objects.present().count() == 2


def test_a_damaged_dump_keeps_what_came_before(dump, wiki_row, tmp_path):
    whole = dump(*[Page.of(f"Bridge {n}", BRIDGE) for n in range(120)]).read_text()
    path = tmp_path / "cut.xml"
    path.write_text(whole[: int(len(whole) * 0.8)])
    failed = harvest_file("dump", path, wiki_row)
    assert failed.state == HarvestState.FAILED
    assert "ends too early" in failed.error
    assert failed.tags_new == Tag.objects.count() == 96


def test_a_dump_goes_on_from_where_it_stopped(dump, wiki_row, monkeypatch):
    path = dump(*[Page.of(f"Bridge {n}", BRIDGE) for n in range(120)])
    row = start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)})

    def stop(harvest):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_harvest(row.pk, on_step=stop)
    row.refresh_from_db()
    assert (row.state, row.articles_seen) == (HarvestState.FAILED, 50)
    Harvest.objects.filter(pk=row.pk).update(state=HarvestState.WAITING, finished_at=None)
    run_harvest(row.pk)
    row.refresh_from_db()
    assert (row.articles_seen, row.tags_found, Tag.objects.count()) == (120, 120, 120)


def test_a_resumed_dump_reads_no_page_again(dump, wiki_row, monkeypatch):
    """The pages that were read are overwritten before the harvest is resumed: reading it again would fail."""
    path = dump(*[Page.of(f"Bridge {n}", BRIDGE + " Long." * 2_000) for n in range(120)])
    row = start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)})

    def stop(harvest):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_harvest(row.pk, on_step=stop)
    row.refresh_from_db()
    behind = row.cursor["checkpoint"]["behind"]["packed"]
    assert behind > 300_000
    with path.open("r+b") as file:
        file.seek(200_000)
        file.write(b"<" * (behind - 200_000))
    resume_harvest(harvest=row, by=None)
    run_harvest(row.pk)
    row.refresh_from_db()
    assert (row.state, row.error) == (HarvestState.DONE, "")
    assert (row.articles_seen, row.tags_found, Tag.objects.count()) == (120, 120, 120)


def test_a_page_that_is_too_long_is_named_and_the_others_are_kept(dump, wiki_row, monkeypatch):
    monkeypatch.setattr("annotation.harvesting.dumps.dump_parser.MOST_TEXT", 1_000)
    pages = [Page.of("A", BRIDGE), Page.of("The long page", BRIDGE + "x" * 1_000), Page.of("B", BRIDGE)]
    done = harvest_file("dump", dump(*pages), wiki_row)
    assert (done.state, done.articles_seen, done.tags_new) == (HarvestState.DONE, 3, 2)
    problem = done.problems.get()
    assert problem.title == "The long page"
    assert "skipped" in problem.reason


def test_what_is_no_dump_is_refused(tmp_path, wiki_row):
    path = tmp_path / "page.html"
    path.write_text("<html><body>Not found</body></html>")
    with pytest.raises(Refusal, match="begins with <html>"):
        start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)})


def test_the_samples_are_harvested_once(db):
    first = harvest_samples()
    assert first.articles_new >= 12
    assert first.tags_new == Tag.objects.count() >= 14
    assert set(Tag.objects.values_list("family", flat=True)) == {
        "inconsistent",
        "self-contradictory",
        "contradict-other",
    }
    again = harvest_samples()
    assert (again.articles_new, again.tags_new, again.tags_gone) == (0, 0, 0)
    assert not again.problems.exists()


# --- Tasks JSON -----------------------------------------------------------------------------------------------------


@pytest.fixture
def tasks_file(tmp_path):
    def write(content) -> str:
        path = tmp_path / "tasks.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    return write


def test_reads_tasks_and_reads_them_again_without_change(tasks_file, db):
    path = tasks_file([RECORD, {"data": {**RECORD, "title": "Other"}}, RECORD])
    done = harvest_file("tasks", path)
    assert counters(done) == {"articles_seen": 3, "articles_new": 2, "tags_found": 3, "tags_new": 3, "tags_gone": 0}
    again = harvest_file("tasks", path)
    assert (again.articles_new, again.tags_new) == (0, 0)
    tag = Tag.objects.filter(article__title="Velm Bridge")[0]
    assert (tag.raw, tag.date, tag.paragraph) == (RECORD["tag"], "May 2024", RECORD["paragraph_A"])
    assert (tag.family, tag.article.url, tag.start) == ("inconsistent", RECORD["url"], None)
    assert tag.assignments.count() == 1


def test_a_task_about_two_articles_names_the_other(tasks_file, db):
    harvest_file("tasks", tasks_file([{**RECORD, "tag": "Contradict-other|Tarn Valley line|date=May 2024"}]))
    tag = Tag.objects.get()
    assert (tag.family, tag.other_articles) == ("contradict-other", ["Tarn Valley line"])


def test_a_template_that_is_not_known_is_a_problem(tasks_file, db):
    done = harvest_file("tasks", tasks_file([RECORD, {**RECORD, "title": "Odd", "tag": "Citation needed|date=x"}]))
    assert done.tags_new == 1
    assert [(p.title, "Citation needed" in p.reason) for p in done.problems.all()] == [("Odd", True)]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"not json", "list of records|not JSON"),
        (b'{"title": "x"}', "list of records"),
        (b"[]", "no record"),
        (b'[{"title": "x"', "Record 1"),
        (b"\xff\xfe\x00", "UTF-8"),
        ([RECORD, {**RECORD, "title": ""}], "Record 2.*“title”"),
        ([RECORD, {k: v for k, v in RECORD.items() if k != "tag"}], "Record 2.*“tag”"),
        ([{**RECORD, "tagDate": 2024}], "Record 1.*“tagDate”"),
        ([{**RECORD, "title": "x" * 501}], "Record 1.*“title”"),
        ([{**RECORD, "paragraph_A": "a\u0000b"}], "Record 1.*“paragraph_A”"),
        ([RECORD, "text"], "Record 2"),
        (b"[" * 100_000, "too deep"),
    ],
)
def test_a_broken_file_is_refused_as_a_whole(content, named, tasks_file, db):
    with pytest.raises(Refusal, match=named):
        start_harvest(source="tasks", parameters={"path": tasks_file(content)})
    assert not Harvest.objects.exists()
    assert not Article.objects.exists()


@pytest.mark.released
def test_the_released_tags_can_be_read_as_tasks(released_data, db):
    path = released_data / "wikicontradict_sample.json"
    records = json.loads(path.read_text())
    done = harvest_file("tasks", path)
    assert done.tags_found == len(records)
    assert not done.problems.exists()
    assert harvest_file("tasks", path).tags_new == 0
    assert sorted(Tag.objects.values_list("raw", flat=True)) == sorted(record["tag"] for record in records)
