"""One line for each request and each task, with numbers and patterns and without any text."""

import logging
import re
from http.cookies import SimpleCookie

import pytest
from celery import shared_task
from django.apps import apps
from django.db import DatabaseError, models, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from core.models import Role, User
from core.seeing.requests import RequestLogMiddleware
from core.waking import wake_now
from core.web.outages import AWAY, outage_response
from tests.conftest import make_person, signed_in
from tests.core.addresses import LISTED, let_in
from tests.core.asking import address, post
from tests.core.world import NAMES

pytestmark = pytest.mark.django_db
MARKER = "Zanzibarbridge"
KEY = "sk-Zanzibarkey0123456789"
PASSWORD = "Zanzibarpassword-1912"


@pytest.fixture
def client(db) -> Client:
    return Client(raise_request_exception=False)


def requests_of(lines: list[dict]) -> list[dict]:
    return [line for line in lines if line["event"] == "request"]


def test_a_request_has_one_line_with_its_pattern_and_its_person(logged):
    admin = make_person("Zora", Role.ADMIN)
    person = make_person("Yan", Role.ANNOTATOR)
    response = signed_in(admin).get(f"{reverse('person', args=[person.pk])}?q=secret")
    (line,) = requests_of(logged())
    assert line.pop("ms") > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", line.pop("timestamp"))
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "core.seeing.requests",
        "method": "GET",
        "path": "/people/<row:pk>/",
        "status": 200,
        "user_id": admin.pk,
        "request_id": response["X-Request-ID"],
    }


def test_a_number_that_comes_with_the_request_is_kept_and_a_text_is_not(logged, client):
    def answered(number: str) -> str:
        return client.get("/account/login/", headers={"X-Request-ID": number})["X-Request-ID"]

    assert answered("proxy-4711-abc") == "proxy-4711-abc"
    for bad in ("a b c d e f g h", "<script>alert(1)", "ü" * 10, "short", "x" * 65, 'a"b=c-12345'):
        assert re.fullmatch("[0-9a-f]{32}", answered(bad))
    assert requests_of(logged())[0]["request_id"] == "proxy-4711-abc"


def test_files_and_what_programs_ask_for_get_no_line_unless_they_fail(logged, client, settings):
    client.get("/health/")
    assert not requests_of(logged())
    assert client.get("/ready/").status_code == 503  # no worker is running here
    client.get(f"/{settings.STATIC_URL.strip('/')}/app.css")
    assert [line["path"] for line in requests_of(logged())] == ["/ready/"]


def test_an_address_without_a_page_is_not_repeated(logged, client):
    client.get(f"/{MARKER}/")
    client.generic("BREW", f"/people/{MARKER}")
    found = requests_of(logged())
    assert [(each["path"], each["method"]) for each in found] == [("(no page)", "GET"), ("(no page)", "other")]
    assert MARKER not in str(logged())


def test_the_person_is_not_looked_up_for_the_line(logged, django_assert_num_queries, client):
    with django_assert_num_queries(0):
        client.get("/health/")
        RequestLogMiddleware(lambda _request: HttpResponse("ok"))(RequestFactory().get("/people/"))
    assert "user_id" not in requests_of(logged())[0]


class Quoting(ValueError):
    """An error whose message quotes."""


def test_an_error_is_told_by_its_kind_and_its_lines_of_code(logged, client, monkeypatch):
    def breaks() -> None:
        try:
            raise KeyError(MARKER)
        except KeyError as error:
            raise Quoting(f"{MARKER} {KEY}") from error

    monkeypatch.setattr("core.views.health.answers.now", breaks)
    assert client.get("/ready/").status_code == 500
    told = next(line for line in logged() if line["logger"] == "django.request")
    assert told["level"] == "error"
    assert told["path"] == "/ready/"
    assert told["request_id"] == requests_of(logged())[0]["request_id"]
    first, *frames = told["error"].splitlines()
    assert first == "tests.core.seeing.test_log_lines.Quoting"
    assert any(re.search(r"core/views/health\.py:\d+ ready$", frame) for frame in frames)
    assert "KeyError" in frames
    assert MARKER not in str(logged())


