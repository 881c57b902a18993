"""Measures how long others wait for the lock during large writes: every import, a release, the start of a run, a
deal.

    python -m speed.lock_waits [--rows 100000] [--from-release] [--until WORK]

Another process writes one row in a loop, as a person who saves does, and records the duration of each write. Printed
for each kind of work are its total time, its CPU time, its peak memory (Linux), the longest of its transactions on
SQLite (from having the lock to the end of COMMIT; also in CPU time, which a busy machine does not change), the
longest of the other process's waits, the 99th percentile of the waits, the number of waits longer than half a second,
and the load of the machine. With `--from-release` annotations are not imported and released: a release is written
directly. With `--profile WORK` the functions that cost most in it are printed too. The database is a SQLite file with
the settings of an installation (or what DATABASE_URL says), in a temporary folder.
"""

import argparse
import contextlib
import cProfile
import gc
import json
import os
import platform
import pstats
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO
from unittest import mock

from speed.laboratory import ROOT, laboratory, make_release

# Work between two measured kinds, which is not measured.
JUDGED = "all of it judged"

PROBE = """
import sys, threading, time, django
django.setup()
from core.models import User
from django.db import transaction

waits = []

def write():
    while True:
        began = time.perf_counter()
        with transaction.atomic():
            User.objects.filter(username="probe").update(first_name=str(began)[:30])
        waits.append(time.perf_counter() - began)
        time.sleep(0.01)

threading.Thread(target=write, daemon=True).start()
for line in sys.stdin:
    seen = sorted(waits)
    waits.clear()
    longest, most = (seen[-1], seen[int(len(seen) * 0.99)]) if seen else (0, 0)
    print(longest, most, sum(wait > 0.5 for wait in seen), len(seen), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Waits:
    """The number of writes, the longest wait in seconds, its 99th percentile, and the number over 0.5 s."""

    longest: float
    most: float
    long: int
    count: int


class Probe:
    """A process that writes a row again and again."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROBE], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        while self.waits().count < 3:
            time.sleep(0.2)

    def waits(self) -> Waits:
        """The waits since the last call."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        longest, most, long, count = self.process.stdout.readline().split()
        return Waits(float(longest), float(most), int(long), int(count))


class Held:
    """The longest time that this process held the lock of SQLite: in seconds, and in CPU seconds."""

    def __init__(self) -> None:
        from django.db.backends.sqlite3.base import DatabaseWrapper

        self.longest = self.most_cpu = 0.0
        self.since: dict[int, tuple[float, float]] = {}
        for name, then in (
            ("_start_transaction_under_autocommit", self.begin),
            ("_commit", self.end),
            ("_rollback", self.end),
        ):
            setattr(DatabaseWrapper, name, self.followed_by(getattr(DatabaseWrapper, name), then))

    def followed_by(self, method: Callable[[Any], None], then: Callable[[], None]) -> Callable[[Any], None]:
        def both(wrapper: Any) -> None:
            method(wrapper)
            then()

        return both

    def begin(self) -> None:
        self.since[threading.get_ident()] = time.perf_counter(), time.thread_time()

    def end(self) -> None:
        if since := self.since.pop(threading.get_ident(), None):
            self.longest = max(self.longest, time.perf_counter() - since[0])
            self.most_cpu = max(self.most_cpu, time.thread_time() - since[1])

    def taken(self) -> tuple[float, float]:
        """The longest times since the last call."""
        longest, most_cpu, self.longest, self.most_cpu = self.longest, self.most_cpu, 0.0, 0.0
        return longest, most_cpu


def on_disk(parts: Iterable[str]) -> BinaryIO:
    """A file on disk, as commands and uploads have it."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - gone with the last who reads it
    file.writelines(part.encode() for part in parts)
    file.seek(0)
    return file


def from_its_start(file: BinaryIO) -> BinaryIO:
    file.seek(0)
    return file


def json_list(values: Iterable[Any]) -> Iterator[str]:
    opening = "["
    for value in values:
        yield opening + json.dumps(value)
        opening = ",\n"
    yield "]"


