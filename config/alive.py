"""Exit with 0 if the worker or the clock of this machine has given a sign of life lately, else with 1.

`python -m config.alive worker` is the health check of a container. It reads the time of one file, and loads neither
Django nor the database.
"""

import os
import socket
import sys
import time
from pathlib import Path

# In seconds.
SILENT_AFTER = 90.0
KINDS = ("worker", "clock")


def seconds_since(kind: str, folder: Path) -> float:
    """Seconds since the last sign; infinite if there was none."""
    try:
        return time.time() - (folder / "alive" / f"{kind}-{socket.gethostname()}").stat().st_mtime
    except OSError:
        return float("inf")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in KINDS:
        print(f"usage: python -m config.alive {'|'.join(KINDS)}", file=sys.stderr)
        return 2
    folder = Path(os.environ.get("VAR_DIR") or Path(__file__).resolve().parents[1] / "var")
    silent = seconds_since(arguments[0], folder)
    if silent > SILENT_AFTER:
        known = f"the last sign of life is {silent:.0f} s old" if silent < float("inf") else "no sign of life"
        print(f"{arguments[0]}: {known} in {folder / 'alive'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
