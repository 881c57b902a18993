"""Pages and records stored together give the same rows as one by one, and a refused one has its problem."""

import json

import pytest

from annotation.harvesting import revisions, storing
from annotation.harvesting.harvests import start_harvest
from annotation.harvesting.known import KnownPages
from annotation.harvesting.steps import run_harvest
from annotation.models import Article, Assignment, Harvest, HarvestState, Tag, Wiki
from core.models import Event, Project
from tests.annotation.harvest_helpers import counters
from tests.factories import WikiFactory
from tests.mediawiki.dumpfile import Page, Revision, write_dump

BRIDGE = "It opened in 1903.{{Inconsistent|date=May 2024}} It closed in 1899."
OTHER = "\n\n{{Contradict-other|Tarn Valley line|date=June 2024}} It is long.\n\n== Years ==\n"
LATER = "2025-01-01T00:00:00Z"

FIRST = [
    Page.of("New", BRIDGE),
    Page.of("Two tags", BRIDGE + OTHER + BRIDGE),
    Page.of("Twice alike", f"{BRIDGE}\n\n{BRIDGE}"),
    Page.of("Will change", BRIDGE),
    Page.of("Will lose its tag", BRIDGE),
    Page.of("Will lose one of two", BRIDGE + OTHER),
    Page.of("Will be older", BRIDGE),
    Page.of("Has none", "It opened in 1903."),
    Page.of("Names one in a comment", "<!-- {{Inconsistent}} --> It opened."),
    Page.of("Will be moved", BRIDGE),
    Page.of("Is redirected", "#REDIRECT [[New]]"),
]


def later() -> list[Page]:
    """The same pages in a dump of a later time, some of them changed, with one that is new."""
    texts = {
        "Will change": f"Again.\n\n{BRIDGE.replace('1899', '1898')}",
        "Will lose its tag": "It opened in 1903.",
        "Will lose one of two": BRIDGE,
    }
    pages = []
    for page in FIRST:
        if page.title in texts:
            # As many revisions as before and one more would shift the numbers of all later ones.
            pages.append(Page(page.title, [Revision(texts[page.title], LATER)]))
        elif page.title == "Will be older":
            pages.append(Page(page.title, [Revision(BRIDGE, "2020-01-01T00:00:00Z")]))
        else:
            pages.append(page)
    return [*pages, Page.of("Came later", BRIDGE + OTHER)]


def numbered(path, pages, changed=()):
    """A dump in which the revisions of changed pages have other numbers."""
    write_dump(path, pages)
    text = path.read_text()
    for page in changed:
        number = [each.title for each in pages].index(page) + 1
        text = text.replace(f"<revision><id>{number}</id>", f"<revision><id>{number + 1_000}</id>")
    path.write_text(text)
    return path


def harvested(source: str, path, wiki: Wiki | None = None) -> Harvest:
    row = start_harvest(source=source, wiki=wiki, parameters={"path": str(path)})
    run_harvest(row.pk)
    row.refresh_from_db()
    assert row.state == HarvestState.DONE, row.error
    return row


def rows_of(articles) -> list:
    """All that is stored of these articles, without keys and times, in the order in which it was stored."""
    found = []
    without = {"id", "article_id", "last_seen_in_id", "harvest_id", "found_at", "gone_at", "tag_id", "wiki_id"}
    names = {pk: str(article) for pk, article in named_articles(articles)}
    for tag in Tag.objects.filter(article__in=articles).order_by("pk"):
        values = {key: value for key, value in vars(tag).items() if key not in without and key[0] != "_"}
        in_ = [names[tag.article_id], names[tag.last_seen_in_id], tag.gone_at is None]
        assignments = [(each.number, each.priority, each.annotator_id) for each in Assignment.objects.filter(tag=tag)]
        events = [
            (each.action, _named(each.before, names), _named(each.after, names), each.message)
            for each in Event.objects.about(tag)
        ]
        found.append([values, in_, assignments, events])
    columns = ("title", "url", "page_id", "revision_id", "revised_at", "wikitext")
    return [*found, *articles.order_by("pk").values_list(*columns)]


def named_articles(articles):
    return [(article.pk, f"{article.title}/{article.revision_id}") for article in articles]


def _named(values: dict, names: dict) -> dict:
    return {
        key: names[value] if key == "article" else (bool(value) if key == "gone_at" else value)
        for key, value in values.items()
    }


def one_by_one(patch) -> None:
    patch.setattr(KnownPages, "is_new", lambda *_: False)
    patch.setattr(KnownPages, "is_same", lambda *_: False)
    patch.setattr(storing, "_together", lambda values, _, store_one: sum_of(map(store_one, values)))


def sum_of(changes) -> revisions.Stored:
    total = revisions.Stored()
    for each in changes:
        total += each
    return total


