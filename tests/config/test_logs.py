"""The forms of the log's lines, and its files."""

import json
import logging
import time
from pathlib import Path

import pytest

from config.logs import DailyFile, file_of, formatter
from config.reading.environment import BadSetting, Environment

ROOT = Path(__file__).parents[2]
DAY = 86_400


def record(message: str, **fields: object) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": "core.example", "levelname": "WARNING", "levelno": 30, "msg": message})
    made.__dict__.update(fields)
    return made


def test_keys_with_values_stay_on_one_line_whatever_is_said():
    line = formatter("keys").format(record('a "b"\nlevel=error', of=17, passage="left out", ms=1.5))
    assert "\n" not in line
    stamp, rest = line.split(" ", 1)
    assert stamp.startswith("timestamp=2")
    assert rest.startswith('level=warning logger=core.example event="a \\"b\\"')
    assert {"of=17", "ms=1.5"} < set(rest.split())


def test_json_has_the_same_fields():
    line = json.loads(formatter("json").format(record("a\nb", of=17, passage="left out")))
    assert line.pop("timestamp")
    assert line == {"level": "warning", "logger": "core.example", "event": "a\nb", "of": 17}


def test_each_day_has_its_file_and_old_ones_are_deleted(tmp_path):
    path, now = tmp_path / "logs" / "site.log", time.time()
    handler = DailyFile(str(path), days=2)
    other = DailyFile(str(path), days=2)  # another process
    for number in range(4):
        for each in (handler, other):
            each.emit(record(f"day {number}", created=now + number * DAY))
    names = [file_of(path, time.strftime("%Y-%m-%d", time.gmtime(now + number * DAY))).name for number in (2, 3)]
    assert sorted(found.name for found in path.parent.iterdir()) == names
    assert (path.parent / names[0]).read_text() == "day 2\nday 2\n"
    assert path.parent.stat().st_mode & 0o077 == 0


def test_where_no_file_can_be_written_the_lines_go_to_stderr(tmp_path, capsys):
    (tmp_path / "logs").write_text("a file in the way")
    handler = DailyFile(str(tmp_path / "logs" / "site.log"), days=2)
    handler.emit(record("still said"))
    said = capsys.readouterr().err
    assert "cannot be written" in said
    assert "still said" in said


def test_the_file_lies_in_the_folder_of_data(monkeypatch, tmp_path):
    monkeypatch.setenv("LOG_FILE", "logs/site.log")
    assert Environment().inside("LOG_FILE", tmp_path) == tmp_path / "logs" / "site.log"
    for outside in ("/etc/passwd.log", "../site.log", "logs", "."):
        monkeypatch.setenv("LOG_FILE", outside)
        with pytest.raises(BadSetting, match=r"LOG_FILE is .*logs/workbench\.log"):
            Environment().inside("LOG_FILE", tmp_path)


def test_no_server_writes_an_access_log_of_its_own():
    folders = (ROOT / "deploy", ROOT / "core" / "management")
    files = [
        ROOT / "docker-compose.yml",
        ROOT / "Dockerfile",
        *(path for each in folders for path in each.rglob("*.*") if path.suffix != ".pyc"),
    ]
    commands = [path for path in files if "gunicorn" in path.read_text(errors="replace")]
    assert len(commands) >= 4
    assert not [path for path in commands if "access-log" in path.read_text()]
