"""The tour of each role, walked in Chromium: every stop shows a part that is really on its page."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.practice.shipped import install_practice
from core.models import User
from core.navigation import tour_of
from tests.browser.conftest import errors_of_look
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def disagreement(admin, reviewer, other_reviewer):
    install_practice()
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(2, models=("Mist",)))
    give_all(round.items.first(), "correct", "incorrect")


@pytest.mark.parametrize("name", ["annotator", "reviewer", "adjudicator", "admin"])
def test_every_stop_is_beside_a_part_of_the_page(name, disagreement, open_page, request):
    person: User = request.getfixturevalue(name)
    page = open_page(person, "/?welcome")
    page.get_by_role("button", name="Take the tour").click()
    stops = tour_of(person).stops
    for stop in stops:
        card = page.get_by_role("dialog", name=stop.title)
        expect(card).to_be_focused()
        expect(page.locator(".on-tour")).to_be_in_viewport()
        expect(page.locator(f".on-tour:is({stop.at})")).to_have_count(1)
        assert errors_of_look(page) == []
        card.get_by_role("button", name="Begin" if stop is stops[-1] else "Next").click()
    # It leads to where the work begins.
    expect(page).to_have_url(re.compile(re.escape(reverse(tour_of(person).starts))))
    expect(page.locator("#tour")).to_have_count(0)
    expect(page.locator(".on-tour")).to_have_count(0)