@pytest.mark.parametrize("share", [0, 50])
def test_pages_of_a_dump_are_stored_together_as_one_by_one(share, db, tmp_path, monkeypatch):
    Project.get()
    Project.objects.update(annotations_per_tag=2, double_annotation_percent=share)
    changed = ["Will change", "Will lose its tag", "Will lose one of two", "Will be older"]
    paths = [
        numbered(tmp_path / "first.xml", FIRST),
        numbered(tmp_path / "first.xml.again", FIRST),
        numbered(tmp_path / "later.xml", later(), changed),
        numbered(tmp_path / "back.xml", [*later()[:4], *FIRST[4:6], *later()[6:]], [*changed, "Came later"]),
    ]
    results = []
    for is_together in (True, False):
        wiki = WikiFactory()
        with monkeypatch.context() as patch:
            if not is_together:
                one_by_one(patch)
            done = [harvested("dump", path, wiki) for path in paths]
        told = [(counters(row), sorted(row.problems.values_list("title", "reason"))) for row in done]
        results.append((told, rows_of(Article.objects.filter(wiki=wiki))))
    assert results[0][0] == results[1][0]
    assert results[0][1] == results[1][1]
    assert counters(done[0])["tags_new"] == 12
    assert counters(done[2])["tags_gone"] == 2


def test_a_page_that_is_twice_in_a_dump_is_stored_once(wiki_row, tmp_path):
    path = write_dump(tmp_path / "dump.xml", [Page.of("A", BRIDGE), Page.of("B", BRIDGE)])
    text = path.read_text()
    page = text[text.index("<page>") : text.index("</page>") + len("</page>\n")]
    path.write_text(text.replace("</mediawiki>", page + "</mediawiki>"))
    done = harvested("dump", path, wiki_row)
    assert counters(done) == {"articles_seen": 3, "articles_new": 2, "tags_found": 3, "tags_new": 2, "tags_gone": 0}


RECORD = {
    "title": "Velm Bridge",
    "url": "https://en.wikipedia.org/wiki/Velm_Bridge",
    "paragraph_A": BRIDGE,
    "paragraph_A_clean": "It opened in 1903. It closed in 1899.",
    "tag": "Inconsistent|date=May 2024",
    "tagDate": "May 2024",
    "tagReason": "",
}
RECORDS = [
    RECORD,
    RECORD,
    {**RECORD, "url": "https://de.wikipedia.org/wiki/Velm"},
    {**RECORD, "title": "Odd", "tag": "Citation needed"},
    {**RECORD, "title": "Other", "tag": "Contradict-other|Tarn Valley line"},
    {**RECORD, "paragraph_A": "Another paragraph."},
]


def test_records_are_stored_together_as_one_by_one(db, tmp_path, monkeypatch):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(json.dumps(RECORDS[:4]))
    second.write_text(json.dumps(RECORDS))
    results = []
    for is_together in (True, False):
        with monkeypatch.context() as patch:
            if not is_together:
                one_by_one(patch)
            done = [harvested("tasks", path) for path in (first, second)]
        told = [(counters(row), list(row.problems.values_list("title", "reason"))) for row in done]
        results.append((told, rows_of(Article.objects.all())))
        Assignment.objects.all().delete()
        Tag.objects.all().delete()
        Article.objects.all().delete()
    assert results[0] == results[1]
    assert told[1][0] == {"articles_seen": 6, "articles_new": 1, "tags_found": 5, "tags_new": 2, "tags_gone": 0}


def refuse_one(monkeypatch, title: str) -> None:
    """The database refuses the tags of this article: they would have an impossible occurrence."""
    for module, name in ((revisions, "add_tag"), (storing, "insert_tags")):
        real = getattr(module, name)

        def refused(*args, real=real, **values):
            if "article" in values and values["article"].title == title:
                values["occurrence"] = -1
            if args and not values:
                harvest, tags = args
                args = (
                    harvest,
                    [
                        (key, of, {**columns, "occurrence": -1} if of == title else columns)
                        for key, of, columns in tags
                    ],
                )
            return real(*args, **values)

        monkeypatch.setattr(module, name, refused)


def test_a_page_that_the_database_refuses_has_its_problem(wiki_row, tmp_path, monkeypatch):
    path = write_dump(tmp_path / "dump.xml", [Page.of(f"Bridge {n}", BRIDGE) for n in range(5)])
    refuse_one(monkeypatch, "Bridge 2")
    done = harvested("dump", path, wiki_row)
    assert [problem.title for problem in done.problems.all()] == ["Bridge 2"]
    assert "The database refused it" in done.problems.get().reason
    assert counters(done) == {"articles_seen": 5, "articles_new": 4, "tags_found": 4, "tags_new": 4, "tags_gone": 0}
    assert Article.objects.count() == Tag.objects.count() == Assignment.objects.count() == 4


def test_a_record_that_the_database_refuses_has_its_problem(db, tmp_path, monkeypatch):
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{**RECORD, "title": f"Bridge {n}"} for n in range(5)]))
    refuse_one(monkeypatch, "Bridge 2")
    done = harvested("tasks", path)
    assert [problem.title for problem in done.problems.all()] == ["Bridge 2"]
    assert (done.tags_new, Tag.objects.count(), Article.objects.count()) == (4, 4, 4)


def test_many_new_tags_cost_few_statements(wiki_row, tmp_path, django_assert_max_num_queries):
    path = write_dump(tmp_path / "dump.xml", [Page.of(f"Bridge {n}", BRIDGE) for n in range(50)])
    row = start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)})
    with django_assert_max_num_queries(60):
        run_harvest(row.pk)
    assert Tag.objects.count() == 50
