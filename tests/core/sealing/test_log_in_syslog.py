"""The log is copied to syslog once it is sealed: without names and texts, and no save waits for it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site

from annotation.models import AnnotationAction
from core.models import Event, Seal, Sign, SignKind
from core.sealing.copying import SyslogHandler, copy_to_syslog
from core.sealing.findings import log_findings
from core.sealing.sealing import seal_new_entries
from core.sealing.tasks import seal_log
from tests.untriggered import without_triggers

pytestmark = pytest.mark.django_db


@pytest.fixture
def events(admin) -> list[Event]:
    wanted = {"actor": admin, "before": {"email": "secret@example.org"}, "message": "The bridge opened in 1903."}
    events = [Event.record(AnnotationAction.FLAGGED, admin, **wanted) for _ in range(2)]
    seal_log()
    return events


@pytest.fixture
def server(settings):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(5)
        settings.LOG_TO_SYSLOG = f"udp://127.0.0.1:{listening.getsockname()[1]}"
        yield listening


def test_each_entry_is_one_line_without_names_and_texts_and_goes_out_once(events, server, admin):
    count = Seal.objects.count()
    assert copy_to_syslog() == count
    lines = [server.recv(4_096).decode() for _ in range(count)]
    assert copy_to_syslog() == 0
    seal = Seal.objects.get(event=events[-1])
    said = f"actor={admin.pk} action=flagged subject=user:{admin.pk} seal={seal.position} digest={seal.digest}"
    assert said in lines[-1]
    assert lines[-1].startswith(f"<38>workbench-log: entry={events[-1].pk} at=")
    for line in lines:
        assert not [word for word in ("amir", "secret", "bridge", "\n") if word in line]


def test_a_server_by_tcp_gets_a_line_for_each(events, settings):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings.LOG_TO_SYSLOG = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        count = copy_to_syslog()
        with listening.accept()[0] as caller:
            caller.settimeout(5)
            lines = b"".join(iter(lambda: caller.recv(65_536), b"")).decode().splitlines()
    assert len(lines) == count == Seal.objects.count()


def test_the_machines_own_syslog_gets_them(events, settings, tmp_path):
    path = tmp_path / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(path))
        settings.LOG_TO_SYSLOG = f"unix://{path}"
        assert copy_to_syslog() == Seal.objects.count()
        assert f"entry={Event.objects.earliest('pk').pk} ".encode() in listening.recv(4_096)


def test_a_dead_server_keeps_no_save_from_being_made_and_gets_all_of_it_later(events, settings, admin):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
    settings.LOG_TO_SYSLOG = f"tcp://127.0.0.1:{address[1]}"
    Event.record(AnnotationAction.FLAGGED, admin, actor=admin)
    assert copy_to_syslog() == 0
    seal_new_entries()
    found = log_findings()[-1]
    count = Seal.objects.count()
    assert (found.state, found.sentence) == (
        "failed",
        f"Syslog cannot be reached (ConnectionRefusedError); {count} entries wait, and nothing is lost.",
    )
    with socket.create_server(address) as listening:
        assert copy_to_syslog() == count
        listening.accept()[0].close()
    assert log_findings()[-1].state == "ok"


def test_lines_sent_before_a_connection_broke_are_sent_again(events, settings, monkeypatch):
    sent: list[str] = []

    def send(_handler: SyslogHandler, line: str) -> None:
        if len(sent) == 1:
            raise ConnectionResetError
        sent.append(line)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings.LOG_TO_SYSLOG = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        with monkeypatch.context() as breaking:
            breaking.setattr(SyslogHandler, "send", send)
            assert copy_to_syslog() == 0
        assert copy_to_syslog() == Seal.objects.count() > 1
        listening.accept()[0].close()


def test_a_log_whose_end_was_cut_off_after_it_was_copied_is_named(events, server, admin):
    count = copy_to_syslog()
    with without_triggers("core_%"):
        Seal.objects.filter(position__gt=count - 2).delete()
        Event.objects.filter(pk__in=[each.pk for each in events]).delete()
    for _ in range(2):
        found = log_findings()[-1]
        told = f"The activity log was tampered with. Syslog got seal {count}, which is gone here."
        assert (found.state, found.sentence) == ("failed", told)
        # New seals get the numbers of those that are gone.
        for _ in range(3):
            Event.record(AnnotationAction.FLAGGED, admin, actor=admin)
        seal_new_entries()
        assert copy_to_syslog() == 0


def test_without_the_setting_nothing_is_copied_and_doctor_says_nothing_of_it(events, settings):
    settings.LOG_TO_SYSLOG = ""
    assert copy_to_syslog() == 0
    assert not Sign.objects.filter(kind=SignKind.COPIED).exists()
    assert len(log_findings()) == 1


@pytest.mark.parametrize(
    "written", ["logs.example.org", "http://host", "udp://", "unix://", "tcp://host:0", "udp://h/x"]
)
def test_an_address_that_cannot_be_right_ends_the_start_with_a_sentence(written, tmp_path):
    environment = os.environ | {"LOG_TO_SYSLOG": written, "VAR_DIR": str(tmp_path)}
    command = [sys.executable, "-c", "import config.settings"]
    done = subprocess.run(
        command, cwd=Path(site.BASE_DIR), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert done.stderr.strip() == (
        "LOG_TO_SYSLOG cannot be read. Write it as udp://host:514, tcp://host:514 or unix:///dev/log."
    )
