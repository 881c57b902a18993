"""The pages of an admin in a real browser: the form that follows the source, live progress, the list of tags."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Harvest, HarvestProblem, HarvestState, Tag
from tests.browser.conftest import errors_of_look
from tests.factories import TagFactory, WikiFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def running(db) -> Harvest:
    now = timezone.now()
    return Harvest.objects.create(
        source="category",
        wiki=WikiFactory(),
        parameters={"category": "Disputed bridges"},
        state=HarvestState.RUNNING,
        started_at=now,
        lease_expires_at=now + timedelta(minutes=10),
        articles_seen=250,
        articles_total=1000,
    )


def test_the_form_shows_the_fields_of_the_chosen_source_only(open_page, admin):
    WikiFactory()
    page = open_page(admin, "/annotation/harvests/new/")
    shown = {
        "A list of titles": ("Titles", "Dump file"),
        "An XML dump file": ("Dump file", "Category"),
        "Articles in a category": ("Category", "Tasks JSON file"),
        "A tasks JSON file": ("Tasks JSON file", "Titles"),
    }
    for source, (visible, hidden) in shown.items():
        page.get_by_label(source).check()
        expect(page.get_by_label(visible, exact=True)).to_be_visible()
        expect(page.get_by_label(hidden, exact=True)).to_be_hidden()


def test_progress_moves_by_itself_and_stops_when_the_harvest_is_over(open_page, admin, running):
    page = open_page(admin, f"/annotation/harvests/{running.pk}/")
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "25")
    page.get_by_role("button", name="Cancel").focus()
    Harvest.objects.update(articles_seen=500)
    expect(bar).to_have_attribute("value", "50")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    Harvest.objects.update(state=HarvestState.DONE, finished_at=timezone.now(), lease_expires_at=None)
    expect(page.get_by_text("Done")).to_be_visible()
    expect(page.locator("[hx-trigger]")).to_have_count(0)


def test_ticks_tags_with_keys_and_assigns_them(open_page, admin, annotator):
    tags = [TagFactory() for _ in range(3)]
    page = open_page(admin, "/annotation/tags/")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.get_by_label("Actions for the selection").select_option("Assign to")
    page.get_by_label("Person").select_option("anna")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Done for 2 tags.")).to_be_visible()
    assert [tag.assignments.get().annotator for tag in tags] == [annotator, None, annotator]


@pytest.mark.thorough
def test_axe_finds_nothing_and_nothing_sticks_out(open_page, admin, running):
    Harvest.objects.create(
        source="titles",
        wiki=running.wiki,
        parameters={"titles": ["A"]},
        state=HarvestState.FAILED,
        error="x" * 200,
        finished_at=timezone.now(),
    )
    failed = Harvest.objects.latest("pk")
    HarvestProblem.objects.create(harvest=failed, title="y" * 200, reason="z" * 200)
    tag = TagFactory(article__title="Long" * 60, reason="because " * 40)
    Tag.objects.create(article=tag.article, last_seen_in=tag.article, raw="Contradict", family="self-contradictory")
    page = open_page(admin)
    for address in (
        "harvests/",
        "harvests/new/",
        f"harvests/{running.pk}/",
        f"harvests/{failed.pk}/",
        "wikis/",
        "tags/?q=long&family=inconsistent",
        f"tags/{tag.pk}/",
        "progress/",
    ):
        assert page.goto(f"/annotation/{address}").ok, address
        assert errors_of_look(page) == []
