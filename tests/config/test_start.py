"""A program that cannot start says why in a sentence, without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[2]


def manage(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_port_that_is_none_is_named(tmp_path):
    ended = manage("up", PORT="abc", VAR_DIR=str(tmp_path), DATABASE_URL=f"sqlite:///{tmp_path}/db.sqlite3")
    assert ended.returncode != 0
    assert "“abc” is not a port" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("port", ["0", "65536", "8000x", "9" * 30])
def test_no_other_port_that_is_none_is_taken(port):
    with pytest.raises(CommandError, match=f"“{port}” is not a port"):
        call_command("up", port=port)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for folder in (tmp_path / "file", tmp_path / "file" / "var"):
        ended = manage("check", VAR_DIR=str(folder))
        assert ended.returncode != 0
        assert f"The folder {folder} cannot be written to." in ended.stderr
        assert "Traceback" not in ended.stderr


def test_a_folder_that_cannot_be_written_is_named():
    assert "The folder /proc/workbench cannot be written to" in manage("check", VAR_DIR="/proc/workbench").stderr


def test_the_web_server_starts_without_what_only_reports_need(tmp_path):
    """Each of these takes 30 MB, and half a second or more of every start."""
    code = (
        "import sys, config.wsgi; print([name for name in ('scipy', 'matplotlib', 'pandas', 'torch') "
        "if name in sys.modules])"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path)}
    environment["DATABASE_URL"] = f"sqlite:///{tmp_path}/db.sqlite3"
    # Without tables the program would refuse to start.
    subprocess.run(
        [sys.executable, "manage.py", "migrate"], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    started = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    assert started.stdout.strip() == "[]"
