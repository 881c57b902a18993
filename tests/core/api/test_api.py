"""Features of all addresses of the API: tokens, scopes, sessions, problem details, pages, requests sent again."""

import json
import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.utils import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.accounts import people, tokens
from core.models import AccessToken, Event, KeptAnswer, User
from tests.conftest import make_person

pytestmark = pytest.mark.django_db
PROBLEM = "application/problem+json"


def program(person: User, **scopes: bool) -> Client:
    """A client that sends a new token of this person."""
    _, token = tokens.make_token(person=person, name="test", **scopes)
    return Client(headers={"Authorization": f"Bearer {token}"})


def test_a_token_is_made_on_the_account_page_and_shown_once(annotator, sign_in):
    browser = sign_in(annotator)
    page = browser.post(reverse("account_token_new"), {"name": "my laptop", "scopes": ["work"], "days": "30"})
    token = re.search(r"wcw_[\w-]{43}", page.content.decode())[0]
    row = AccessToken.objects.get(person=annotator)
    assert token not in row.token_hash
    assert row.scopes == ["read", "work"]
    assert token not in browser.get(reverse("account")).content.decode()
    me = Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/me/").json()
    assert (me["username"], me["roles"], me["scopes"]) == ("anna", ["annotator"], ["read", "work"])


def test_a_token_is_revoked_by_its_person_only(annotator, other_annotator, sign_in):
    client = program(annotator)
    row = AccessToken.objects.get()
    assert sign_in(other_annotator).post(reverse("account_token_revoke", args=[row.pk])).status_code == 404
    assert client.get("/api/v1/me/").status_code == 200
    sign_in(annotator).post(reverse("account_token_revoke", args=[row.pk]))
    assert client.get("/api/v1/me/").status_code == 401


def test_a_closed_account_and_a_new_password_end_all_tokens(annotator, admin):
    client = program(annotator)
    people.deactivate_person(person=annotator, admin=admin)
    assert client.get("/api/v1/me/").status_code == 401
    people.activate_person(person=annotator, admin=admin)
    assert client.get("/api/v1/me/").status_code == 401
    client = program(annotator)
    invitation, _ = people.make_password_link(person=annotator, admin=admin)
    people.choose_password(invitation=invitation, password="another one, please")
    assert client.get("/api/v1/me/").status_code == 401


def test_a_token_expires(annotator):
    at = timezone.now() - timedelta(days=31)
    _, token = tokens.make_token(person=annotator, name="old", days=30, at=at)
    assert Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/me/").status_code == 401


def test_its_use_is_noted_once_a_minute(annotator, django_assert_num_queries):
    client = program(annotator)
    with django_assert_num_queries(3):  # token, note, person
        client.get("/api/v1/me/")
    noted = AccessToken.objects.get().last_used_at
    with django_assert_num_queries(2):
        client.get("/api/v1/me/")
    assert AccessToken.objects.get().last_used_at == noted


@pytest.mark.parametrize(
    "change",
    [{"may_administer": True}, {"token_hash": "x"}, {"revoked_at": None}, {"expires_at": timezone.now()}],
    ids=lambda change: next(iter(change)),
)
def test_the_database_keeps_scopes_and_revocations(change, annotator):
    row, _ = tokens.make_token(person=annotator, name="x")
    tokens.revoke_token(token=row, person=annotator)
    with pytest.raises(DatabaseError, match="a revoked one stays revoked"), transaction.atomic():
        AccessToken.objects.filter(pk=row.pk).update(**change)


def test_the_database_wants_a_name(annotator):
    with pytest.raises(IntegrityError), transaction.atomic():
        AccessToken.objects.create(person=annotator, name="", token_hash="x")


@pytest.mark.parametrize("sent", ["Bearer x", "Bearer", "Bearer wcw_é", "bearer  ", "Bearer \udcff"])
def test_what_is_no_token_gets_a_401_that_says_so(sent):
    answer = Client().get("/api/v1/me/", headers={"Authorization": sent})
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer["Content-Type"] == PROBLEM


def test_roles_hold_and_the_refusal_is_a_problem(annotator):
    answer = program(annotator, may_administer=True).get("/api/v1/people/")
    assert answer.status_code == 403
    problem = answer.json()
    assert (problem["status"], problem["title"], problem["type"]) == (403, "Forbidden", "about:blank")
    assert "An admin can give you that role" in problem["detail"]


