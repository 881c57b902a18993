"""A clock that is wrong for some processes alone: clock.c, compiled here and loaded before the C library."""

import shutil
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")


def set_clock(file: Path, offset: int) -> None:
    """Shift the clock of the processes that read this file by this number of seconds, at once."""
    with file.open("r+b" if file.exists() else "wb") as opened:
        opened.write(struct.pack("q", offset))


def shifted(file: Path) -> dict[str, str]:
    """The environment of processes whose clock follows this file; empty where there is no compiler of C."""
    compiler = shutil.which("cc")
    if compiler is None:
        return {}
    library = file.with_suffix(".so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O", "-o", library, SOURCE, "-ldl"], check=True)
    set_clock(file, 0)
    return {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(file)}
