"""Sends hostile requests to every address, as every role, and counts the answers: none may be a server error.

    python -m speed.fuzz [requests a role, 10000] [seed, 1]

Uses a temporary test database on the server in DATABASE_URL, otherwise on SQLite.
"""

import os
import subprocess
import sys


def main() -> int:
    requests, seed = (sys.argv[1:] + ["10000", "1"][len(sys.argv) - 1 :])[:2]
    options = ["--create-db", "-s", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, "tests/doors/test_fuzz.py"]
    environment = {**os.environ, "FUZZ_REQUESTS": requests, "FUZZ_SEED": seed}
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
