"""Parameters in the addresses of the API: those that are known narrow a list down, all others are refused by name."""

import json

import pytest

from core.models import Role
from judging.models import Run
from review.models import FinalVerdict, Judgment, Round
from tests.core.addresses import API_PATTERNS, let_in
from tests.core.asking import PUT, address

pytestmark = pytest.mark.django_db
ROLES = (Role.ADMIN, Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR)


@pytest.mark.parametrize("name", API_PATTERNS)
def test_unknown_parameters_are_refused_by_name_at_every_address(name, actors, rows, sign_in):
    client = sign_in(actors[next(role for role in ROLES if let_in(name, role))])
    for method in ("get", "put" if name.removeprefix("api:") in PUT else "post", "patch"):
        where = f"{address(name, rows)}?rn=1&format_=x"
        answer = getattr(client, method)(where, **({} if method == "get" else {"content_type": "application/json"}))
        if answer.status_code in (405, 415):
            continue
        assert answer.status_code == 400, (method, answer.status_code)
        assert [each["parameter"] for each in answer.json()["errors"]] == ["rn", "format_"]
        assert "“rn”" in answer.json()["detail"]


@pytest.mark.parametrize("query", ["run=1&run=2", "state=open&state=closed", "format=jsonl&format=jsonl"])
def test_a_parameter_that_is_there_twice_is_refused(query, actors, rows, sign_in):
    answer = sign_in(actors[Role.ADMIN]).get(f"/api/v1/judgments/?{query}")
    assert answer.status_code == 400
    assert "once only" in answer.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    "query", ["run=x", "run=9223372036854775808", "state=unknown", "release=-1", "release=0", "model=1.0"]
)
@pytest.mark.parametrize("path", ["judgments/", "final-verdicts/", "answers/", "final-answers/", "rounds/"])
def test_a_filter_that_cannot_be_read_is_refused(path, query, actors, rows, sign_in):
    answer = sign_in(actors[Role.ADMIN]).get(f"/api/v1/{path}?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["parameter"] == query.partition("=")[0]


def lines(client, where: str) -> list[dict]:
    answer = client.get(where)
    assert answer.status_code == 200
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


@pytest.mark.parametrize(("path", "model"), [("judgments/", Judgment), ("final-verdicts/", FinalVerdict)])
def test_exports_are_narrowed_down(path, model, actors, rows, sign_in):
    client, where = sign_in(actors[Role.ADMIN]), f"/api/v1/{path}"
    everything = lines(client, where)
    assert everything, "the world has none"
    for row in everything:
        run = Run.objects.get(key=row["run"])
        response = run.responses.get(key=row["response"])
        wanted: dict[str, int | str] = {"run": run.pk, "model": response.model_id, "template": response.template_id}
        wanted |= {"release": row["release"]} if row["release"] else {}
        if row["round"]:
            of = Round.objects.get(name=row["round"])
            wanted |= {"round": of.pk, "state": of.state}
        for name, value in wanted.items():
            found = lines(client, f"{where}?{name}={value}")
            assert row in found
            same = {"run": "run", "release": "release", "round": "round"}.get(name)
            assert [each for each in everything if not same or each[same] == row[same]] == found or not same
            if isinstance(value, int):
                assert row not in lines(client, f"{where}?{name}={value + 1_000}")


def test_runs_and_rounds_are_narrowed_down(actors, rows, sign_in):
    client = sign_in(actors[Role.ADMIN])

    def ids(where: str) -> list[int]:
        return [each["id"] for each in client.get(f"/api/v1/{where}").json()["results"]]

    assert ids("runs/?state=planned") == list(Run.objects.filter(state="planned").values_list("pk", flat=True))
    assert ids("runs/?kind=judge") == list(Run.objects.filter(kind="judge").values_list("pk", flat=True))
    for run in Run.objects.all():
        for model in run.language_models.all():
            assert run.pk in ids(f"runs/?model={model.pk}")
        if run.release:
            assert run.pk in ids(f"runs/?release={run.release.number}&kind={run.kind}")
    assert ids("runs/?release=999999") == ids("runs/?round=999999") == ids("rounds/?run=999999") == []
    for each in Round.objects.all():
        assert each.pk in ids(f"rounds/?state={each.state}")
        for run in each.runs.all():
            assert each.pk in ids(f"rounds/?run={run.pk}")
            assert run.pk in ids(f"runs/?round={each.pk}")
            assert all(each.pk in ids(f"rounds/?model={model.pk}") for model in run.language_models.all())


def test_the_description_has_filters_with_their_values(actors):
    from core.api.schema import schema

    asked = {each["name"]: each["schema"] for each in schema()["paths"]["/final-verdicts/"]["get"]["parameters"]}
    assert set(asked) == {"format", "run", "round", "release", "model", "template", "state"}
    assert asked["run"]["type"] == "integer"
    assert "open" in asked["state"]["enum"]
