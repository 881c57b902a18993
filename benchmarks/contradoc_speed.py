"""How long ContraDoc takes: its import, replies read and matched, its reports, and the page on which people verify.

    python -m benchmarks.contradoc_speed [--postgresql postgres://me@/postgres] [--readings 100000] [--requests 20]

Documents of about 900 words, half of them with a contradiction; replies to all three tasks, some unreadable, every
fifth that quotes has a hundred quotes. Goals on two otherwise idle cores: 900 documents in 10 s, 10,000 replies in
30 s, reports over 100,000 readings within 1 s at the 95th percentile on PostgreSQL, a verification page in 50 ms, the
next item in 100 ms. The last two are measured with a document of 2 MB, too. Prints the load, and asserts nothing.
"""

import argparse
import contextlib
import io
import json
import os
import random
import re
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.laboratory import as_served, laboratory
from benchmarks.reports_speed import private_database

DOCUMENTS, REPLIES, VERIFIED = 900, 10_000, 30
SENTENCES, LONG_SENTENCES = 65, 23_000  # of 14 words: 6 kB, and 2 MB
REPORTS = ("statistics", "table2", "table3", "table4", "table5", "table6", "figure2", "verification", "free-format")
WORDS = [f"{start}{end}" for start in ("bri", "mar", "to", "ri", "wa") for end in ("dge", "ket", "wn", "ver", "ter")]
TYPES = ("Content", "Numeric", "Negation", "Causal", "Factual")
KINDS = ("news", "wiki", "story")
ANSWERS = {"contradict": "yes", "feasible": "yes", "acceptable": "yes", "scope": "global", "types": "Content"}


def sentence() -> str:
    return " ".join(random.choices(WORDS, k=14)).capitalize() + "."


def text_of(sentences: int) -> str:
    return " ".join(sentence() for _ in range(sentences))


