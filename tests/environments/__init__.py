"""Environments with programs that others wrote and that cannot live in ours: what we write is tried on them.

Each has a folder here with `requirements.in` and, made from it with hashes, `requirements.lock`.

    python -m tests.environments litellm ...      # installs them

With CI=true the tests install what they need of these. Without, what is not installed is not tested: whoever tries a
change wants an answer in minutes, and not six programs from the network.
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


def for_tests(name: str, *, is_large: bool = False) -> Path:
    """As `environment`; without CI=true a test that needs one that is not installed is skipped, saying so. So it is
    everywhere with a large one, which takes minutes and gigabytes."""
    in_ci = os.environ.get("CI") == "true"
    if not is_there(name) and (is_large or not in_ci):
        pytest.skip(f"{name} is not installed. Install it: python -m tests.environments {name}")
    try:
        return environment(name)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.fail(f"{name} cannot be installed: {getattr(error, 'stderr', '') or error}"[-500:])


def environment(name: str, cache: Path | None = None) -> Path:
    """The environment of this name, made once for each version of its lock file. Raises CalledProcessError."""
    cache = cache or CACHE / name
    folder = cache / recipe_of(name)
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may start at once
        if not (folder / "installed").exists():
            for old in cache.iterdir():
                if old.is_dir():
                    shutil.rmtree(old)
            install(folder, FOLDER / name / "requirements.lock")
            (folder / "installed").touch()
    return folder


def is_there(name: str) -> bool:
    return (CACHE / name / recipe_of(name) / "installed").exists()


def recipe_of(name: str) -> str:
    """Another one for each version of the lock file and of Python."""
    return hashlib.sha256((FOLDER / name / "requirements.lock").read_bytes() + sys.version.encode()).hexdigest()[:16]


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
