"""`manage.py doctor` and the page of admins: which parts work, which do not, and what to do."""

import json
import os
import shutil
import smtplib
import ssl
import subprocess
import threading
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Harvest, Wiki
from core.health import checks, hosts, signs, upkeep
from core.health.checks import Finding, Registered, State, findings
from core.health.sums import sums_finding
from core.health.tasks import check_sums_nightly
from core.models import Sign, SignKind
from core.refusals import Refusal
from judging.health.calls import call_findings, spool_findings
from judging.health.endpoints import endpoint_findings, key_findings
from judging.models import LanguageModel, OutputSums
from judging.runs.calls.spool import folder, keep_reply
from tests.factories.review import make_imported_run
from tests.untriggered import without_triggers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.fixture
def well() -> None:
    """Every part has given its sign."""
    for kind in SignKind:
        signs.give_sign(kind, "a:1" if kind in (SignKind.WORKER, SignKind.CLOCK) else "")


def by_name() -> dict[str, Finding]:
    return {finding.name: finding for finding in findings(far=False)}


def ended_with(capsys, **options) -> tuple[int, dict[str, object]]:
    """The exit code of `doctor`, and the JSON that it wrote."""
    try:
        call_command("doctor", json=True, **options)
        code = 0
    except CommandError as error:
        code = error.returncode
    return code, json.loads(capsys.readouterr().out)


def test_it_ends_with_0_where_every_part_works(well, capsys):
    code, told = ended_with(capsys, offline=True)
    assert (code, told["state"]) == (0, "ok"), told
    assert {"Database", "Broker", "Workers", "Clock", "Disk", "Sums", "Backup", "Rehearsal", "Migrations"} <= {
        finding["name"] for finding in told["findings"]
    }


def test_it_ends_with_3_for_warnings_and_with_1_where_a_part_is_silent_or_unknown(well, capsys):
    Sign.objects.filter(kind=SignKind.BACKUP).delete()
    assert ended_with(capsys, offline=True)[0] == 3
    Sign.objects.filter(kind=SignKind.SUMS).delete()
    code, told = ended_with(capsys, offline=True)
    assert (code, told["state"]) == (1, "unknown")
    Sign.objects.filter(kind=SignKind.WORKER).delete()
    code, told = ended_with(capsys, offline=True)
    assert (code, told["state"]) == (1, "failed")
    assert all(finding["todo"] for finding in told["findings"] if finding["state"] != "ok")


def test_a_database_that_does_not_fit_is_a_finding_and_does_not_keep_it_from_looking(well, capsys, monkeypatch):
    def refuse() -> None:
        raise Refusal("The database was made by an older version.")

    monkeypatch.setattr("core.files.commands.check_for_command", refuse)
    monkeypatch.setattr("core.health.ready.difference", lambda: "The database was made by an older version.")
    code, told = ended_with(capsys, offline=True)
    assert code == 1
    (wrong,) = [finding for finding in told["findings"] if finding["state"] != "ok"]
    assert (wrong["name"], wrong["state"]) == ("Migrations", "failed")


def test_as_text_it_says_what_to_do(capsys):
    with pytest.raises(CommandError, match="not in order"):
        call_command("doctor", offline=True)
    assert "failed   Workers: No worker" in (told := capsys.readouterr().out)
    assert "docker compose up -d worker" in told


def test_each_part_is_said_before_the_next_one_is_looked_at(capsys, monkeypatch):
    """With a database that does not answer, each check waits."""
    said_before: list[str] = []
    last = Registered("Last", lambda: said_before.append(capsys.readouterr().out) or [], is_far=False, order=99)
    monkeypatch.setattr(checks, "_registered", [*checks._registered, last])
    with pytest.raises(CommandError):
        call_command("doctor", offline=True)
    assert "Database" in said_before[0]


