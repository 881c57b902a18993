"""Schemathesis tries every address of the API, as described, as each role: no answer is an error of ours.

By hand, with many requests for so many seconds, and its own summary:

    SCHEMATHESIS_SECONDS=600 .venv/bin/python -m pytest -s tests/core/test_schemathesis.py
"""

import os
import subprocess

import pytest
import requests

from core.accounts.tokens import make_token
from core.models import Role, User
from tests.conftest import make_person
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


def test_no_request_that_fits_or_breaks_the_description_is_an_error_of_ours(live_server, tmp_path):
    program = for_tests("schemathesis") / "bin" / "schemathesis"
    description = tmp_path / "schema.json"
    known = tokens()
    headers = {"Authorization": f"Bearer {known[Role.ADMIN]}"}
    description.write_text(requests.get(f"{live_server.url}/api/v1/schema/", headers=headers, timeout=60).text)
    running = {
        role: subprocess.Popen(
            [str(program), *arguments(f"{live_server.url}/api/v1", description, token)],
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