def records(rows: int, *, tasks: bool, title: str = "Bridge") -> Iterator[dict[str, Any]]:
    from annotation.content.paper_record import RESULT

    result = {
        "wikitag_label_valid": "Valid",
        "paragraphA_information": "It opened in 1903.",
        "paragraphB_information": "It was closed in 1899.",
        "taxonomy": [["Contradict type IV", "Explicit"]],
        "Contradict type IV": "Explicit",
        "question1_answer1": "from 1903",
        "question1_answer2": "until 1899",
    }
    for number in range(rows):
        record: dict[str, Any] = {
            "title": f"{title} {number}{' to do' if tasks else ''}",
            "tag": "Inconsistent",
            "paragraph_A": "It opened in 1903.",
            "paragraph_A_clean": "It opened in 1903.",
        }
        if not tasks:
            record[RESULT] = result | {"question1": f"When was bridge {number} open?"}
        yield record


def responses(rows: int, *, by_number: bool) -> Iterator[str]:
    for number in range(rows):
        question = number // 5 + 1
        named = {"release": 1, "question_ID": question} if by_number else content_of_instance(question)
        model = f"{'Imported' if by_number else 'Without number'} {number % 5}"
        yield json.dumps({"model": model, "template": "5", "text": "In 1903.", **named}) + "\n"


def content_of_instance(question: int) -> dict[str, str]:
    return {
        "question": f"When was bridge {question - 1} open?",
        "passage_1": "It opened in 1903.",
        "passage_2": "It was closed in 1899.",
        "answer_1": "from 1903",
        "answer_2": "until 1899",
    }


def evaluation(rows: int) -> Iterator[str]:
    one = {"samepassage": "Different", "question1_answer1": "1903", "question1_answer2": "1899"}
    answered = {"ModelAnswer_prompt_4": "In 1903.", "ModelAnswer_prompt_4_humanEval": "Correct"}
    yield '{"Evaluated": '
    yield from json_list(one | answered | {"question1": f"When was bridge {number} open?"} for number in range(rows))
    yield "}"


