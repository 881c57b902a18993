"""Sessions of a person: the list, signing out elsewhere, and idle ones."""

import re
import time
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.accounts.tokens import make_token, revoke_token
from core.clearing.expired import clear_expired_rows
from core.models import AccessToken, CoreAction, Event
from tests.conftest import signed_in

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Safari/604.1"


def by_password(name: str, user_agent: str, address: str = "127.0.0.1") -> Client:
    client = Client(headers={"User-Agent": user_agent}, REMOTE_ADDR=address)
    assert client.post("/account/login/", {"login": name, "password": name})["Location"] == "/"
    return client


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


@pytest.fixture
def two(annotator) -> tuple[Client, Client]:
    return by_password("anna", FIREFOX), by_password("anna", IPHONE, "192.0.2.7")


def test_a_person_sees_their_own_sessions_only(two, other_annotator):
    other = by_password("ansel", FIREFOX, "192.0.2.99")
    shown = two[0].get("/account/sessions/").context["sessions"]
    assert [(row.device, row.address, row.is_current) for row in shown] == [
        ("Firefox on Linux", "127.0.0.1", True),
        ("Safari on iPhone", "192.0.2.7", False),
    ]
    assert len(other.get("/account/sessions/").context["sessions"]) == 1


def test_one_browser_is_signed_out(two, other_annotator):
    elsewhere = two[0].get("/account/sessions/").context["sessions"][1]
    assert signed_in(other_annotator).post(f"/account/sessions/{elsewhere.pk}/end/").status_code == 404
    assert is_in(two[1])
    two[0].post(f"/account/sessions/{elsewhere.pk}/end/")
    assert is_in(two[0])
    assert not is_in(two[1])


def test_signing_out_everywhere_ends_sessions_that_no_list_has(two, annotator):
    unlisted = signed_in(annotator)
    two[0].post("/account/sessions/end/")
    assert [is_in(client) for client in (*two, unlisted)] == [True, False, False]
    assert len(two[0].get("/account/sessions/").context["sessions"]) == 1
    assert Event.objects.about(annotator).last().action == "signed_out_everywhere"


def test_it_also_ends_this_session_if_asked(two):
    assert two[0].post("/account/sessions/end/", {"here": "on"})["Location"] == "/account/login/"
    assert not is_in(two[0])


@pytest.mark.parametrize("revokes", [True, False])
def test_it_offers_to_revoke_the_tokens(two, annotator, revokes):
    make_token(person=annotator, name="notebook")
    assert b"Revoke my 1 API token" in two[0].get("/account/sessions/").content
    two[0].post("/account/sessions/end/", {"tokens": "on"} if revokes else {})
    assert AccessToken.objects.usable().exists() is not revokes


def test_a_closed_password_ends_what_is_listed(two, annotator):
    annotator.set_password("five green bridges")
    annotator.save()
    assert signed_in(annotator).get("/account/sessions/").context["sessions"] == []


def test_the_last_use_is_noted_once_an_hour(two, annotator):
    row = UserSession.objects.get(user_agent=FIREFOX)
    UserSession.objects.update(last_seen_at=timezone.now() - timedelta(hours=5))
    two[0].get("/")
    row.refresh_from_db()
    assert row.last_seen_at < timezone.now() - timedelta(hours=4)
    was_seen(two[0], hours=2)
    two[0].get("/")
    row.refresh_from_db()
    assert row.last_seen_at > timezone.now() - timedelta(hours=1)


def was_seen(client: Client, *, hours: float) -> None:
    session = client.session
    session["seen"] = int(time.time() - hours * 3600)
    session.save()


def test_an_idle_session_ends_and_one_in_use_does_not(annotator, settings):
    settings.IDLE_MINUTES = 60
    client = signed_in(annotator)
    was_seen(client, hours=0.9)
    assert is_in(client)
    assert client.session["seen"] > time.time() - 60
    was_seen(client, hours=1.1)
    assert not is_in(client)
    assert not Session.objects.filter(session_key=client.session.session_key).exists()


def test_a_session_that_was_idle_for_too_long_is_in_no_list(two, settings):
    settings.IDLE_MINUTES = 60
    was_seen(two[1], hours=1.1)
    page = two[0].get("/account/sessions/")
    assert [row.device for row in page.context["sessions"]] == ["Firefox on Linux"]
    assert "signed out after 60 minutes without use" in page.text
    assert not is_in(two[1])


