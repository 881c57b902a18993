"""Figures at /metrics/: guarded by a token, numbers only, and the ones that the dashboard asks for."""

import json
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.reading.environment import BadSetting, Environment
from core.health.signs import give_sign
from core.models import SignKind
from core.seeing import figures
from judging.models import Call, CallSums, Run, RunState
from tests.core.seeing.test_log_lines import MARKER, mark_all_texts

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
TOKEN = "b7b5ad2e6c0fa7d2c1c9"
DASHBOARD = Path(__file__).parents[3] / "deploy" / "grafana" / "workbench.json"


@pytest.fixture
def token(settings) -> str:
    settings.METRICS_TOKEN = TOKEN
    return TOKEN


def scrape() -> dict[str, dict[tuple, float]]:
    """The values by name and labels."""
    import core.seeing.counters  # noqa: F401, I001  # before the library, as in a web process
    from prometheus_client.parser import text_string_to_metric_families

    response = Client().get("/metrics/", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain")
    found: dict[str, dict[tuple, float]] = {}
    for family in text_string_to_metric_families(response.content.decode()):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return found


def test_without_the_setting_there_is_no_page(client, settings):
    assert settings.METRICS_TOKEN == ""
    for sent in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer None"}):
        assert client.get("/metrics/", headers=sent).status_code == 404


def test_only_the_token_opens_it(token, amir):
    for wrong in ("", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer é"):
        assert amir.get("/metrics/", headers={"Authorization": wrong}).status_code == 401
    assert scrape()["workbench_failed_sources"][()] == 0


def test_a_token_that_can_be_guessed_is_refused(monkeypatch):
    for weak in ("short", "with spaces in between them"):
        monkeypatch.setenv("METRICS_TOKEN", weak)
        with pytest.raises(BadSetting, match="METRICS_TOKEN needs at least 20") as refused:
            Environment().token("METRICS_TOKEN")
        assert weak not in str(refused.value)


def test_requests_and_saves_are_counted(token, amir):
    path = (("method", "GET"), ("path", "/people/"), ("status", "2xx"))
    amir.get("/people/")
    before = scrape()
    amir.get("/people/")
    amir.post("/account/theme/", {"theme": "dark"})
    amir.post("/invitations/", {"email": "no address"})
    after = scrape()
    assert after["workbench_requests_total"][path] == before["workbench_requests_total"][path] + 1
    for outcome in ("saved", "refused"):
        label = (("outcome", outcome),)
        assert after["workbench_saves_total"][label] == before["workbench_saves_total"].get(label, 0) + 1, outcome
    assert after["workbench_request_seconds_count"][()] >= before["workbench_request_seconds_count"][()] + 3


def test_figures_are_those_of_the_rows(token, world, rows):
    give_sign(SignKind.WORKER, "here:1", active=3)
    call = Call.objects.get(key=rows["call"])
    Run.objects.filter(pk=call.run_id).update(state=RunState.RUNNING, started_at=timezone.now())
    found = scrape()
    for state in ("pending", "sent", "done", "failed", "in_doubt", "cancelled"):
        counted = Call.objects.filter(state=state).exclude(run__kind="suggestion").count()
        assert found["workbench_calls"][(("state", state),)] == counted
    assert found["workbench_worker_tasks"][()] == 3
    assert found["workbench_workers"][()] == 1
    assert found["workbench_sign_age_seconds"][(("part", "worker"),)] < 60
    assert found["workbench_disk_free_bytes"][()] > 0
    assert set(found["workbench_queue_age_seconds"]) == {
        (("queue", name),) for name in ("calls", "evidence", "harvests", "webhooks")
    }


def test_a_source_that_fails_has_no_figures_rather_than_zeros(token, monkeypatch):
    def breaks() -> list:
        raise ValueError(MARKER)

    monkeypatch.setattr(figures, "_sources", [("disk", figures.disk_figures), ("broken", breaks)])
    found = scrape()
    assert found["workbench_failed_sources"][()] == 1
    assert "workbench_disk_free_bytes" in found
    assert "workbench_calls" not in found


def test_no_name_or_text_is_among_them(token, world, rows):
    mark_all_texts()
    text = Client().get("/metrics/", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    assert MARKER not in text
    values = set(re.findall(r'(?:queue|of|state|kind|part|outcome|status|method)="([^"]*)"', text))
    assert not {value for value in values if not re.fullmatch("[A-Za-z0-9_]+", value)}


def test_statements_do_not_grow_with_the_calls(token, world, rows):
    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            figures.figures()
        return len(caught)

    few = statements()
    call = Call.objects.get(key=rows["call"])
    assert CallSums.objects.filter(run=call.run_id).exists()
    now = timezone.now()
    Run.objects.bulk_create(Run(kind="answer", state=RunState.FINISHED, started_at=now) for _ in range(20))
    assert statements() == few <= 30


def test_rows_are_counted_in_no_order_so_that_an_index_finds_them(token, world, rows):
    with CaptureQueriesContext(connection) as caught:
        figures.figures()
    counts = [query["sql"] for query in caught if "COUNT(" in query["sql"] and "LIMIT" in query["sql"]]
    assert len(counts) >= 5
    assert not [sql for sql in counts if "ORDER BY" in sql]


def test_the_dashboard_asks_for_figures_that_there_are(token, world, rows):
    for kind in (SignKind.WORKER, SignKind.CLOCK):
        give_sign(kind, "here:1")
    Client().post("/account/login/")
    scrape()
    known = set(scrape())
    board = json.loads(DASHBOARD.read_text())
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked = {name for expression in expressions for name in re.findall(r"workbench_\w+", expression)}
    assert asked - known == set()
    named = {re.sub("_(bucket|sum|count|created)$", "", name) for name in known if name.startswith("workbench_")}
    assert named - {re.sub("_bucket$", "", name) for name in asked} == set(), "not on the dashboard"
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_the_docs_list_every_figure(token, world, rows):
    scrape()
    text = (Path(__file__).parents[3] / "docs" / "seeing.md").read_text()
    named = {re.sub("_(bucket|sum|count|created)$", "", name) for name in scrape()}
    assert {name for name in named if name.startswith("workbench_") and f"`{name}`" not in text} == set()
