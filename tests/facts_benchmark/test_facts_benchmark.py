"""The benchmark of facts as an installed app: `tests/facts_benchmark/walk.py`, in a process with its own settings."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_third_benchmark_is_files_of_its_own():
    options = ["-q", "-n0", "-p", "no:cacheprovider", "--ds=tests.facts_benchmark.settings", "--create-db"]
    command = [sys.executable, "-m", "pytest", *options, "tests/facts_benchmark/walk.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