def test_a_page_that_refreshes_itself_is_no_use(annotator, settings):
    settings.IDLE_MINUTES = 60
    client = signed_in(annotator)
    was_seen(client, hours=0.9)
    client.get("/", headers={"HX-Request": "true"})
    client.post("/annotation/desk/1/renew/")
    assert client.session["seen"] < time.time() - 3000


def test_without_the_setting_a_session_lasts(annotator):
    client = signed_in(annotator)
    was_seen(client, hours=100)
    assert is_in(client)


def test_the_clock_forgets_what_was_known_of_sessions_that_ended(two):
    Session.objects.all().delete()
    clear_expired_rows()
    assert UserSession.objects.count() == 2  # they have only just begun
    UserSession.objects.update(created_at=timezone.now() - timedelta(hours=1))
    clear_expired_rows()
    assert not UserSession.objects.exists()


# --- Tokens -------------------------------------------------------------------------------------------------------


def test_a_token_expires_by_default_and_says_when(annotator, settings):
    settings.TOKEN_DAYS = 45
    page = signed_in(annotator).get("/account/").content.decode()
    date = timezone.localdate() + timedelta(days=45)
    assert f'<option value="45" selected>45 days, until {date.day} {date:%b %Y}' in page
    token, _ = make_token(person=annotator, name="notebook")
    assert timedelta(days=44) < token.expires_at - timezone.now() < timedelta(days=46)


def test_a_person_can_choose_one_that_does_not_expire(annotator):
    signed_in(annotator).post("/account/tokens/", {"name": "server", "days": ""})
    assert AccessToken.objects.get().expires_at is None


def test_existing_tokens_keep_their_date(annotator, settings):
    token, _ = make_token(person=annotator, name="server", days=None)
    settings.TOKEN_DAYS = 1
    token.refresh_from_db()
    assert token.is_usable()
    revoke_token(token=token, person=annotator)


# --- Exports ------------------------------------------------------------------------------------------------------


def test_an_admins_download_is_in_the_log(amir, admin):
    where = reverse("label_studio_config")
    assert amir.get(where).status_code == 200
    event = Event.objects.get(action="exported")
    assert (event.actor, event.after) == (admin, {"address": where})
    amir.get("/people/")
    assert Event.objects.filter(action="exported").count() == 1


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/review/reports/table2/download/csv/?release=3", "downloaded Table 2: final verdicts as CSV"),
        ("/review/reports/table2/plots/1.svg", "downloaded plot 1 of Table 2: final verdicts as SVG"),
        ("/review/files/final-verdicts.jsonl", "downloaded final verdicts as JSON Lines"),
        ("/annotation/releases/2/download/csv/", "downloaded release 2 as CSV"),
        ("/judging/runs/7/judgments/export/jsonl/", "downloaded the judgments of run 7 as JSON Lines"),
        ("/once/there/was/a/page/", "downloaded a file from /once/there/was/a/page/"),
    ],
)
def test_the_log_says_in_words_what_was_downloaded(amir, admin, address, words):
    Event.record(CoreAction.EXPORTED, admin, actor=admin, after={"address": address})
    page = " ".join(re.sub("<[^>]+>", " ", amir.get(reverse("activity")).text).split())
    assert words in page
    assert "address /" not in page


# --- Confirming ---------------------------------------------------------------------------------------------------


def test_roles_change_only_after_confirming_and_the_form_is_sent_on(admin, annotator, settings):
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
    client = signed_in(admin)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time() - 3600}]
    session.save()
    where = f"/people/{annotator.pk}/roles/"
    asked = client.post(where, {"roles": ["reviewer"]})["Location"]
    assert asked.startswith("/account/confirm/")
    assert annotator.given_roles() == {"annotator"}
    client.post(asked.partition("?")[0], {"password": "amir", "next": where})
    assert annotator.given_roles() == {"reviewer"}
    change = {"ids": [annotator.pk], "action": "close"}
    assert client.post("/api/v1/people/change/", change, content_type="application/json").status_code == 200


def test_a_session_long_after_signing_in_changes_nobody_by_the_api(admin, annotator, settings):
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
    client = signed_in(admin)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    change = {"ids": [annotator.pk], "action": "close"}
    assert client.post("/api/v1/people/change/", change, content_type="application/json").status_code == 403
    token = make_token(person=admin, name="notebook", may_administer=True)[1]
    headers = {"Authorization": f"Bearer {token}"}
    answer = Client().post("/api/v1/people/change/", change, content_type="application/json", headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["webhooks", "model_new", "wiki_allow"])
def test_a_host_is_added_only_after_confirming(admin, settings, name):
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
    client = signed_in(admin)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    assert client.post(reverse(name), {})["Location"].startswith("/account/confirm/")