def test_admins_see_the_page_and_others_do_not(amir, anna, client, well):
    page = amir.get("/system/").content.decode()
    assert "Everything on this machine works" in page
    assert "Failed" not in page
    Sign.objects.filter(kind=SignKind.CLOCK).delete()
    page = amir.get("/system/").content.decode()
    assert "1 part needs attention" in page
    assert page.index("The clock has given no sign of life") < page.index("All migrations are applied"), "worst first"
    for address in ("/system/", "/system/others/"):
        assert anna.get(address).status_code == 403
        assert client.get(address).status_code == 302
        assert amir.get(address).status_code == 200


def test_wrong_sums_are_found_each_night_and_shown_until_they_are_repaired(capsys):
    make_imported_run(2)
    assert sums_finding()[0].state == State.UNKNOWN
    check_sums_nightly()
    assert sums_finding()[0].state == State.OK
    with without_triggers():
        OutputSums.objects.update(count=99)
    check_sums_nightly()
    (finding,) = sums_finding()
    assert finding.state == State.FAILED
    assert "judging_outputsums" in finding.sentence
    assert "check_sums --repair" in finding.todo
    call_command("check_sums", repair=True)
    assert sums_finding()[0].state == State.OK
    Sign.objects.update(at=timezone.now() - timedelta(days=3))
    assert sums_finding()[0].state == State.UNKNOWN, "the clock has not looked since"


def test_an_old_backup_is_a_warning_and_one_that_failed_is_a_failure(well):
    assert by_name()["Backup"].state == State.OK
    Sign.objects.filter(kind=SignKind.BACKUP).update(at=timezone.now() - timedelta(days=3))
    assert by_name()["Backup"].state == State.WARNING
    signs.give_sign(SignKind.BACKUP, error="No space left on device.")
    assert by_name()["Backup"].state == State.FAILED
    assert "No space left" in by_name()["Backup"].sentence


def test_a_disk_that_is_nearly_full_is_named(monkeypatch):
    usage = shutil.disk_usage("/")._replace(total=100 * 1024**3)
    for free, state in ((5 * 1024**3, "ok"), (1024**3, "warning"), (100 * 1024**2, "failed")):
        monkeypatch.setattr(shutil, "disk_usage", lambda path, free=free: usage._replace(free=free))
        assert by_name()["Disk"].state == state


def test_a_harvest_that_waits_for_long_is_named(admin):
    harvest = Harvest.objects.create(source="titles", parameters={})
    assert by_name()["Queue"].state == State.OK
    Harvest.objects.filter(pk=harvest.pk).update(requested_at=timezone.now() - timedelta(hours=1))
    assert by_name()["Queue"].state == State.WARNING
    assert "60 minutes" in by_name()["Queue"].sentence


def test_a_reply_that_stays_on_disk_is_named():
    assert spool_findings()[0].state == State.OK
    keep_reply("7f1c", 1, b"{}", seconds=1.0)
    assert spool_findings()[0].state == State.OK
    [path] = folder().glob("*.reply")
    os.utime(path, (0, 0))
    assert spool_findings()[0].state == State.FAILED
    assert "1 paid reply waits" in spool_findings()[0].sentence
    (folder() / "unknown").mkdir()
    path.rename(folder() / "unknown" / path.name)
    assert spool_findings()[0].state == State.WARNING


def test_no_run_is_no_trouble():
    assert call_findings()[0].state == State.OK


def test_a_key_that_is_not_set_is_named_by_its_variable_and_never_by_its_value(monkeypatch):
    LanguageModel.objects.create(
        name="Asked", endpoint_name="m", base_url="http://localhost:1/v1", key_name="LAB_API_KEY"
    )
    monkeypatch.delenv("LAB_API_KEY", raising=False)
    (finding,) = key_findings()
    assert finding.state == State.FAILED
    assert "LAB_API_KEY (Asked)" in finding.sentence
    monkeypatch.setenv("LAB_API_KEY", "sk-very-secret")
    (finding,) = key_findings()
    assert finding.state == State.OK
    assert "sk-very-secret" not in str(finding)