def test_a_session_needs_the_token_against_forged_requests(admin):
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin, backend="core.accounts.adapter.Backend")
    assert client.get("/api/v1/people/").status_code == 200
    answer = client.post("/api/v1/people/", "{}", content_type="application/json")
    assert answer.status_code == 403
    assert "CSRF" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/api/v1/nowhere/", 404),
        ("get", "/api/v1/people/9223372036854775808/", 404),
        ("get", "/api/v1/people/999999/", 404),
        ("delete", "/api/v1/people/", 405),
        ("get", "/api/v1/people/?page=after-x", 400),
        ("get", "/api/v1/people/?limit=0", 400),
        ("get", "/api/v1/people/?limit=9223372036854775808", 400),
        ("get", "/api/v1/activity/?subject=x", 400),
        ("get", "/api/v1/people/?q=%00", 400),
    ],
)
def test_every_error_is_a_problem(method, path, status, admin):
    answer = getattr(program(admin, may_administer=True), method)(path)
    assert (answer.status_code, answer["Content-Type"]) == (status, PROBLEM)
    assert answer.json()["status"] == status


def test_what_is_not_accepted_is_a_problem(admin):
    answer = program(admin).get("/api/v1/people/", headers={"Accept": "application/xml"})
    assert (answer.status_code, answer["Content-Type"]) == (406, PROBLEM)


def test_so_many_requests_a_minute(annotator, settings, own_cache):
    settings.API_REQUESTS_PER_MINUTE = 2
    client = program(annotator)
    assert [client.get("/api/v1/me/").status_code for _ in range(3)] == [200, 200, 429]
    answer = client.get("/api/v1/me/")
    assert answer["Content-Type"] == PROBLEM
    assert 0 < int(answer["Retry-After"]) <= 60


def test_an_outage_is_a_problem(admin, monkeypatch):
    from django.db import OperationalError

    from core.api import views

    def away(*_args):
        raise OperationalError("gone")

    monkeypatch.setattr(views, "people_with_roles", away)
    answer = program(admin).get("/api/v1/people/")
    assert (answer.status_code, answer["Content-Type"], answer["Retry-After"]) == (503, PROBLEM, "5")


def test_pages_lead_through_all_rows_once(admin):
    for number in range(5):
        make_person(f"person{number}")
    client, names, where = program(admin), [], "/api/v1/people/?limit=2"
    while where:
        page = client.get(where).json()
        names += [row["username"] for row in page["results"]]
        where = page["next"]
    assert names == sorted(User.objects.values_list("username", flat=True))


def test_the_log_is_the_open_one(admin):
    entries = program(admin).get("/api/v1/activity/").json()["results"]
    assert entries[0]["action"] == "made_token"
    assert entries[0]["after"] == {"name": "test", "scopes": ["read"]}
    assert len(entries) == Event.objects.count()


def test_the_schema_is_openapi_3_1_and_names_every_address(admin):
    from core.api.schema import schema
    from tests.core.addresses import API_PATTERNS

    described = json.loads(json.dumps(schema(), default=str))
    assert described["openapi"].startswith("3.1")
    assert len(described["paths"]) == len(API_PATTERNS)
    page = Client()
    page.force_login(admin, backend="core.accounts.adapter.Backend")
    shown = page.get(reverse("api_reference")).content.decode()
    assert all(f"/api/v1{path}" in shown for path in described["paths"])
    assert KeptAnswer.objects.count() == 0


def test_the_schema_describes_each_shape_under_a_name_of_its_own(capsys):
    from core.api.schema import schema

    described = schema.__wrapped__()["components"]["schemas"]
    assert "Warning" not in capsys.readouterr().err
    assert "html" in described["EvidencePartOut"]["properties"]
    assert "values" in described["ComparedPartOut"]["properties"]


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("path", ["/api/v1/releases?x=1", "/annotation/desk/next"])
def test_without_the_closing_slash_nothing_that_is_sent_becomes_a_get(method, path, debug, admin, sign_in, settings):
    settings.DEBUG = debug
    answer = getattr(sign_in(admin), method)(path, "{}", content_type="application/json")
    assert answer.status_code == 308  # a client sends the same again
    base, _, query = path.partition("?")
    assert answer["Location"] == f"{base}/" + (f"?{query}" if query else "")
    assert sign_in(admin).get(path).status_code == 301


def test_what_was_sent_without_the_closing_slash_arrives(annotator, admin):
    client = program(admin, may_administer=True)
    answer = client.post("/api/v1/webhooks", "{}", content_type="application/json", follow=True)
    assert answer.redirect_chain == [("/api/v1/webhooks/", 308)]
    assert answer.status_code == 405  # a GET would have given the list
