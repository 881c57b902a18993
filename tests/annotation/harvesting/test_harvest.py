"""Harvesting's effect on articles and tags, with a wiki that answers from memory."""

import pytest

from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.harvesting.harvests import start_harvest
from annotation.harvesting.steps import run_harvest
from annotation.mediawiki import Unreachable
from annotation.models import Annotation, Article, Assignment, Harvest, HarvestProblem, HarvestState, Tag
from core.killable import GivenUp
from core.models import Event, Project
from core.refusals import Refusal
from tests.annotation.harvest_helpers import counters

BRIDGE = "The bridge opened in 1903.{{Inconsistent|date=May 2024|reason=the text says 1899}} It was closed in 1899."


@pytest.fixture
def harvest(wiki_row):
    """`harvest("template")` runs one of this source to its end."""

    def run(source: str = "template", **parameters) -> Harvest:
        row = start_harvest(source=source, wiki=wiki_row, parameters=parameters)
        run_harvest(row.pk)
        row.refresh_from_db()
        return row

    return run


def actions(tag: Tag) -> list[str]:
    return [event.label for event in Event.objects.about(tag)]


# --- The first time -------------------------------------------------------------------------------------------------


def test_stores_article_and_tag_with_an_assignment_to_claim(harvest, fake_wiki):
    page = fake_wiki.edit("Velm Bridge", BRIDGE)
    done = harvest()
    assert done.state == HarvestState.DONE
    assert counters(done) == {"articles_seen": 1, "articles_new": 1, "tags_found": 1, "tags_new": 1, "tags_gone": 0}
    tag = Tag.objects.get()
    assert (tag.raw, tag.family) == ("Inconsistent|date=May 2024|reason=the text says 1899", "inconsistent")
    assert (tag.date, tag.reason) == ("May 2024", "the text says 1899")
    assert tag.paragraph_clean == "The bridge opened in 1903. It was closed in 1899."
    assert tag.article.wikitext[tag.start : tag.end] == "{{" + tag.raw + "}}"
    assert (tag.article.revision_id, tag.article.page_id, tag.article.url) == (
        page.revision_id,
        page.page_id,
        page.url,
    )
    assert Assignment.objects.get().tag == tag
    assert actions(tag) == ["found"]


def test_an_article_without_tags_stores_nothing(harvest, fake_wiki):
    fake_wiki.edit("Plain", "Nothing is wrong here.")
    done = harvest("titles", titles=["Plain"])
    assert counters(done)["articles_seen"] == 1
    assert not Article.objects.exists()


def test_new_tags_get_assignments_by_the_projects_settings(harvest, fake_wiki):
    Project.get()
    Project.objects.update(annotations_per_tag=2, double_annotation_percent=100)
    fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    assert Tag.objects.get().annotations_needed == 3
    assert Assignment.objects.count() == 3


def test_about_the_share_of_tags_needs_one_annotation_more(harvest, fake_wiki):
    Project.get()
    Project.objects.update(double_annotation_percent=30)
    for number in range(200):
        fake_wiki.edit(f"Bridge {number}", BRIDGE)
    harvest()
    # The share is taken by hash, so this number is the same on every machine.
    assert Assignment.objects.filter(number=2).count() == 66
    assert Assignment.objects.count() == 266


# --- Once again -----------------------------------------------------------------------------------------------------