def test_a_mail_server_that_takes_no_connection_is_named(settings, monkeypatch):
    (finding,) = upkeep.mail_findings()
    assert (finding.state, "EMAIL_URL" in finding.sentence) == (State.OK, True)
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert upkeep.mail_findings()[0].state == State.FAILED

    def refuse(self) -> None:
        raise smtplib.SMTPAuthenticationError(535, b"geheim")

    monkeypatch.setattr("django.core.mail.backends.smtp.EmailBackend.open", refuse)
    (finding,) = upkeep.mail_findings()
    assert finding.state == State.FAILED
    assert "geheim" not in finding.sentence


@pytest.fixture
def secured(tmp_path) -> Iterator[tuple[str, Path]]:
    """The address of a server with a certificate of its own authority, and the file of that authority."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=localhost"]
    options += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", "req", *options], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=partial(server.serve_forever, 0.05), daemon=True).start()
    yield f"https://localhost:{server.server_port}/v1", certificate
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def without_proxy(monkeypatch):
    for name in hosts.PROXIES:
        monkeypatch.delenv(name, raising=False)


def test_a_certificate_that_the_system_does_not_trust_is_a_failure_and_one_that_it_trusts_is_not(
    secured, monkeypatch
):
    address, authority = secured
    finding = hosts.host_finding(hosts.Peer("Model M", address, local=True))
    assert finding.state == State.FAILED
    assert "does not trust" in finding.sentence
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    finding = hosts.host_finding(hosts.Peer("Model M", address, local=True))
    assert finding.state == State.OK, finding
    assert "89 days more" in finding.sentence
    monkeypatch.setattr(hosts, "ENDS_SOON", 100)
    assert hosts.host_finding(hosts.Peer("Model M", address, local=True)).state == State.WARNING


def test_hosts_that_cannot_be_reached_or_may_not_be_asked_have_failed():
    away = hosts.host_finding(hosts.Peer("Wiki W", "http://127.0.0.1:1/api.php", local=True))
    assert (away.state, "cannot be reached" in away.sentence) == (State.FAILED, True)
    private = hosts.host_finding(hosts.Peer("Wiki W", "http://127.0.0.1:1/api.php", local=False))
    assert (private.state, "not allowed" in private.sentence) == (State.FAILED, True)


def test_behind_a_proxy_the_state_of_a_host_is_unknown(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert (
        hosts.host_finding(hosts.Peer("Wiki W", "https://en.wikipedia.org/w/api.php", local=False)).state == "unknown"
    )


def test_each_host_is_asked_once_and_made_up_wikis_are_not(amir, settings):
    settings.LOCAL_WIKIS = True
    settings.LLM_ALLOWED_HOSTS = ["127.0.0.1"]
    Wiki.objects.create(name="Local", api_url="http://127.0.0.1:1/api.php")
    Wiki.objects.create(name="Made up", api_url="https://wiki.example/api.php")
    for name in ("One", "Two"):
        LanguageModel.objects.create(name=name, endpoint_name=name, base_url="http://127.0.0.1:2/v1")
    names = [finding.name for finding in findings(far=True)]
    assert names.count("Wiki Local") == 1
    assert "Wiki Made up" not in names
    assert len([name for name in names if name.startswith("Model ")]) == 1
    assert "Wiki Local" in amir.get("/system/others/", headers={"HX-Request": "true"}).content.decode()


def test_a_model_at_a_host_that_is_not_allowed_is_named(settings):
    settings.LLM_ALLOWED_HOSTS = []
    LanguageModel.objects.create(name="Far", endpoint_name="m", base_url="https://api.example.org/v1")
    (finding,) = endpoint_findings()
    assert (finding.state, "LLM_ALLOWED_HOSTS" in finding.todo) == (State.FAILED, True)
