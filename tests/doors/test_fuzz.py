"""No request whatever is answered with an error of the server: each address, as each role, with hostile values.

A few requests to each in the tests. `FUZZ_REQUESTS` says how many a role, `FUZZ_SEED` what chance begins with;
`python -m speed.fuzz` sends ten thousand.
"""

import json
import os
import re
import socket
import sys
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO
from random import Random
from traceback import extract_tb
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client
from django.urls import reverse

from core.models import Role, User
from tests.conftest import signed_in
from tests.core.addresses import EVERYBODY, LISTED, MAY_OPEN, let_in
from tests.core.asking import API_BODIES, PUT, address, parameters
from tests.core.world import NAMES
from tests.doors import hostile
from tests.doors.hostile import PageForm

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "40"))
SEED = os.environ.get("FUZZ_SEED", "1")
ROLES = [Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN, "no role", "signed out"]
# The headers of the page's own script, so that a body is wrong in one respect only.
JSON_BODIES = {
    "desk_save": {"content": {"question1": "Which?"}, "operation": "", "tab": "a"},
    "desk_submit": {"content": {}, "operation": "", "tab": "a"},
    "desk_assist": {"content": {"question1": "Which?"}},
    "desk_select": {"evidence": 1, "start": 0, "end": 5, "position": 1, "is_first": True},
    "desk_sources": {"position": 1, "parts": [{"evidence": 1, "start": 0, "end": 5}]},
    "desk_counterpart": {"number": 0, "taken_with": "key"},
    "desk_suggestion": {"field": "Contradict type I", "suggested": "DATE", "outcome": "taken"},
    "desk_time": {"page": "a", "seconds": {"1": 5}},
    "desk_edit": {"state": "taken"},
    "practice_save": {"content": {"question1": "Which?"}, "operation": "", "tab": "a"},
    "practice_submit": {"content": {}, "operation": "", "tab": "a"},
    "practice_compare": {"step": 1},
    "practice_assist": {"content": {"question1": "Which?"}},
    "practice_select": {"evidence": 1, "start": 0, "end": 5, "position": 1, "is_first": True},
    "practice_sources": {"position": 1, "parts": [{"evidence": 1, "start": 0, "end": 5}]},
} | {f"api:{name}": body for name, body in API_BODIES.items()}


# A real site checks the token against forged requests, and so reads each form before a view does.
TOKEN = "a" * 32