def judgments(rows: int) -> Iterator[str]:
    from judging.models import Response

    yield "response,reviewer,verdict\n"
    for key in Response.objects.order_by("-pk").values_list("key", flat=True)[: rows // 2]:
        yield f"{key},reviewer,correct\n{key},reviewer2,incorrect\n"


def works(rows: int) -> list[tuple[str, Callable[[], Any]]]:
    """The kinds of work, in an order in which each has the data it needs."""
    from annotation.models import Release
    from annotation.releases.files.exports import CURRENT_FORMATS, RELEASE_FORMATS
    from annotation.releases.files.imports import import_records
    from annotation.releases.freezing import create_release
    from benchmarks.wikicontradict.human_evaluation.importing import import_human_evaluation
    from core.models import User
    from core.writing.batches import Writing
    from judging.files.exports import RESPONSE_FORMATS
    from judging.files.imports import import_responses
    from judging.models import LanguageModel, PromptTemplate, Response, Run, RunKind
    from judging.runs.runs import cancel_run, create_run, start_run
    from review.files.judgment_imports import import_judgments
    from review.models import Round
    from review.rounds.dealing.dealing import deal_round
    from review.rounds.rounds import close_round, create_round

    admin = User.objects.get(username="admin")

    # Made before anything is measured.
    annotations = on_disk(json_list(records(rows, tasks=False)))
    to_do = on_disk(json_list(records(rows, tasks=True)))
    tenth = on_disk(json_list(records(rows // 10, tasks=False, title="Ferry")))
    answers, evaluated = on_disk(responses(rows, by_number=True)), on_disk(evaluation(rows))
    without = on_disk(responses(rows, by_number=False))

    def fail(file: BinaryIO) -> None:
        # All rows are written, and then deleted again.
        with mock.patch.object(Writing, "finish", side_effect=OSError), contextlib.suppress(OSError):
            import_records(file)

    def start() -> None:
        baselines = list(LanguageModel.objects.callable().order_by("pk"))[:1]
        release = Release.objects.get()
        templates = list(PromptTemplate.objects.current().filter(code="5"))
        start_run(run=create_run(release=release, language_models=baselines, templates=templates))

    def deal() -> None:
        people = list(User.objects.filter(username__startswith="reviewer"))
        round = create_round(
            admin=admin,
            name="All",
            runs=list(Run.objects.filter(name="Elsewhere")),
            reviewers=people,
            sample_size=rows // 2,  # of which each gets two slots
            with_training=False,
        )
        deal_round(round.pk)

    def close() -> None:
        close_round(round=Round.objects.get(name="All"), admin=admin)

    def export(chunks: Any) -> None:
        for _ in chunks:
            pass

    return [
        (
            "annotations, checked only",
            lambda: import_records(annotations, check_only=True),
        ),
        ("import of annotations", lambda: import_records(from_its_start(annotations))),
        ("a tenth that fails at the end", lambda: fail(tenth)),
        ("import of tasks", lambda: import_records(to_do)),
        ("JSON of annotations", lambda: export(CURRENT_FORMATS["json"](None, None))),
        ("CSV of annotations", lambda: export(CURRENT_FORMATS["csv"](None, None))),
        ("release", lambda: create_release(name="All", admin=admin)),
        ("export of the release", lambda: export(RELEASE_FORMATS["json"].chunks(Release.objects.get()))),
        ("start of a run", start),
        ("cancelling it", lambda: cancel_run(run=Run.objects.get(kind=RunKind.ANSWER))),
        ("import of responses", lambda: import_responses(answers, name="Elsewhere")),
        ("the same without numbers", lambda: import_responses(without, name="By content")),
        ("export of responses", lambda: export(RESPONSE_FORMATS["jsonl"](Response.objects.all()))),
        ("import of judgments", lambda: import_judgments(on_disk(judgments(rows)), admin=admin)),
        ("deal of a round", deal),
        (JUDGED, lambda: judge_all(Round.objects.get(name="All"))),
        ("closing it, all judged", close),
        ("import of a human evaluation", lambda: import_human_evaluation(evaluated)),
    ]


def judge_all(round: Any) -> None:
    """Give every slot a verdict that can still be taken back; for one response in four the two differ."""
    from django.db.models import F
    from django.utils import timezone

    from core.engine.writing.pieces import in_pieces
    from review.models import Judgment

    now = timezone.now()
    given = {"lease_expires_at": None, "judged_at": now, "undo_until": now + timedelta(hours=1)}
    slots = Judgment.objects.filter(round=round)

    def judge(piece: list[int]) -> None:
        rows = slots.filter(pk__in=piece)
        rows.update(verdict="correct", **given)
        rows.alias(rest=F("item") % 4).filter(rest=0, number=2).update(verdict="incorrect")

    in_pieces(list(slots.values_list("pk", flat=True)), judge)


@dataclass(frozen=True, slots=True)
class Cost:
    seconds: float
    cpu: float
    megabytes: int


def cost_of(work: Callable[[], Any]) -> Cost:
    gc.collect()
    # The memory at the most is counted anew.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    began, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - began, time.process_time() - cpu, peak_memory())


def profiled(work: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> None:
        profile = cProfile.Profile()
        profile.runcall(work)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(70)
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)

    return run


def peak_memory(process: int | str = "self") -> int:
    """Peak memory in MB of the process's current program: the system's number at its end may include the program it
    was started from.
    """
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--from-release", action="store_true")
    parser.add_argument("--until", help="the last kind of work")
    parser.add_argument("--profile", help="a kind of work", metavar="WORK")
    given = parser.parse_args()
    rows = given.rows
    with laboratory():
        from core.accounts.sample_people import make_demo_people
        from core.models import User
        from judging.catalogue.standard import install_standard

        make_demo_people()
        User.objects.create_user("probe")
        install_standard()
        probe, held = Probe(), Held()
        print(f"{time.strftime('%Y-%m-%d %H:%M')}, {rows:,} rows each; {os.cpu_count()} cores, {platform.machine()}")
        head = ("work", "whole time", "CPU", "memory", "held", "held, CPU", "longest", "99 of 100", "over 0.5 s")
        print(("{:30}" + "{:>12}" * 10).format(*head, "writes", "load"), flush=True)
        doors = works(rows)
        if given.from_release:
            # The rows that an import and a release of annotations would leave, as far as runs need them.
            make_release(rows, of=lambda number: content_of_instance(number + 1))
            doors = doors[[name for name, _ in doors].index("start of a run") :]
        try:
            for name, work in doors:
                probe.waits()
                held.taken()
                work = profiled(work) if name == given.profile else work
                cost, waits, (longest, most_cpu) = cost_of(work), probe.waits(), held.taken()
                if name != JUDGED:
                    print(
                        f"{name:30}{cost.seconds:10.1f} s{cost.cpu:10.1f} s{cost.megabytes:9,} MB"
                        f"{1000 * longest:9,.0f} ms{1000 * most_cpu:9,.0f} ms"
                        f"{1000 * waits.longest:9,.0f} ms{1000 * waits.most:9,.0f} ms"
                        f"{waits.long:12,}{waits.count:12,}{os.getloadavg()[0]:12.1f}",
                        flush=True,
                    )
                if name == given.until:
                    break
        finally:
            probe.process.kill()


if __name__ == "__main__":
    main()