def test_an_outage_names_what_the_system_says(logged):
    request = RequestFactory().get(f"/account/join/{MARKER}/")
    outage_response(request, AWAY, OSError(28, "No space left on device", f"/{MARKER}"))
    (line,) = logged()
    assert line["event"] == "503 at /account/join/<str:token>/"
    assert line["error"] == "OSError: No space left on device"


@shared_task(ignore_result=True)
def look_for_work() -> None:
    logging.getLogger("core.example").info("within")


@shared_task(ignore_result=True)
def work_on(row: int) -> None:
    look_for_work()
    if row < 0:
        raise Quoting(f"{MARKER} {KEY}")


def test_a_task_has_one_line_and_gives_its_name_to_those_within(logged):
    wake_now(work_on, 17)
    within, line = logged()
    assert (line["event"], line["of"], line["status"], line["level"]) == ("task", 17, "success", "info")
    assert line["task"] == "tests.core.seeing.test_log_lines.work_on"
    assert within["task_id"] == line["task_id"]
    logging.getLogger("core.example").info("after")
    assert "task" not in logged()[-1]


def test_a_look_that_finds_no_work_is_quiet(logged):
    wake_now(look_for_work)
    assert [line["level"] for line in logged() if line["event"] == "task"] == ["debug"]


def test_a_task_that_fails_is_told_without_its_message(logged):
    work_on.apply((-1,), throw=False)
    failure = next(line for line in logged() if line["event"] == "task failed")
    assert failure["level"] == "error"
    assert failure["error"].startswith("tests.core.seeing.test_log_lines.Quoting\n")
    assert MARKER not in str(logged())


# --- Many pages, with marked texts everywhere ---


SECRETS = ("password", "session_data", "salt")


def mark_all_texts() -> int:
    """Put the marker into all columns that hold texts of people, wikis and models. Returns the number of marked
    columns; columns that checks and frozen rows refuse stay as they are."""
    marked = 0
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            free = isinstance(field, models.TextField | models.CharField) and not (field.choices or field.unique)
            if (
                not free
                or field.name in ("password", "session_data", "token_hash", "salt")
                or field.max_length in range(30)
            ):
                continue
            try:
                with transaction.atomic():
                    marked += bool(model._default_manager.exclude(**{field.name: ""}).update(**{field.name: MARKER}))
            except (DatabaseError, NotImplementedError, ValueError, TypeError):
                continue
    return marked


def test_no_text_key_password_or_name_is_logged_on_any_page(logged, world, rows, monkeypatch):
    monkeypatch.setenv("LAB_API_KEY", KEY)
    User.objects.update(first_name=MARKER, last_name=MARKER, email="")
    assert mark_all_texts() > 40
    opened = 0
    for role, name in NAMES.items():
        client = signed_in(User.objects.get(username=name))
        client.raise_request_exception = False
        cookies = client.cookies.output(header="", sep=";")
        for page in LISTED:
            where = address(page, rows)
            if role in Role.values and not let_in(page, role):
                continue
            client.cookies = SimpleCookie(cookies)  # signing out is one of the pages
            with transaction.atomic():
                # Programs may send no parameter that an address does not know.
                asked = where if page.startswith("api:") else f"{where}?q={MARKER}&token={KEY}"
                opened += client.get(asked).status_code == 200
                if role == Role.ADMIN:
                    post(client, where)
                transaction.set_rollback(True)
    stranger = Client(raise_request_exception=False)
    stranger.post("/account/login/", {"login": MARKER, "password": PASSWORD})
    stranger.get(f"/account/join/{KEY}/")
    stranger.post(f"/account/join/{KEY}/", {"username": MARKER, "password1": PASSWORD})
    stranger.get("/api/v1/tags/", headers={"Authorization": f"Bearer wcw_{KEY}"})
    assert opened > 150, opened
    lines = logged()
    assert len(requests_of(lines)) > 500
    assert [line for line in lines if re.search("zanzibar", str(line), re.IGNORECASE)] == []
    names = [name for name in (*NAMES.values(), "ansel", "ralph") if re.search(rf"\b{name}\b", str(lines))]
    assert names == []
