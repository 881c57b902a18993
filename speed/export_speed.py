"""Measures time and memory for writing a large release in each format. Limit: 60 s and 200 MB each.

    DATABASE_URL=postgres://... python -m speed.export_speed --instances 100000

The database must be empty; without DATABASE_URL it is an SQLite file in a temporary folder. Each export is a separate
process, `manage.py export_release`, timed from its start to its end.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .laboratory import ROOT, laboratory
from .lock_waits import json_list, on_disk, peak_memory

SECONDS, MEGABYTES = 60.0, 200.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=100_000)
    parser.add_argument("--formats", nargs="+", default=["json", "csv", "jsonl", "huggingface"])
    parser.add_argument("--filled", action="store_true", help="the database has the release from an earlier time")
    chosen = parser.parse_args()
    with laboratory() as folder:
        if not chosen.filled:
            fill(chosen.instances)
        met = [measure(code, folder / f"written-{code}") for code in chosen.formats]
    sys.exit(not all(met))


def fill(instances: int) -> None:
    from annotation.releases.files.imports import import_records
    from annotation.releases.freezing import create_release

    begun = time.monotonic()
    import_records(on_disk(json_list(tags(instances // 2))))
    release = create_release(name="All", admin=None)
    count = release.released_instances.count()
    print(f"release of {count:,} instances made in {time.monotonic() - begun:.0f} s", flush=True)


def tags(count: int) -> Iterator[dict[str, Any]]:
    """Records with texts as long as in the paper's benchmark and about two questions each, as there."""
    sentence = "The bridge over the river {} {} in {}, after nine years of work, as the town's chronicle has it. "
    for number in range(count):
        passages = [sentence.format(number, "opened", 1903) * 3, sentence.format(number, "was closed", 1899) * 3]
        result: dict[str, Any] = {
            "wikitag_label_valid": "Valid",
            "paragraphA_article": f"Bridge {number}",
            "paragraphA_information": passages[0],
            "paragraphA_information_standalone": passages[0],
            "paragraphB_article": f"Bridge {number}",
            "paragraphB_information": passages[1],
            "paragraphB_information_standalone": passages[1],
            "wikitag_label_samepassage": "Different",
            "taxonomy": [["Contradict type IV", "Explicit"]],
            "Contradict type IV": "Explicit",
        }
        for each, verb in enumerate(("open", "close"), start=1):
            question = f"question{each}"
            result |= {question: f"When did bridge {number} {verb}?"}
            result |= {f"{question}_answer1": "In 1903", f"{question}_answer2": "In 1899"}
        yield {
            "title": f"Bridge {number}",
            "url": f"https://en.wikipedia.org/wiki/Bridge_{number}",
            "tag": "Inconsistent|date=May 2024",
            "tagDate": "May 2024",
            "paragraph_A": passages[0] + "{{Inconsistent|date=May 2024}} " + passages[1],
            "paragraph_A_clean": passages[0] + passages[1],
            "annotationResult": result,
        }


def measure(code: str, target: Path) -> bool:
    """Print the measurements; returns whether this format kept to the limit."""
    command = [sys.executable, "manage.py", "export_release", str(target), "--release", "1", "--format", code]
    begun = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    megabytes = ended = 0
    while not ended:
        megabytes = max(megabytes, peak_memory(process.pid))
        time.sleep(0.05)
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
    seconds = time.monotonic() - begun
    files = [target] if target.is_file() else [path for path in target.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    met = status == 0 and seconds <= SECONDS and megabytes <= MEGABYTES
    processor = used.ru_utime + used.ru_stime
    print(
        f"{code:12} {seconds:6.1f} s ({processor:5.1f} s of processor)  {megabytes:5.0f} MB of memory  "
        f"{size:7.1f} MB written  {'ok' if met else 'OVER THE BAR'}",
        flush=True,
    )
    return met


if __name__ == "__main__":
    main()
