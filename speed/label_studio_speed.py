"""Measures time and memory for importing 12,000 tasks of Label Studio, importing them again, and exporting them.

    python -m speed.label_studio_speed [--tasks 12000]

On SQLite, or on the database in DATABASE_URL. Each task has a complete annotation by one of five people; every fifth
has a second annotation and a draft. The goal is 30 s for the first import on two otherwise idle cores; the load
is printed.
"""

import argparse
import io
import json
import os
from collections.abc import Iterator
from typing import Any

from speed.laboratory import laboratory, measured, new_person

PEOPLE = 5


def tasks(count: int) -> Iterator[dict[str, Any]]:
    from annotation.label_studio.results import items_of

    result = {"wikitag_label_valid": "Valid", "wikitag_label_samepassage": "Different", "confidence": "4"}
    for letter, year in (("A", "1903"), ("B", "1899")):
        result |= {
            f"paragraph{letter}_article": "The bridge",
            f"relevantInfo_comment_{letter}": f"it opened in {year}",
        }
        result |= {f"paragraph{letter}_information": f"The bridge opened in {year}, says one of them. " * 8}
        result |= {f"relevantInfo_comment_{letter}_Span": year}
    values: dict[str, Any] = result | {"taxonomy": [["Contradict type IV", "Explicit"]]}
    for number in range(count):
        question = {"question1": f"When did bridge {number} open?", "question1_answer1": "1903"}
        items = items_of(values | question | {"question1_answer2": "1899"})
        data = {"title": f"Bridge {number}", "url": f"https://wiki.example.org/wiki/Bridge_{number}"}
        data |= {"tag": "Inconsistent|date=May 2024", "tagDate": "May 2024", "tagReason": ""}
        data |= {"paragraph_A": "It opened in 1903. " * 20, "paragraph_A_clean": "It opened in 1903. " * 20}
        by = [{"completed_by": {"email": f"p{number % PEOPLE}@example.org"}, "result": items, "lead_time": 60.5}]
        drafts = []
        if number % 5 == 0:
            by.append({**by[0], "completed_by": {"email": "p1@example.org"}})
            drafts.append({"user": "p2@example.org", "result": items})
        yield {"id": number + 1, "data": data, "annotations": by, "drafts": drafts, "predictions": []}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=12_000)
    count = parser.parse_args().tasks
    print(f"{count:,} tasks; load {os.getloadavg()[0]:.1f}", flush=True)
    with laboratory():
        from annotation.label_studio.exports import task_chunks
        from annotation.label_studio.imports import import_tasks
        from core.models import Role

        for number in range(PEOPLE):
            new_person(Role.ANNOTATOR, f"p{number}", email=f"p{number}@example.org")
        file = json.dumps(list(tasks(count))).encode()
        print(f"  {len(file) / 1_000_000:.0f} MB")

        def bring() -> None:
            print("   ", next(iter(import_tasks(io.BytesIO(file)).lines())))

        measured("imported", bring)
        measured("imported again", bring)
        measured("exported", lambda: sum(map(len, task_chunks())))
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
