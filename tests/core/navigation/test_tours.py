"""New people are offered the tour of their role, on real pages, or to start; nobody else is."""

from html import unescape

import pytest
from django.urls import reverse

from core.accounts.people import invite
from core.accounts.sample_people import DEMO_PEOPLE, make_demo_people
from core.models import Role
from core.navigation import tour_called

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", DEMO_PEOPLE)
def test_a_sample_person_is_offered_the_tour_of_their_role_or_to_start(name, client, settings):
    settings.SITE_IS_LOCAL = True
    person = {user.username: user for user in make_demo_people()}[name]
    page = unescape(client.post(reverse("sample_sign_in", args=[name]), follow=True).text)
    (role,) = DEMO_PEOPLE[name]
    tour = tour_called(role, person)
    assert tour.about in page
    shown = client.get(f"{reverse(tour.begins)}?tour={role}{tour.query}")
    assert shown.status_code == 200
    assert all(f'data-at="{stop.at}"' in shown.text for stop in tour.stops if "'" not in stop.at)
    assert "scripts/tour" in shown.text
    assert client.get(reverse(tour.starts)).status_code in (200, 302)
    assert tour.about not in client.get(reverse("home")).text


def test_a_tour_of_another_role_is_not_shown(annotator, sign_in):
    page = sign_in(annotator).get(reverse("home"), {"tour": Role.ADMIN})
    assert page.status_code == 200
    assert "scripts/tour" not in page.text
    assert "scripts/tour" not in sign_in(annotator).get(reverse("home"), {"tour": "<script>"}).text


def test_a_tour_is_offered_after_an_account_was_opened(admin, client):
    _, token = invite(email="new@example.org", roles=[Role.ADJUDICATOR], admin=admin)
    sent = {"username": "newcomer", "password": "a long word of my own"}
    page = client.post(reverse("join", args=[token]), sent, follow=True)
    assert "New here?" in page.text
    assert "decides where the people who judged a response differ" in page.text
