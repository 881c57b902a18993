"""Headers of every answer, and reports on what they made browsers refuse."""

import json
import logging

import pytest
from django.test import Client

from config.settings import ACCOUNT_RATE_LIMITS

REPORT = {"csp-report": {"effective-directive": "script-src", "blocked-uri": "https://evil.example/a.js?secret=1"}}


def send(body: str):
    return Client().post("/csp-report/", body, content_type="application/csp-report")


@pytest.mark.parametrize("address", ["/account/login/", "/nowhere/", "/api/v1/me/"])
def test_browsers_are_told_of_abilities_that_no_page_uses_and_where_to_report(address, db):
    response = Client().get(address)
    assert "camera=(), " in response["Permissions-Policy"]
    assert "report-uri /csp-report/" in response["Content-Security-Policy"]


def test_a_report_is_logged_without_the_query_of_an_address(caplog):
    assert send(json.dumps(REPORT)).status_code == 204
    (record,) = [record for record in caplog.records if record.name == "core.views.csp"]
    assert record.levelno == logging.WARNING
    assert "https://evil.example/a.js" in record.getMessage()
    assert "secret" not in record.getMessage()


@pytest.mark.parametrize(
    "body", ["", "{", "[]", '{"csp-report": 3}', "[" * 10_000, json.dumps(REPORT) + " " * 20_000]
)
def test_anything_else_is_dropped(body, caplog):
    assert send(body).status_code == 204
    assert not [record for record in caplog.records if record.name == "core.views.csp"]


def test_more_reports_than_a_few_are_dropped(caplog, settings, own_cache):
    settings.ACCOUNT_RATE_LIMITS = ACCOUNT_RATE_LIMITS
    for _ in range(30):
        send(json.dumps(REPORT))
    assert len([record for record in caplog.records if record.name == "core.views.csp"]) == 10
