"""Rules for every command of ours: help that reads well, how it ends, and what it tells on the way."""

import fcntl
import io
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.core.management.base import BaseCommand

from core.files.commands import Exit, ImportCommand, RuleCommand
from core.files.telling import Telling
from core.refusals import Refusal
from core.writing.progress import along, heard_by

ROOT = Path(__file__).parents[3]
APPS = (
    "core",
    "annotation",
    "judging",
    "review",
    "benchmarks.wikicontradict",
    "benchmarks.contradoc",
    "benchmarks.conflictbank",
)
OURS = {name: app for name, app in get_commands().items() if app in APPS}
# They change nothing in the database. An export writes a file in one step, and can be read from the standard output.
READING = {
    "check_sums",  # without --repair
    "createsuperuser",  # asks for everything itself
    "doctor",
    "extract_tags",
    "label_studio_config",
    "migrate",  # has --plan
    "report",
    "round_status",
    "run_status",
    "up",
    "verify",
    "verify_release",
    *(name for name in OURS if name.startswith("export_")),
}


def options_of(name: str) -> list:
    command = load_command_class(OURS[name], name)
    parser = command.create_parser("manage.py", name)
    return [each for each in parser._actions if each.help != "==SUPPRESS=="]


@pytest.mark.parametrize("name", sorted(OURS))
def test_its_help_says_what_it_does_and_what_each_option_means(name, capsys):
    command = load_command_class(OURS[name], name)
    with pytest.raises(SystemExit) as ended:
        command.create_parser("manage.py", name).parse_args(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert command.help.split()[0] in shown
    assert "Exit codes: 0 done" in shown
    assert [each.dest for each in options_of(name) if not each.help] == []
    assert isinstance(command, RuleCommand)


def test_whatever_writes_can_be_tried_without_writing():
    without = {name for name in OURS if not any("--dry-run" in each.option_strings for each in options_of(name))}
    assert without == READING


class Working(RuleCommand):
    """A command made of the function that is given to it."""

    def __init__(self, work, **options):
        super().__init__(**options)
        self.work = work

    def handle(self, **options):
        self.work(self)


def raises(error: BaseException):
    def work(command: BaseCommand) -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (Refusal("Not now."), Exit.REFUSED, "Not now."),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "Interrupted. Nothing was changed."),
    ],
)
def test_how_it_ended_is_told_by_its_exit_code(error, code, words):
    with pytest.raises(CommandError) as ended:
        call_command(Working(raises(error)))
    assert (ended.value.returncode, str(ended.value)) == (code, words)


def manage(*args: object, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "manage.py", *map(str, args)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_wrong_usage_and_a_reader_who_has_seen_enough(tmp_path):
    """Side by side, as each takes a second to start."""
    page = tmp_path / "A.wikitext"
    page.write_text("One{{Inconsistent}}\n\n" * 2_000)
    environment = os.environ | {"VAR_DIR": str(tmp_path)}
    wrong = manage("extract_tags", "--nonsense", env=environment)
    piped = manage("extract_tags", "-", stdin=page.open("rb"), env=environment)
    assert piped.stdout.read(10)
    piped.stdout.close()
    assert (piped.wait(), piped.stderr.read()) == (Exit.DONE, b"")
    assert b"required: FILE" in wrong.stderr.read()
    assert wrong.wait() == Exit.WRONG_USAGE


# --- Progress -----------------------------------------------------------------------------------------------------


def test_on_a_terminal_a_bar_shows_progress_and_leaves_nothing_behind():
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with os.fdopen(secondary, "w") as terminal:
        telling = Telling(terminal)
        with heard_by(telling.tell):
            assert sum(1 for _ in along("Writing", range(250), of=250)) == 250
        telling.line("One problem.")
        telling.close()
        terminal.flush()
        shown = ""
        while select.select([primary], [], [], 0.1)[0]:
            shown += os.read(primary, 100_000).decode()
    os.close(primary)
    assert "Writing: 100%" in shown
    assert "250/250" in shown
    assert "One problem." in shown
    assert "\n" not in shown.split("One problem.")[0]
    # The bar is wiped out by blanks.
    assert shown.rstrip("\r").rpartition("\r")[2].strip() == ""


def test_in_a_log_progress_is_a_plain_line_now_and_then():
    log = io.StringIO()
    told = Telling(log, seconds=0)
    told.tell("Reading", 1_500_000, 3_000_000, in_bytes=True)
    told.tell("Articles", 1_200, None, more="3 tags")
    assert log.getvalue() == "Reading: 1.5 of 3.0 MB\nArticles: 1,200, 3 tags\n"
    rare = Telling(log)
    rare.tell("Articles", 1_300)
    assert "1,300" not in log.getvalue()


def test_whoever_does_not_listen_is_told_nothing():
    assert list(along("Writing", "abc")) == ["a", "b", "c"]


# --- Files ---------------------------------------------------------------------------------------------------------


class Reading(ImportCommand):
    help = "Reads."

    def read(self, stream, *, file, check_only, **options):
        self.text = stream.read().decode()
        return self

    def lines(self):
        return [f"{len(self.text)} characters."]


def test_a_file_is_read_from_the_standard_input(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"four")))
    out = io.StringIO()
    call_command(Reading(), "-", stdout=out)
    assert out.getvalue() == "4 characters.\n"
    with pytest.raises(CommandError, match="cannot be read") as ended:
        call_command(Reading(), str(tmp_path / "none"))
    assert ended.value.returncode == Exit.REFUSED


def test_in_an_empty_database_a_command_says_how_to_begin(tmp_path):
    there = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "manage.py", "export_release", "--release", "1"]
    ended = subprocess.run(
        command, cwd=ROOT, env=there | {"VAR_DIR": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == Exit.REFUSED
    assert "nothing has been set up here yet. Start the program once with `make run`" in ended.stderr
    assert "Traceback" not in ended.stderr
