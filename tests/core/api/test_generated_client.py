"""A client that openapi-python-client generates from the description reads every address and changes some things."""

import json
import re
import subprocess

import pytest
import requests
from django.urls import resolve

from core.models import Role
from tests.core.addresses import API_PATTERNS, PATTERNS, let_in
from tests.core.api.test_schemathesis import people_and_rows, token_of
from tests.core.asking import address
from tests.environments import FOLDER, for_tests

pytestmark = [pytest.mark.third_party, pytest.mark.thorough, pytest.mark.django_db(transaction=True)]
HERE = FOLDER / "api_client"
ORDER = (Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN)


# There is one annotation of the tag only, and an annotator has nothing to do with the response.
REFUSED = {"get_review_merge": 409, "get_response_comments": 404}


def reads(rows: dict) -> list[dict]:
    """A GET of each address that has one, by a role that may ask."""
    found = []
    for name in API_PATTERNS:
        view = PATTERNS[name].callback.cls
        if hasattr(view, "get"):
            where = resolve(address(name, rows)).kwargs
            path = {"id" if key == "pk" else key: str(value) for key, value in where.items()}
            operation = "get" + re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", view.__name__)
            role = next(role for role in ORDER if let_in(name, role))
            found.append({"role": role, "operation": operation, "path": path})
    return found


def test_a_generated_client_reads_what_the_api_answers(live_server, tmp_path):
    programs = for_tests("api_client") / "bin"
    people, rows = people_and_rows()
    tokens = {role: token_of(person) for role, person in people.items()}
    site = f"{live_server.url}/api/v1"
    schema = requests.get(f"{site}/schema/", headers={"Authorization": f"Bearer {tokens[Role.ADMIN]}"}, timeout=60)
    (tmp_path / "description.json").write_text(schema.text)
    make = [programs / "openapi-python-client", "generate", "--path", "description.json", "--output-path", "client"]
    make += ["--meta", "none", "--config", HERE / "config.yml", "--fail-on-warning"]
    made = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    asked = {"tokens": tokens, "reads": reads(rows), "annotation": rows["own_annotation"]}
    (tmp_path / "requests.json").write_text(json.dumps(asked))
    use = [programs / "python", HERE / "use.py", tmp_path, site, tmp_path / "requests.json"]
    used = subprocess.run(use, capture_output=True, text=True)
    assert used.returncode == 0, used.stderr[-3_000:]
    found = json.loads(used.stdout)
    print(f"\n{len(found)} operations: {found}")
    wanted = {"saved": 200, "late": 412, "written": 201, "next": 200, "closed": 200}
    assert {name: found.pop(name) for name in wanted} == wanted
    assert len(found) == len(asked["reads"])
    assert {name: status for name, status in found.items() if status not in (200, 204)} == REFUSED
