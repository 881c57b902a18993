"""Errors for Sentry: nothing that people, wikis or models wrote leaves, and nothing at all without the setting."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import brotli
import pytest
from django.test import Client

from core.seeing import sentry
from tests.core.seeing.test_log_lines import KEY, MARKER, Quoting

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]


@pytest.fixture
def sent(settings):
    """Everything that would leave, as text."""
    import sentry_sdk
    from sentry_sdk.transport import Transport

    left: list[str] = []

    class Kept(Transport):
        def capture_envelope(self, envelope) -> None:
            left.append(envelope.serialize().decode())

    settings.SENTRY_DSN = "https://public@sentry.example/1"
    sentry.start(transport=Kept)
    yield left
    sentry_sdk.get_client().close()
    sentry_sdk.Scope.get_global_scope().set_client(None)


def test_an_error_leaves_without_any_data(sent, monkeypatch, amir):
    def breaks() -> None:
        passage = MARKER
        raise Quoting(f"{passage} {KEY}") from KeyError(MARKER)

    monkeypatch.setenv("LAB_API_KEY", KEY)
    monkeypatch.setattr("core.views.health.answers.now", breaks)
    amir.raise_request_exception = False
    headers = {"X-Marker": MARKER, "Referer": f"http://testserver/{MARKER}", "User-Agent": MARKER}
    assert amir.get(f"/ready/?q={MARKER}&key={KEY}", headers=headers).status_code == 500
    assert len(sent) == 1
    assert MARKER not in sent[0]
    assert KEY not in sent[0]
    for private in ("amir", "sessionid", amir.cookies["sessionid"].value, "testserver", "127.0.0.1"):
        assert private not in sent[0]
    event = json.loads(sent[0].splitlines()[2])
    assert [each["type"] for each in event["exception"]["values"]] == ["KeyError", "Quoting"]
    functions = [frame["function"] for frame in event["exception"]["values"][-1]["stacktrace"]["frames"]]
    assert functions[-2:] == ["ready", "breaks"]
    assert event["transaction"] == "/ready/"


def test_a_secret_in_an_address_stays_here(sent, monkeypatch):
    def breaks(*_given: object, **_named: object) -> None:
        raise Quoting(KEY)

    monkeypatch.setattr("core.views.account.render", breaks)
    assert Client(raise_request_exception=False).get(f"/account/join/{KEY}/").status_code in (404, 410, 500)
    assert KEY not in str(sent)


def test_a_request_for_another_host_is_no_error(sent, settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    assert Client().get("/", headers={"Host": MARKER}).status_code == 400
    assert sent == []


def test_without_the_setting_its_library_is_not_even_loaded():
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'; import django; django.setup(); "
        "import config.urls; from django.core.handlers.wsgi import WSGIHandler; WSGIHandler(); "
        "print([name for name in ('sentry_sdk', 'prometheus_client') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr[-500:]


def broken_command(port: int, folder: Path, error: str) -> str:
    """Run a command in which an error of this kind is raised, with Sentry at this port; return what it prints."""
    code = (
        "import runpy, sys\n"
        "from django.core.management.base import BaseCommand\n"
        f"def breaks(*given, **named): raise {error}({MARKER!r})\n"
        "BaseCommand.check = breaks\n"
        "sys.argv = ['manage.py', 'check', '--fail-level', 'ERROR']; runpy.run_path('manage.py', run_name='__main__')"
    )
    environment = os.environ | {"SENTRY_DSN": f"http://public@127.0.0.1:{port}/1", "VAR_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    return done.stderr


def test_an_error_that_ends_a_command_arrives_and_ctrl_c_is_none(tmp_path):
    arrived: list[bytes] = []

    class Recording(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_given: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Recording) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        broken_command(server.server_port, tmp_path, "KeyboardInterrupt")
        assert arrived == []
        told = broken_command(server.server_port, tmp_path, "ValueError")
        server.shutdown()
    assert len(arrived) == 1
    assert told.splitlines()[-1] == f"ValueError: {MARKER}"
    event = json.loads(brotli.decompress(arrived[0]).splitlines()[-1])
    assert [each["type"] for each in event["exception"]["values"]] == ["ValueError"]
    assert MARKER not in str(event)


def test_a_command_does_not_wait_for_a_sentry_that_never_answers(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begin = time.monotonic()
        told = broken_command(silent.getsockname()[1], tmp_path, "ValueError")
        assert time.monotonic() - begin < 20
    assert told.splitlines()[-1] == f"ValueError: {MARKER}"
