"""Schemathesis tries every address of the API, as described: no answer is an error of ours.

It sends its requests as one person with all roles; what it sent is then sent again as each role that an address is
open to. By hand, with many requests for a number of seconds, and its own summary:

    SCHEMATHESIS_SECONDS=600 .venv/bin/python -m pytest -s tests/core/api/test_schemathesis.py
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import requests
from django.core.signals import request_started
from django.test import Client
from django.urls import Resolver404, resolve

from core.accounts.tokens import make_token
from core.models import Role, User
from tests.conftest import make_person
from tests.core.addresses import let_in
from tests.core.world import NAMES, make_example
from tests.environments import for_tests

SECONDS = os.environ.get("SCHEMATHESIS_SECONDS", "")
SEED = os.environ.get("SCHEMATHESIS_SEED", "1")
pytestmark = [pytest.mark.third_party, pytest.mark.thorough, pytest.mark.django_db(transaction=True)]
# Answers are as described: their status, their type and their body.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EVERYONE = "all roles"


def people_and_rows() -> tuple[dict[str, User], dict[str, Any]]:
    """A person of each role, in a world with one row of each kind."""
    people = {role: make_person(name, *(() if role == "no role" else (role,))) for role, name in NAMES.items()}
    ansel, ralph = make_person("ansel", Role.ANNOTATOR), make_person("ralph", Role.REVIEWER)
    rows = make_example(people[Role.ANNOTATOR], ansel, people[Role.REVIEWER], ralph, people[Role.ADMIN])
    return people, rows


def tokens() -> dict[str, str]:
    """A token with all scopes for each role and one for all of them."""
    people, _rows = people_and_rows()
    people[EVERYONE] = make_person("olga", *Role.values)
    return {role: token_of(person) for role, person in people.items()}


def token_of(person: User) -> str:
    return make_token(person=person, name="schemathesis", may_work=True, may_administer=True)[1]


def arguments(address: str, description: Path, token: str) -> list[str]:
    asked = ["run", str(description), "--url", address, "--header", f"Authorization: Bearer {token}"]
    asked += ["--checks", CHECKS, "--seed", SEED, "--no-color", "--warnings", "off"]
    asked += ["--suppress-health-check", "all", "--max-examples"]
    # The phase that breaks each constraint once sends many requests to each address: that is for the run by hand.
    if SECONDS:
        return [*asked, "50", "--phases", "coverage,fuzzing", "--max-time", SECONDS]
    return [*asked, "1", "--phases", "fuzzing"]


@contextmanager
def noted() -> Iterator[list[dict[str, Any]]]:
    """Rows that come in meanwhile, as they came."""
    came: list[dict[str, Any]] = []

    def note(environ: dict[str, Any], **signal: Any) -> None:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = BytesIO(body)
        said = {name: value for name, value in environ.items() if name.isupper() and isinstance(value, str)}
        came.append(said | {"body": body})

    request_started.connect(note)
    try:
        yield came
    finally:
        request_started.disconnect(note)


def is_open(path: str, role: str) -> bool:
    """Return whether a request is read at all; `test_access.py` tests the refusals."""
    try:
        return let_in(resolve(path).view_name, role)
    except Resolver404:
        return False


def status(request: dict[str, Any], token: str) -> int:
    """The status of the answer to a request with this token."""
    sent = {name: value for name, value in request.items() if name != "body"}
    sent |= {"HTTP_AUTHORIZATION": f"Bearer {token}", "wsgi.input": BytesIO(request["body"])}
    return Client(raise_request_exception=False).request(**sent).status_code


def test_no_request_that_fits_or_breaks_the_description_is_an_error_of_ours(live_server, tmp_path):
    program = for_tests("schemathesis") / "bin" / "schemathesis"
    known = tokens()
    token, address = known.pop(EVERYONE), f"{live_server.url}/api/v1"
    description = tmp_path / "description.json"
    headers = {"Authorization": f"Bearer {token}"}
    description.write_text(requests.get(f"{address}/schema/", headers=headers, timeout=60).text)
    with noted() as sent:
        command = [str(program), *arguments(address, description, token)]
        ran = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"\n{ran.stdout}")
    assert ran.returncode == 0, ran.stdout[-5_000:]
    assert "No issues found" in ran.stdout
    paths = json.loads(description.read_text())["paths"]
    assert len(sent) >= len(paths)
    failed = [
        (role, request["REQUEST_METHOD"], request["PATH_INFO"], request.get("QUERY_STRING"), request["body"])
        for request in sent
        for role, token in known.items()
        if is_open(request["PATH_INFO"], role) and status(request, token) >= 500
    ]
    assert not failed
