"""Schemathesis tries every address of the API that a role opens, as described: no answer is an error of ours.

By hand, with many requests for so many seconds, and its own summary:

    SCHEMATHESIS_SECONDS=600 .venv/bin/python -m pytest -s tests/core/test_schemathesis.py
"""

import json
import os
import re
import subprocess
from urllib.parse import urlsplit
from uuid import UUID

import pytest
import requests
from django.urls import resolve

from core.accounts.tokens import make_token
from core.models import Role, User
from tests.conftest import make_person
from tests.core.addresses import let_in
from tests.core.world import NAMES, make_example
from tests.environments import for_tests

SECONDS = os.environ.get("SCHEMATHESIS_SECONDS", "")
SEED = os.environ.get("SCHEMATHESIS_SEED", "1")
pytestmark = [pytest.mark.third_party, pytest.mark.django_db(transaction=True)]


def tokens() -> dict[str, str]:
    """A token with all scopes for each role, in a world with one row of each kind."""
    people = {role: make_person(name, *(() if role == "no role" else (role,))) for role, name in NAMES.items()}
    ansel, ralph = make_person("ansel", Role.ANNOTATOR), make_person("ralph", Role.REVIEWER)
    make_example(people[Role.ANNOTATOR], ansel, people[Role.REVIEWER], ralph, people[Role.ADMIN])
    return {role: token_of(person) for role, person in people.items()}


def token_of(person: User) -> str:
    return make_token(person=person, name="schemathesis", may_work=True, may_administer=True)[1]


def arguments(address: str, description: object, token: str) -> list[str]:
    asked = ["run", str(description), "--url", address, "--header", f"Authorization: Bearer {token}"]
    asked += ["--checks", "not_a_server_error", "--seed", SEED, "--no-color", "--warnings", "off"]
    asked += ["--suppress-health-check", "all", "--max-examples"]
    # The phase that breaks each constraint once sends many requests to each address: that is for the run by hand.
    if SECONDS:
        return [*asked, "50", "--phases", "coverage,fuzzing", "--max-time", SECONDS]
    return [*asked, "1", "--phases", "fuzzing"]


def opened_by(role: str, description: dict) -> dict:
    """The part of the description that is open to this role; the rest is refused before it is read, which
    `test_access.py` holds."""
    prefix = urlsplit(description["servers"][0]["url"]).path
    names = {path: resolve(prefix + re.sub(r"\{(\w+)\}", stand_in, path)).view_name for path in description["paths"]}
    paths = {path: said for path, said in description["paths"].items() if let_in(names[path], role)}
    return description | {"paths": paths}


def stand_in(parameter: re.Match) -> str:
    return str(UUID(int=0)) if parameter[1] == "key" else "1"


def test_no_request_that_fits_or_breaks_the_description_is_an_error_of_ours(live_server, tmp_path):
    program = for_tests("schemathesis") / "bin" / "schemathesis"
    known = tokens()
    headers = {"Authorization": f"Bearer {known[Role.ADMIN]}"}
    description = requests.get(f"{live_server.url}/api/v1/schema/", headers=headers, timeout=60).json()
    opened = {role: tmp_path / f"{role}.json" for role in known}
    for role, file in opened.items():
        file.write_text(json.dumps(opened_by(role, description)))
    running = {
        role: subprocess.Popen(
            [str(program), *arguments(f"{live_server.url}/api/v1", opened[role], token)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for role, token in known.items()
    }
    for role, process in running.items():
        said, _ = process.communicate()
        print(f"\n--- {role} ---\n{said}")
        assert process.returncode == 0, f"{role}: {said[-5_000:]}"
        assert "No issues found" in said
