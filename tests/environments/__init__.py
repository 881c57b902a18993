"""Environments with programs that others wrote and that cannot live in ours: what we write is tried on them.

Each has a folder here with `requirements.in` and, made from it with hashes, `requirements.lock`.

    python -m tests.environments litellm ...      # installs them ahead of the tests
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
CACHE = FOLDER.parents[1] / ".pytest_cache" / "d"
UV = str(Path(sys.executable).with_name("uv"))


def for_tests(name: str) -> Path:
    """As `environment`; where it cannot be made the test is skipped, and with CI=true it fails."""
    try:
        return environment(name)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = f"{name} cannot be installed: {getattr(error, 'stderr', '') or error}"[-500:]
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def environment(name: str, cache: Path | None = None) -> Path:
    """The environment of this name, made once for each version of its lock file. Raises CalledProcessError."""
    lock_file = FOLDER / name / "requirements.lock"
    recipe = hashlib.sha256(lock_file.read_bytes() + sys.version.encode()).hexdigest()[:16]
    cache = cache or CACHE / name
    folder = cache / recipe
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may start at once
        if not (folder / "installed").exists():
            for old in cache.iterdir():
                if old.is_dir():
                    shutil.rmtree(old)
            install(folder, lock_file)
            (folder / "installed").touch()
    return folder


def install(folder: Path, lock_file: Path) -> None:
    """With uv, for a tenth of the work; with pip where that knows an index that uv does not."""
    python, wanted = str(folder / "bin" / "python"), ["--quiet", "--require-hashes", "-r", str(lock_file)]
    try:
        run([UV, "venv", "--quiet", "--python", sys.executable, str(folder)])
        run([UV, "pip", "install", "--python", python, *wanted])
    except (OSError, subprocess.CalledProcessError):
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        run([python, "-m", "pip", "install", "--no-compile", *wanted])


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)