@dataclass
class Sender:
    """Sends requests as one role, and undoes what they changed."""

    role: str
    client: Client
    rows: dict
    forms: list[PageForm]
    chance: Random
    answers: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client.raise_request_exception = False
        self.client.handler.enforce_csrf_checks = True
        self.client.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
        self.cookies = {name: morsel.value for name, morsel in self.client.cookies.items()}
        self.names = hostile.named_parameters()
        self.pages = [name for name in LISTED if self.role == "signed out" or let_in(name, self.role)] or LISTED
        self.last: list = []

    def send_one(self) -> None:
        kinds = [
            self.a_form,
            self.a_form,
            self.a_form,
            self.a_number,
            self.an_address,
            self.an_address,
            self.a_body,
            self.json,
            self.a_file,
        ]
        chance, kind = self.chance, self.chance.choice(kinds)
        method, path, options = kind()
        headers = {} if chance.random() < 0.02 else {"X-CSRFToken": TOKEN}
        for _ in range(chance.choice([0, 0, 0, 1, 2])):
            name = chance.choice(list(hostile.HEADERS))
            headers[name] = chance.choice(hostile.HEADERS[name])
        self.client.cookies.clear()
        self.client.cookies.load(self.cookies)
        if chance.random() < 0.02:
            self.client.cookies[chance.choice(hostile.COOKIES)] = chance.choice(["x", '"', "a" * 3_000, "%00", "é"])
        headers = options.pop("headers", {}) | headers
        try:
            with undone():
                response = self.client.generic(method, path, headers=headers, **options, **as_sent(options))
                status = response.status_code
                if response.streaming:
                    b"".join(response.streaming_content)
        except Exception as error:
            status = 599
            self.note(error)
        self.answers[status] += 1
        if status >= 500 and status != 503:
            self.failures.append(f"{status} {method} {path[:120]} {headers} {str(options)[:300]}: {self.last[-1:]}")

    def note(self, error: BaseException) -> None:
        frames = [frame for frame in extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
        where = " < ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames[::-1][:4])
        self.last.append(f"{type(error).__name__}: {str(error)[:150]} … {str(error)[-150:]} at {where}")

    # --- Kinds of requests: method, path, and what else `Client.generic` takes -----------------------------------

    def a_form(self):
        if not self.forms:
            return self.an_address()
        form = self.chance.choice(self.forms)
        if form.method == "POST" and self.chance.random() < 0.15:
            return "POST", form.path, self.multipart(form.values, set())
        return self.filled(form, hostile.spoiled(self.chance, form.values, self.names))

    def a_number(self):
        """A form that is right but for one number: of a row to choose, or written."""
        wanted = [form for form in self.forms if form.numbers]
        if not wanted:
            return self.an_address()
        form = self.chance.choice(wanted)
        name, given = self.chance.choice(sorted(form.numbers)), self.chance.choice(hostile.NUMBERS)
        return self.filled(form, with_number(form, name, given))

    def filled(self, form: PageForm, values: dict[str, list[str]]):
        body = hostile.query(values)
        if form.method == "GET":
            return "GET", form.path, {"QUERY_STRING": body.decode()}
        kind = self.content_type("application/x-www-form-urlencoded")
        return "POST", form.path, {"data": body, "content_type": kind}

    def an_address(self):
        name = self.chance.choice(self.pages if self.chance.random() < 0.9 else LISTED)
        path = address(name, self.rows)
        if parameters(name) and self.chance.random() < 0.4:
            path = re.sub(r"(?<=/)(\d+|[0-9a-f-]{36})(?=/)", lambda _: hostile.hostile_part(self.chance), path)
        body = hostile.query(hostile.spoiled(self.chance, {}, self.names))
        method = self.chance.choice(["GET", "GET", "POST", self.chance.choice(hostile.METHODS)])
        if method == "POST":
            return method, path, {"data": body, "content_type": "application/x-www-form-urlencoded"}
        return method, path, {"QUERY_STRING": body.decode()}

    def a_body(self):
        _method, path, _options = self.an_address()
        kind = self.content_type(self.chance.choice(hostile.CONTENT_TYPES))
        return "POST", path, {"data": self.chance.choice(hostile.BODIES), "content_type": kind}

    def json(self):
        wanted = [name for name in JSON_BODIES if name in self.pages]
        name = self.chance.choice(wanted or LISTED)
        method = "PUT" if name.removeprefix("api:") in PUT else "POST"
        if self.chance.random() < 0.15:
            return method, address(name, self.rows), self.multipart({"content": ["x"]}, set())
        body = dict(JSON_BODIES.get(name, {"a": 1}))
        if "operation" in body:
            body["operation"] = str(uuid4())
        body[self.chance.choice([*body, *body, self.chance.choice(self.names)])] = self.chance.choice(
            hostile.JSON_VALUES
        )
        if self.chance.random() < 0.3 and isinstance(inner := body.get("content") or body.get("seconds"), dict):
            key = self.chance.choice(["question1", "1", "confidence", "Contradict type I", "x", "valid_comment"])
            body["content" if "content" in body else "seconds"] = {
                **inner,
                key: self.chance.choice(hostile.JSON_VALUES),
            }
        data = json.dumps(body).encode() if self.chance.random() < 0.75 else self.chance.choice(hostile.RAW_JSON)
        options = {
            "data": data,
            "content_type": self.content_type("application/json"),
            "headers": {"If-Match": '"0"'},
        }
        return method, address(name, self.rows), options

    def a_file(self):
        wanted = [form for form in self.forms if form.files]
        if not wanted:
            return self.a_body()
        form = self.chance.choice(wanted)
        return "POST", form.path, self.multipart(form.values, form.files)

    def multipart(self, values, names):
        boundary, parts = "fuzz", []
        if self.chance.random() < 0.5:
            values = hostile.spoiled(self.chance, values, self.names)
        for name, all_of in values.items():
            for value in all_of:
                text = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                parts.append(text.encode("utf-8", "surrogatepass"))
        for name in names:
            file = hostile.files(self.chance)
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file.name}"\r\n'
            parts += [head.encode(), b"Content-Type: application/octet-stream\r\n\r\n", file.read(), b"\r\n"]
        body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
        return {"data": body, "content_type": self.content_type(f"multipart/form-data; boundary={boundary}")}

    def content_type(self, usual: str) -> str:
        if self.chance.random() < 0.05:
            return self.chance.choice(hostile.CONTENT_TYPES)
        return f"{usual}; charset={self.chance.choice(hostile.CHARSETS)}" if self.chance.random() < 0.05 else usual


def with_number(form: PageForm, name: str, given: str) -> dict[str, list[str]]:
    """The form's data if everything is chosen that it offers, with one of its numbers replaced."""
    return {each: [number] for each, number in form.numbers.items()} | form.values | {name: [given]}


def as_sent(options: dict) -> dict[str, BytesIO]:
    """The body as a server hands it over: it ends where it ends, whatever length was announced. The test client
    would raise an error of its own there."""
    return {"wsgi.input": BytesIO(options.get("data", b""))}


class undone:
    """Roll back everything done inside, however it ends."""

    def __enter__(self):
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def __exit__(self, *raised):
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)
        return False


@pytest.fixture
def no_network(monkeypatch):
    """A host that is named is not asked, and not waited for."""

    def refused(*_args, **_options):
        raise OSError("There is no network in this test.")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture(scope="module")
