"""A person's language: what it changes, and that nothing which leaves the site as data depends on it."""

import json
from functools import partial

import pytest
from django.conf import settings
from django.template import engines
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.nav_items import near_in_words
from core.languages import joined, number, say, say_count
from core.lists.pages import NEAR_A_CHIP
from core.models import Event, User
from tests.conftest import signed_in
from tests.factories import TagFactory


def chosen(person: User, language: str) -> Client:
    User.objects.filter(pk=person.pk).update(language=language)
    return signed_in(User.objects.get(pk=person.pk))


def page(client: Client, name: str = "account", **more: str) -> str:
    return client.get(reverse(name), headers=more).content.decode()


def test_a_person_chooses_german_and_keeps_it(anna):
    assert '<html lang="en"' in page(anna)
    answer = anna.post(reverse("account_language"), {"language": "de", "next": reverse("account")})
    assert answer.url == reverse("account")
    assert '<html lang="de"' in page(anna)
    assert "<h1>Ihr Konto</h1>" in page(anna)
    assert User.objects.get(username="anna").language == "de"


def test_nobody_chooses_a_language_that_is_not_offered(anna):
    assert anna.post(reverse("account_language"), {"language": "tlh"}).status_code == 400
    assert User.objects.get(username="anna").language == ""


@pytest.mark.django_db
def test_before_sign_in_the_cookie_counts_and_not_the_browsers_header():
    client = Client()
    assert "<h1>Sign in</h1>" in page(client, "account_login", accept_language="de-AT,en;q=0.5")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "tlh"
    assert "<h1>Sign in</h1>" in page(client, "account_login")
    client.post(reverse("account_language"), {"language": "de"})
    assert "<h1>Anmelden</h1>" in page(client, "account_login", accept_language="en")


def test_messages_and_errors_of_forms_are_in_the_language_of_the_person(anna):
    client = chosen(User.objects.get(username="anna"), "de")
    answer = client.post(reverse("account_name"), {"first_name": "Anna", "last_name": ""}, follow=True)
    assert "Ihr Name ist gespeichert." in answer.content.decode()
    refused = client.post(reverse("account_language"), {"language": "tlh"})
    assert "Wählen Sie eine der Sprachen, die die Seite anbietet." in refused.content.decode()


def test_a_text_is_english_as_data_and_german_on_a_page():
    text = say("The token “{name}” no longer works.", name="<b>")
    counted = say_count(1_234, "{count:,} person", "{count:,} people")
    with translation.override("de"):
        assert f"{text}" == "The token “<b>” no longer works."
        assert json.dumps([counted]) == '["1,234 people"]'
        assert text.__html__() == "Das Token „&lt;b&gt;“ gilt nicht mehr."
        assert counted.shown() == "1.234 Personen"
        assert joined([counted, number(9_999)], ", ").shown() == "1.234 Personen, 9.999"
    assert counted.shown() == "1,234 people"


def test_the_reference_of_the_api_is_a_page_in_the_readers_language(anna):
    client = chosen(User.objects.get(username="anna"), "de")
    assert "Programme können hier dasselbe tun" in page(client, "api_reference")
    schema = client.get(reverse("api:schema")).content.decode()
    assert "Annotier" not in schema


def test_the_log_is_english_whoever_acts(amir, anna):
    client = chosen(User.objects.get(username="amir"), "de")
    anna_pk = User.objects.get(username="anna").pk
    client.post(reverse("person_roles", args=[anna_pk]), {"roles": ["annotator", "reviewer"]})
    event = Event.objects.latest("pk")
    assert event.label == "set roles"


@pytest.mark.parametrize(
    ("count", "near", "english", "german"),
    [
        (0, 0, "", ""),
        (1, 1, "1 annotation", "1 Annotation"),
        (99, 99, "99 annotations", "99 Annotationen"),
        (100, 100, "more than 99 annotations", "mehr als 99 Annotationen"),
        (0, NEAR_A_CHIP + 1, "some annotations", "einige Annotationen"),
    ],
)
def test_numbers_of_waiting_work_are_in_words(count, near, english, german):
    found = near_in_words(count, near, partial(_say, "{count:,} annotation", "{count:,} annotations"))
    with translation.override("de"):
        assert (f"{found}", found.shown() if found else "") == (english, german)


def _say(one: str, many: str, number: int, **values):
    return say_count(number, one, many, **values)


def test_filters_keep_a_text_in_the_readers_language():
    page = engines["django"].from_string("{{ name|capfirst }}, {{ name|lower }}")
    assert page.render({"name": say("first")}) == "First, first"
    with translation.override("de"):
        assert page.render({"name": say("more than {most:,}", most=1)}) == "Mehr als 1, mehr als 1"


def test_a_cut_text_is_cut_in_the_readers_language():
    page = engines["django"].from_string("{% load rows %}{{ name|short:7 }}, {{ plain|short:7 }}")
    assert page.render({"name": say("Category"), "plain": "Category"}) == "Catego…, Catego…"
    with translation.override("de"):
        assert page.render({"name": say("Category"), "plain": "Category"}) == "Katego…, Catego…"


@pytest.mark.parametrize(("before", "after"), [("en", "de"), ("de", "en")])
def test_menus_and_chips_that_are_kept_are_in_the_readers_language(amir, before, after):
    TagFactory()
    words = {"en": (">every wiki<", ">Free<"), "de": (">jedes Wiki<", ">Frei<")}
    for language in (before, after):
        shown = page(chosen(User.objects.get(username="amir"), language), "tags")
        assert all(each in shown for each in words[language])
