"""Commands that are interrupted at bad moments: while the program loads, and while Python deletes an object."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.files.commands import RuleCommand

ROOT = Path(__file__).parents[3]
# Settings that stop the program while it loads them.
SETTINGS = {
    "SIGINT": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n",
    # A module that ignores every error.
    "SIGTERM": "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGTERM)\nexcept BaseException:\n    pass\n",
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_command_interrupted_while_it_loads_says_that_nothing_was_changed(tmp_path, name):
    (tmp_path / "settings_that_stop.py").write_text(SETTINGS[name])
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "settings_that_stop", "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "manage.py", "check_sums"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "Interrupted. Nothing was changed.\n")


class StopsAsItGoes:
    """An object during whose deletion the signal arrives: Python ignores what is raised there."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.2)


class Works(RuleCommand):
    needs_fitting_database = False
    requires_system_checks = ()
    interrupted = "What was stored is kept."

    def handle(self, **options: object) -> None:
        StopsAsItGoes()
        for _ in range(50):
            time.sleep(0.1)


def test_a_signal_that_arrives_while_an_object_is_deleted_is_not_lost():
    with pytest.raises(CommandError, match=r"^Interrupted\. What was stored is kept\.$"):
        call_command(Works())