def file_of_documents() -> bytes:
    sides: dict[str, dict[str, Any]] = {"pos": {}, "neg": {}}
    for number in range(DOCUMENTS):
        said, name = [sentence() for _ in range(SENTENCES)], f"{number // 4}_{number}"
        record: dict[str, Any] = {"text": " ".join(said), "unique id": name, "doc_type": KINDS[number % 3]}
        if number % 2:
            plug, scope = ("Replace", "Insert")[number % 4 // 2], ("intra", "local", "global")[number % 3]
            record |= {"evidence": said[20], "contra_plug": plug, "scope": scope, "ref sentences": [said[9]]}
            record["contra_type"] = random.sample(TYPES, 2)
        sides["pos" if number % 2 else "neg"][name] = record
    return json.dumps(sides).encode()


def replies(documents: bytes, models: range) -> Iterator[dict[str, str]]:
    """What models reply to each task about each document."""
    sides = json.loads(documents)
    for model in models:
        for side in sides:
            for name, record in sides[side].items():
                said = record["text"].split(". ")
                quotes = random.sample(said, 5) if random.random() < 0.8 else said * 2
                answer = random.choice(["yes", "no", "yes and no"])
                yield {"document": name, "task": "binary", "model": f"M{model}", "text": answer}
                found = f"Judgment: {answer}\nEvidence: {json.dumps(quotes)}"
                yield {"document": name, "task": "judge_then_find", "model": f"M{model}", "text": found}
                if side == "pos":
                    yield {"document": name, "task": "topk", "model": f"M{model}", "text": "\n".join(quotes)}


def timed(what: str, do: Callable[[], object]) -> None:
    started, worked = time.perf_counter(), time.process_time()
    do()
    print(
        f"  {what:<44} {time.perf_counter() - started:6.1f} s   CPU {time.process_time() - worked:6.1f} s", flush=True
    )


def measured(what: str, times: list[float]) -> None:
    times = sorted(times)
    p95 = times[max(0, -(-95 * len(times) // 100) - 1)]
    print(f"  {what:<44} p50 {statistics.median(times) * 1000:5.0f} ms   p95 {p95 * 1000:5.0f} ms", flush=True)


def import_all(readings: int) -> None:
    from annotation.kinds.contradoc.files import import_documents_of_contradoc
    from annotation.models import Release
    from judging.files.task_replies import import_task_replies
    from judging.models import Reading

    documents = file_of_documents()
    timed(f"{DOCUMENTS} documents imported", lambda: import_documents_of_contradoc(io.BytesIO(documents)))
    release = Release.objects.get(benchmark="contradoc")
    each = DOCUMENTS * 5 // 2
    lines = [json.dumps(reply) for reply in replies(documents, range(-(-readings // each)))]
    for count, some in ((REPLIES, lines[:REPLIES]), (len(lines) - REPLIES, lines[REPLIES:])):
        file = "\n".join(some).encode()
        timed(
            f"{count:,} replies read and matched",
            lambda file=file: import_task_replies(io.BytesIO(file), release=release),
        )
    print(f"  {Reading.objects.current().count():,} readings")


def client_of(role: str, name: str = "") -> Any:
    """A browser of a new person with this role, who is its `person`."""
    from django.contrib.auth.models import Group
    from django.test import Client

    from core.models import User

    person = User.objects.create(username=name or role)
    person.groups.add(Group.objects.get_or_create(name=role)[0])
    client = Client(SERVER_NAME="localhost")
    client.force_login(person, backend="core.accounts.adapter.Backend")
    client.person = person
    return client


def took(client: Any, address: str) -> float:
    started = time.perf_counter()
    response = client.get(address)
    assert response.status_code == 200, response.status_code
    return time.perf_counter() - started


def measure_reports(client: Any, requests: int) -> None:
    for name in REPORTS:
        address = f"/review/reports/contradoc-{name}/"
        measured(f"contradoc-{name}", [took(client, address) for _ in range(requests + 2)][2:])


def measure_verification(admin: Any, reviewers: list[Any], sentences: int, requests: int) -> None:
    """One of two people verifies candidates; the page, and what comes after each answer."""
    from tests.review import contradoc_rows as rows

    for number in range(VERIFIED):
        document = rows.make_document(f"{sentences} {number}", f"{rows.TEXT} {text_of(sentences)}")
        rows.make_candidate(document.code)
    people = [reviewer.person for reviewer in reviewers]
    round = rows.make_form_round("contradoc-verification", admin.person, people, undo_minutes=0)
    browser, page, size = reviewers[0], f"/review/judge/{round.key}/", f"{len(document.text):,} characters"
    measured(f"verification page, {size}", [took(browser, page) for _ in range(requests + 2)][2:])
    keys = re.findall(r'data-item="([^"]+)"', browser.get(page).content.decode())
    times: list[float] = []
    while keys:
        values = ANSWERS | {"seconds": "20", "comment": "", "showing": keys[1] if keys[1:] else ""}
        started = time.perf_counter()
        answer = browser.post(f"/review/judgments/{keys[0]}/", values, headers={"HX-Request": "true"})
        times.append(time.perf_counter() - started)
        assert answer.status_code == 200, answer.status_code
        keys = keys[1:] + re.findall(r'data-item="([^"]+)"', answer.content.decode())
    assert len(times) == VERIFIED, len(times)
    measured(f"next item, {size}", times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--readings", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=20, help="of each page, after two that are not counted")
    options = parser.parse_args()
    random.seed(5)
    # When killed with SIGTERM, it still drops its database.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        environment = {}
        if options.postgresql:
            environment["DATABASE_URL"] = stack.enter_context(private_database(options.postgresql))
        stack.enter_context(laboratory(**environment))
        from django.db import connection

        print(f"{connection.vendor}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        import_all(options.readings)
        as_served()
        admin, reviewers = client_of("admin"), [client_of("reviewer"), client_of("reviewer", "second")]
        for sentences in (SENTENCES, LONG_SENTENCES):
            measure_verification(admin, reviewers, sentences, options.requests)
        measure_reports(admin, options.requests)
        print(f"  load {os.getloadavg()[0]:.1f} at the end")
        connection.close()


if __name__ == "__main__":
    main()
