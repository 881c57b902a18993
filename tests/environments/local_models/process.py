"""The process with the libraries of local models, as a fixture. They take gigabytes, so they have an environment of
their own, and tests ask a process in it.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environments import FOLDER, for_tests


class Measurer:
    """A process with the libraries."""

    def __init__(self, environment: Path, models: Path):
        self.models = models
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = environment / "lib" / python / "site-packages"
        command = [sys.executable, "-m", "tests.environments.local_models.measure", str(packages), str(models)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=FOLDER.parents[1]
        )

    def ask(self, *question):
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def measurer(tmp_path_factory) -> Iterator[Measurer]:
    environment, models = for_tests("local_models", is_large=True), tmp_path_factory.mktemp("models")
    make = FOLDER / "local_models" / "make_models.py"
    subprocess.run([environment / "bin" / "python", make, models], check=True, capture_output=True)
    found = Measurer(environment, models)
    yield found
    found.process.kill()
    found.process.communicate()
