"""Measures ContraDoc: its import, reading and matching of replies, its reports, and the verification page.

    python -m speed.contradoc_speed [--postgresql postgres://me@/postgres] [--readings 100000] [--requests 20]

Documents of about 900 words, half of them with a contradiction; replies to all three tasks, some unreadable, every
fifth that quotes has a hundred quotes. 10,000 replies are imported; the other readings are those of further models,
copied in the database. Goals on two otherwise idle cores: 900 documents in 10 s, 10,000 replies in 30 s, reports over
100,000 readings within 1 s at the 95th percentile on PostgreSQL, a verification page in 50 ms, the next item in
100 ms. The last two are measured with a document of 2 MB, too. CPU is what this process used, without the database's.
Prints the load, and asserts nothing.
"""

import argparse
import io
import json
import os
import random
import re
from collections.abc import Iterator
from typing import Any

from speed.laboratory import analyse, as_served, laboratory_on, measured, new_person, new_uuid
from speed.requests import Browser, Cost, Summary

DOCUMENTS, REPLIES, VERIFIED = 900, 10_000, 30
OF_A_MODEL = DOCUMENTS * 5 // 2  # to all three tasks
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
    """Models' replies to each task about each document."""
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


def import_all(readings: int) -> None:
    from annotation.models import Release
    from benchmarks.contradoc.files import import_documents_of_contradoc
    from judging.files.task_replies import import_task_replies
    from judging.models import Reading

    documents = file_of_documents()
    measured(f"{DOCUMENTS} documents imported", lambda: import_documents_of_contradoc(io.BytesIO(documents)))
    release = Release.objects.get(benchmark="contradoc")
    lines = [json.dumps(reply) for reply in replies(documents, range(-(-REPLIES // OF_A_MODEL)))][:REPLIES]
    file = "\n".join(lines).encode()
    matched = f"{len(lines):,} replies read and matched"
    measured(matched, lambda: import_task_replies(io.BytesIO(file), release=release))
    copy_readings(readings)
    print(f"  {Reading.objects.current().count():,} readings", flush=True)


def copy_readings(wanted: int) -> None:
    """Copy the replies and readings of complete models to additional models, until this number is reached."""
    from judging.models import LanguageModel, ModelKind, Reading, Response

    whole = list(LanguageModel.objects.filter(name__in=[f"M{number}" for number in range(REPLIES // OF_A_MODEL)]))
    missing = -(-(wanted - Reading.objects.count()) // OF_A_MODEL)
    last = Response.objects.latest("pk").pk
    for number in range(missing):
        of = whole[number % len(whole)].pk
        model = LanguageModel.objects.create(name=f"Copy {number}", kind=ModelKind.IMPORTED).pk
        new = {"id": f"id + {last * (number + 1)}", "key": new_uuid(), "model_id": str(model)}
        copy_rows(Response, f"model_id = {of}", new)
        of_model = f"response_id IN (SELECT id FROM judging_response WHERE model_id = {of})"
        copy_rows(Reading, of_model, {"response_id": f"response_id + {last * (number + 1)}"})
    analyse()


def copy_rows(model: Any, where: str, new: dict[str, str]) -> None:
    """Copy the rows of a table that meet this condition; `new` has the columns that differ, as SQL."""
    from django.db import connection

    table, columns = model._meta.db_table, [str(field.column) for field in model._meta.concrete_fields]
    kept = [column for column in columns if column in new or column != "id"]
    values = ", ".join(new.get(column, f'"{column}"') for column in kept)
    names = ", ".join(f'"{column}"' for column in kept)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} WHERE {where}")


def told(what: str, costs: list[Cost]) -> None:
    found = Summary.of(costs)
    times = f"p50 {found.p50:5.0f} ms   p95 {found.p95:5.0f} ms   CPU {found.cpu:5.0f} ms"
    print(f"  {what:<44} {times}", flush=True)


def measure_page(what: str, browser: Browser, address: str, requests: int) -> None:
    told(what, [browser.ask("GET", address)[1] for _ in range(requests + 2)][2:])


def measure_reports(admin: Browser, requests: int) -> None:
    for name in REPORTS:
        address = f"/review/reports/contradoc-{name}/"
        measure_page(f"contradoc-{name}", admin, address, requests)


def measure_verification(admin: Browser, reviewers: list[Browser], sentences: int, requests: int) -> None:
    """Measure a verifier's page, and the response to each answer."""
    from tests.factories import contradoc as rows

    for number in range(VERIFIED):
        document = rows.make_document(f"{sentences} {number}", f"{rows.TEXT} {text_of(sentences)}")
        rows.make_candidate(document.code)
    people = [reviewer.person for reviewer in reviewers]
    round = rows.make_questionnaire_round("contradoc-verification", admin.person, people, undo_minutes=0)
    browser, page, size = reviewers[0], f"/review/judge/{round.key}/", f"{len(document.text):,} characters"
    measure_page(f"verification page, {size}", browser, page, requests)
    keys = re.findall(r'data-item="([^"]+)"', browser.ask("GET", page)[0].content.decode())
    costs: list[Cost] = []
    while keys:
        values = ANSWERS | {"seconds": "20", "comment": "", "showing": keys[1] if keys[1:] else ""}
        address = f"/review/judgments/{keys[0]}/"
        answer, cost = browser.ask("POST", address, values, **{"HX-Request": "true"})
        costs.append(cost)
        keys = keys[1:] + re.findall(r'data-item="([^"]+)"', answer.content.decode())
    assert len(costs) == VERIFIED, len(costs)
    told(f"next item, {size}", costs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--readings", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=20, help="of each page, after two that are not counted")
    options = parser.parse_args()
    random.seed(5)
    with laboratory_on(options.postgresql):
        from django.db import connection

        print(f"{connection.vendor}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        import_all(options.readings)
        as_served()
        admin = Browser(new_person("admin"))
        reviewers = [Browser(new_person("reviewer", name)) for name in ("first", "second")]
        for sentences in (SENTENCES, LONG_SENTENCES):
            measure_verification(admin, reviewers, sentences, options.requests)
        measure_reports(admin, options.requests)
        print(f"  load {os.getloadavg()[0]:.1f} at the end")
        connection.close()


if __name__ == "__main__":
    main()