def test_a_second_run_changes_nothing(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    fake_wiki.edit("Twice", BRIDGE + "\n\n" + BRIDGE)
    harvest()
    before = list(Tag.objects.order_by("pk").values()), list(Article.objects.order_by("pk").values())
    events = Event.objects.filter(subject_kind="tag").count()
    again = harvest()
    assert counters(again) == {"articles_seen": 2, "articles_new": 0, "tags_found": 3, "tags_new": 0, "tags_gone": 0}
    assert (list(Tag.objects.order_by("pk").values()), list(Article.objects.order_by("pk").values())) == before
    assert Event.objects.filter(subject_kind="tag").count() == events


def test_a_tag_that_left_the_article_is_marked_gone_and_comes_back(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE + " {{Contradict-inline}}")
    harvest()
    kept, lost = Tag.objects.order_by("start")
    fake_wiki.edit("Velm Bridge", BRIDGE)
    assert counters(harvest())["tags_gone"] == 1
    lost.refresh_from_db()
    kept.refresh_from_db()
    assert lost.gone_at
    assert not kept.gone_at
    fake_wiki.edit("Velm Bridge", BRIDGE + " {{Contradict-inline}}")
    assert counters(harvest())["tags_new"] == 0
    lost.refresh_from_db()
    assert not lost.gone_at
    assert actions(lost) == ["found", "marked gone", "found again", "followed to a newer revision"]


def test_a_page_that_lost_all_its_tags_is_looked_at_again(harvest, fake_wiki):
    """The listing by template no longer names it."""
    fake_wiki.edit("Velm Bridge", BRIDGE)
    fake_wiki.edit("Other Bridge", BRIDGE)
    harvest()
    mended = fake_wiki.edit("Velm Bridge", "The bridge opened in 1903.")
    done = harvest()
    assert counters(done)["tags_gone"] == 1
    assert ("titles", ["Velm Bridge"]) in fake_wiki.asked
    tag = Tag.objects.get(article__title="Velm Bridge")
    assert tag.gone_at
    assert Article.objects.filter(revision_id=mended.revision_id).exists()
    harvest()
    assert fake_wiki.asked.count(("titles", ["Velm Bridge"])) == 1


def test_tags_of_a_deleted_article_are_marked_gone(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    fake_wiki.delete("Velm Bridge")
    done = harvest()
    assert done.tags_gone == 1
    assert not done.problems.exists()
    assert "no such page" in list(Event.objects.about(Tag.objects.get()))[-1].message


def test_tags_of_an_article_that_became_a_redirect_are_marked_gone(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    fake_wiki.edit("Bridges of Velm", BRIDGE)
    harvest()
    fake_wiki.delete("Velm Bridge")
    fake_wiki.redirects["Velm Bridge"] = "Bridges of Velm"
    assert harvest().tags_gone == 1
    assert Tag.objects.present().get().article.title == "Bridges of Velm"


def test_a_renamed_article_keeps_its_tags(harvest, fake_wiki):
    page = fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    moved = fake_wiki.edit("Velm Bridge (road)", BRIDGE)
    fake_wiki.delete("Velm Bridge")
    values = {name: getattr(moved, name) for name in moved.__slots__}
    fake_wiki.pages["Velm Bridge (road)"] = type(moved)(**{**values, "page_id": page.page_id})
    fake_wiki.redirects["Velm Bridge"] = "Velm Bridge (road)"
    done = harvest()
    assert (done.tags_new, done.tags_gone) == (0, 0)
    assert Tag.objects.get().article.title == "Velm Bridge (road)"
    harvest("titles", titles=["Velm Bridge"])
    assert Tag.objects.present().count() == 1


def test_tags_stay_where_the_text_is_only_hidden(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    fake_wiki.hidden.add("Velm Bridge")
    harvest("titles", titles=["Velm Bridge"])
    assert Tag.objects.present().count() == 1


# --- Text that follows ----------------------------------------------------------------------------------------------


def test_the_text_of_a_tag_follows_while_nobody_works_on_it(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    newer = fake_wiki.edit("Velm Bridge", "A new sentence. " + BRIDGE)
    harvest()
    tag = Tag.objects.get()
    assert tag.article.revision_id == newer.revision_id
    assert tag.paragraph.startswith("A new sentence.")
    assert actions(tag) == ["found", "followed to a newer revision"]


def test_a_date_added_by_a_bot_makes_no_new_tag(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", "It opened in 1903.{{Inconsistent}} It closed in 1899.")
    harvest()
    fake_wiki.edit("Velm Bridge", "It opened in 1903.{{Inconsistent|date=May 2024}} It closed in 1899.")
    done = harvest()
    assert (done.tags_new, done.tags_gone) == (0, 0)
    assert Tag.objects.get().date == "May 2024"


def test_the_text_stays_once_an_annotator_has_written(harvest, fake_wiki, annotator):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    tag = Tag.objects.get()
    Annotation.objects.create(tag=tag, annotator=annotator, version=1)
    newer = fake_wiki.edit("Velm Bridge", "A new sentence. " + BRIDGE)
    harvest()
    tag.refresh_from_db()
    assert not tag.paragraph.startswith("A new")
    assert tag.last_seen_in.revision_id == newer.revision_id
    assert actions(tag) == ["found", "kept the earlier text"]
    harvest()
    assert actions(tag) == ["found", "kept the earlier text"]


@pytest.mark.parametrize("how", ["claimed", "assigned"])
def test_the_text_stays_while_an_annotator_has_the_tag(how, harvest, fake_wiki, annotator, admin):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    harvest()
    tag = Tag.objects.get()
    if how == "claimed":
        claim_next_tag(annotator=annotator)
    else:
        assign_tag(tag=tag, annotator=annotator, admin=admin)
    fake_wiki.edit("Velm Bridge", "A new sentence. " + BRIDGE)
    harvest()
    tag.refresh_from_db()
    assert not tag.paragraph.startswith("A new")


# --- Templates and their spellings


def test_learns_the_spellings_of_the_wiki(harvest, fake_wiki, wiki_row):
    fake_wiki.spellings = {"Inconsistent": ["Inconsistent", "Widerspruch hier"]}
    fake_wiki.edit("Brücke", "Sie ist von 1903.{{widerspruch_hier|date=Mai 2024}} Sie ist von 1899.")
    harvest()
    wiki_row.refresh_from_db()
    assert wiki_row.aliases["Widerspruch hier"] == "inconsistent"
    assert Tag.objects.get().family == "inconsistent"


def test_harvests_templates_named_by_the_admin(harvest, fake_wiki, wiki_row):
    fake_wiki.spellings = {"Widerspruch": ["Widerspruch"]}
    fake_wiki.edit("Brücke", "Sie ist von 1903.{{Widerspruch}} Sie ist von 1899.")
    harvest(names={"widerspruch": "self-contradictory"})
    assert ("names", ["Widerspruch"]) in fake_wiki.asked
    assert Tag.objects.get().family == "self-contradictory"


def test_asks_only_for_the_chosen_families(harvest, fake_wiki):
    harvest(families=["contradict-other"])
    names = dict(fake_wiki.asked)["names"]
    assert "Contradict-other" in names
    assert "Inconsistent" not in names


def test_harvests_a_category(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE + "[[Category:Disputed bridges]]")
    fake_wiki.edit("Other Bridge", BRIDGE)
    assert harvest("category", category="Disputed bridges").tags_new == 1


# --- What goes wrong ------------------------------------------------------------------------------------------------


def test_a_title_that_is_missing_is_a_problem(harvest, fake_wiki):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    done = harvest("titles", titles=["Velm Bridge", "Nowhere"])
    assert done.state == HarvestState.DONE
    assert list(done.problems.values_list("title", "reason")) == [("Nowhere", "There is no such page.")]
    assert done.tags_new == 1


def test_a_page_given_up_on_is_listed_and_keeps_its_tags(harvest, fake_wiki, monkeypatch):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    fake_wiki.edit("Other Bridge", BRIDGE)
    harvest()
    fake_wiki.edit("Velm Bridge", "{{" * 1000 + BRIDGE)

    def given_up(wikitext, **options):
        if wikitext.startswith("{{{{"):
            raise GivenUp("It took longer than 20 s.")
        return []

    monkeypatch.setattr("annotation.harvesting.steps.extract_tags", given_up)
    done = harvest()
    assert list(done.problems.values_list("title", "reason")) == [("Velm Bridge", "It took longer than 20 s.")]
    assert Tag.objects.present().get().article.title == "Velm Bridge"


def test_an_error_of_the_wiki_stops_it_and_resume_goes_on(harvest, fake_wiki, wiki_row, admin, sign_in):
    fake_wiki.batch = 2
    for number in range(6):
        fake_wiki.edit(f"Bridge {number}", BRIDGE)
    fake_wiki.error, fake_wiki.error_after = Unreachable("wiki.example did not answer in time."), 4
    failed = harvest()
    assert (failed.state, failed.error) == (HarvestState.FAILED, "wiki.example did not answer in time.")
    assert failed.tags_new == 4
    fake_wiki.error = None
    sign_in(admin).post(f"/annotation/harvests/{failed.pk}/resume/")
    run_harvest(failed.pk)
    failed.refresh_from_db()
    assert (failed.state, failed.articles_seen, failed.tags_new) == (HarvestState.DONE, 6, 6)
    assert Tag.objects.count() == 6


def test_something_unexpected_stops_it_in_words(harvest, fake_wiki):
    fake_wiki.error = ZeroDivisionError("division by zero")
    fake_wiki.edit("Velm Bridge", BRIDGE)
    failed = harvest()
    assert failed.state == HarvestState.FAILED
    assert "ZeroDivisionError: division by zero" in failed.error


def test_a_wiki_that_is_no_longer_allowed_is_not_asked(fake_wiki, wiki_row):
    row = start_harvest(source="titles", wiki=wiki_row, parameters={"titles": ["Velm Bridge"]})
    wiki_row.is_allowed = False
    wiki_row.save()
    run_harvest(row.pk)
    row.refresh_from_db()
    assert row.state == HarvestState.FAILED
    assert "no longer allowed" in row.error
    assert fake_wiki.asked == []


@pytest.mark.parametrize(
    ("source", "parameters"),
    [
        ("titles", {"titles": ["", "  "]}),
        ("category", {"category": " "}),
        ("template", {"names": {"Widerspruch": "nonsense"}}),
        ("template", {"names": {" ": "inconsistent"}}),
        ("template", {"families": ["nonsense"]}),
        ("dump", {"path": "/nowhere/dump.xml"}),
        ("tasks", {"path": "/nowhere/tasks.json"}),
        ("magic", {}),
    ],
)
def test_refuses_what_cannot_work(source, parameters, wiki_row):
    with pytest.raises(Refusal):
        start_harvest(source=source, wiki=wiki_row, parameters=parameters)
    assert not Harvest.objects.exists()


def test_refuses_a_wiki_that_is_not_allowed(wiki_row):
    wiki_row.is_allowed = False
    wiki_row.save()
    with pytest.raises(Refusal):
        start_harvest(source="titles", wiki=wiki_row, parameters={"titles": ["Velm Bridge"]})
    assert not HarvestProblem.objects.exists()
