"""A published site, opened from a folder: no server, no network."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect

from annotation.models import Instance
from annotation.releases.freezing import create_release
from review.rounds.rounds import close_round
from tests.browser.conftest import errors_of_look, watch
from tests.factories import AnnotationFactory
from tests.factories.review import give_all, make_imported_run, make_response, make_round

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


@pytest.fixture
def site(admin, reviewer, other_reviewer, tmp_path) -> Path:
    for title in ("Old causeway", "Mill bridge", "Stone ford"):
        AnnotationFactory(tag__article__title=title)
    create_release(name="Bridges", admin=admin)
    run = make_imported_run(0)
    for instance in Instance.objects.all():
        for model in ("Mist", "Llam"):
            make_response(run, instance, model=model, code="5")
    round = make_round(admin, [reviewer, other_reviewer], run, training_required=False)
    for number, item in enumerate(round.items.order_by("pk")):
        give_all(item, *(("correct", "correct") if number % 3 else ("incorrect", "incorrect")))
    close_round(round=round, admin=admin)
    call_command("export_site", str(tmp_path / "site"), release=1, stdout=io.StringIO())
    return tmp_path / "site"


def opened(browser: Browser, errors: list[str], **options) -> Page:
    page = browser.new_context(offline=True, reduced_motion="reduce", **options).new_page()
    watch(page, errors)
    page.on("requestfailed", lambda request: errors.append(request.url))
    return page


def test_every_kind_of_page_is_readable_by_all_on_every_screen(site, browser):
    errors: list[str] = []
    found: list[str] = []
    page = opened(browser, errors)
    names = ("index", "instances/index", "instances/1", "instances/origin-same-1", "results/index", "results/table2")
    for name in (*names, "results/comparison", "downloads/index", "datasheet", "submit"):
        page.goto(f"{site.as_uri()}/{name}.html")
        found += errors
        found += errors_of_look(page)
        errors.clear()  # axe itself asks for the style sheet, which the page's policy refuses
    assert found == []
    page.context.close()


def test_a_page_is_narrowed_by_words_and_whole_without_script(site, browser):
    errors: list[str] = []
    page = opened(browser, errors)
    page.goto(f"{site.as_uri()}/index.html")
    page.get_by_role("link", name="All instances, by category").click()
    page.get_by_role("link", name="Read all of them in their order").click()
    cards = page.locator("article.instance:visible")
    expect(cards).to_have_count(3)
    page.get_by_label("Filter this page").fill("OPEN mill")
    expect(cards).to_have_count(1)
    expect(page.locator("[data-found]")).to_have_text("1 of 3 on this page")
    page.context.close()
    without = opened(browser, errors, java_script_enabled=False)
    without.goto(f"{site.as_uri()}/instances/1.html")
    expect(without.locator("article.instance:visible")).to_have_count(3)
    expect(without.get_by_label("Filter this page")).to_be_hidden()
    assert errors == []
    without.context.close()