def forms(world) -> dict[str, list[PageForm]]:
    """The forms of each page, looked for once, as the one to whom it shows the most."""
    clients = {role: signed_in(User.objects.get(username=name)) for role, name in NAMES.items()}
    clients["signed out"] = Client()
    order = ("signed out", Role.ADMIN, *ROLES)
    shown_to = {name: next(role for role in order if opens(name, role)) for name in LISTED}
    return {name: forms_on(clients[role], name, world) for name, role in shown_to.items()}


def opens(name: str, role: str) -> bool:
    return MAY_OPEN[name] == EVERYBODY or (role != "signed out" and let_in(name, role))


def forms_on(client: Client, name: str, rows: dict) -> list[PageForm]:
    with undone():
        page = client.get(address(name, rows))
        if not page.get("Content-Type", "").startswith("text/html") or page.streaming:
            return []
        found = hostile.Forms(page.content.decode(), page.request["PATH_INFO"]).found
    for form in found:
        form.values.pop("csrfmiddlewaretoken", None)  # the token is sent as a header, and is that of the sender
    return found


@pytest.mark.parametrize("role", ROLES)
def test_no_request_ends_in_an_error_of_the_server(
    role, forms, actors, rows, sign_in, no_network, settings, tmp_path
):
    settings.VAR_DIR = tmp_path
    client = Client() if role == "signed out" else sign_in(actors[role])
    seen = [form for name in LISTED if opens(name, role) for form in forms[name]]
    sender = Sender(role, client, rows, seen, Random(f"{SEED} {role}"))

    def note(**_signal):
        failed.note(sys.exc_info()[1])

    failed = sender
    got_request_exception.connect(note)
    try:
        for _ in range(REQUESTS):
            sender.send_one()
    finally:
        got_request_exception.disconnect(note)
    answers = ", ".join(f"{count:,} × {status}" for status, count in sorted(sender.answers.items()))
    print(
        f"\n{role}: {sum(sender.answers.values()):,} requests to {len(sender.pages)} addresses and "
        f"{len(sender.forms)} forms; {answers}; {len(sender.failures)} 5xx that are not 503"
    )
    assert not sender.failures, "\n".join(sender.failures)


def client_of(person: User) -> Client:
    """A client that is checked against forged requests, as browsers are: each form is read before a view reads it."""
    client = signed_in(person)
    client.handler.enforce_csrf_checks = True
    client.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
    return client


@pytest.mark.parametrize("number", [str(2**63), "-" + str(2**63 + 1), "9" * 40])
def test_a_number_that_no_column_can_hold_is_refused_by_each_form(
    number, forms, actors, no_network, settings, tmp_path
):
    settings.VAR_DIR = tmp_path
    client, failed, tried = client_of(actors[Role.ADMIN]), [], 0
    client.raise_request_exception = False
    for form in [form for of_page in forms.values() for form in of_page]:
        for name in form.numbers:
            body = hostile.query(with_number(form, name, number)).decode()
            kind = {"content_type": "application/x-www-form-urlencoded", "headers": {"X-CSRFToken": TOKEN}}
            with undone():
                asks = form.method == "GET"
                answer = client.get(f"{form.path}?{body}") if asks else client.post(form.path, body, **kind)
            tried += 1
            if answer.status_code >= 500:
                failed.append((form.method, form.path, name))
    assert tried > 50
    assert not failed


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])
def test_a_form_at_an_address_for_json_is_refused(kind, actors, rows):
    body = b'--x\r\nContent-Disposition: form-data; name="content"\r\n\r\nx\r\n--x--\r\n'
    failed = []
    for name in JSON_BODIES:
        role = next(role for role in ROLES if role == "signed out" or let_in(name, role))
        client = client_of(actors[role])
        client.raise_request_exception = False
        with undone():
            send = client.put if name.removeprefix("api:") in PUT else client.post
            answer = send(
                address(name, rows), body, content_type=kind, headers={"X-CSRFToken": TOKEN, "If-Match": '"0"'}
            )
        if not (300 <= answer.status_code < 500):
            failed.append((name, answer.status_code))
    assert not failed


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "no-such"])
def test_a_form_in_another_character_set_gets_a_page_that_says_so(charset, actors, sign_in):
    body = "reason=x".encode("utf-16")
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"):
        client, kind = sign_in(actors[Role.ANNOTATOR]), f"{kind}; charset={charset}"
        answer = client.generic("POST", reverse("desk_next"), body, content_type=kind)
        assert answer.status_code == 400
        assert "is not in UTF-8" in answer.content.decode()


def test_a_body_that_is_shorter_than_announced_is_read_as_far_as_it_goes(actors, sign_in):
    body = {"data": b"{", "content_type": "application/json"}
    answer = sign_in(actors[Role.ANNOTATOR]).generic(
        "POST", reverse("desk_save", args=[1]), headers={"Content-Length": "3"}, **body, **as_sent(body)
    )
    assert answer.status_code in (400, 404)
