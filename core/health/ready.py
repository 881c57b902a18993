"""Checks of the parts that the site needs: schema, a real write, disk, broker, signs of worker and clock."""

import shutil
import threading
import time
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import connection

from ..languages import say
from ..models import SignKind
from ..schema.checking import difference
from .checks import Finding, State, found_by
from .signs import give_sign, recent_signs

# Seconds for which an answer is given again: everyone may ask, and each answer writes a row.
ANSWER_FOR = 5.0
WARN_BYTES, FAIL_BYTES = 2 * 1024**3, 200 * 1024**2
BROKER_SECONDS = 2.0


def schema_findings() -> list[Finding]:
    """Return whether migrations, tables, columns and triggers are those that the program needs."""
    if said := difference():
        return [Finding(say("Migrations"), State.FAILED, said, say("docs/upgrading.md has the steps."))]
    return [
        Finding(
            say("Migrations"), State.OK, say("All migrations are applied, and tables and triggers fit the program.")
        )
    ]


def write_findings() -> list[Finding]:
    """Write and commit a row. Raises what the database raises."""
    give_sign(SignKind.WRITE)
    name = "PostgreSQL" if connection.vendor == "postgresql" else "SQLite"
    return [Finding(say("Database"), State.OK, say("{name} answers, and a row was written.", name=name))]


def no_write(error: Exception) -> Finding:
    """The finding for a row that could not be written."""
    return Finding(
        say("Database"),
        State.FAILED,
        say(
            "No row can be written: {error}", error=str(error).splitlines()[0] if str(error) else type(error).__name__
        ),
        say("See that the database server runs, takes writes and has space; DATABASE_URL says which one it is."),
    )


def database_findings() -> list[Finding]:
    try:
        return write_findings()
    except Exception as error:
        return [no_write(error)]


def disk_findings() -> list[Finding]:
    """Free space where this program writes. The disk of a database server is not seen from here."""
    folder = Path(settings.VAR_DIR)
    usage = shutil.disk_usage(folder)
    free = say(
        "{free:,.1f} of {total:,.1f} GiB are free in {folder}.",
        free=usage.free / 1024**3,
        total=usage.total / 1024**3,
        folder=folder,
    )
    todo = say("Make space on the disk of {folder}, or move VAR_DIR to a larger one.", folder=folder)
    if usage.free < FAIL_BYTES:
        return [Finding(say("Disk"), State.FAILED, free, todo)]
    if usage.free < min(WARN_BYTES, usage.total // 10):
        return [Finding(say("Disk"), State.WARNING, free, todo)]
    return [Finding(say("Disk"), State.OK, free)]


def broker_findings() -> list[Finding]:
    """Return whether messages to the worker can be sent."""
    name, url = say("Broker"), settings.CELERY_BROKER_URL
    if url.startswith("memory:"):
        return [Finding(name, State.WARNING, say("Messages stay within one process."), say("Set CELERY_BROKER_URL."))]
    try:
        # A broker that accepts the connection and never answers must not hold the request.
        limits = {"socket_timeout": BROKER_SECONDS, "socket_connect_timeout": BROKER_SECONDS}
        with current_app.connection_for_write(transport_options=limits) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=BROKER_SECONDS)
            broker.default_channel.queue_declare("celery", passive=False, durable=True)
    except Exception as error:
        sentence = say("Messages cannot be sent to the worker: {error}.", error=type(error).__name__)
        todo = say(
            "See that Redis runs and that CELERY_BROKER_URL names it. People can work meanwhile; no work is lost."
        )
        return [Finding(name, State.FAILED, sentence, todo)]
    if url.startswith("files"):
        return [Finding(name, State.OK, say("Messages can be sent (the folder of messages answers)."))]
    kind = "Redis" if url.startswith("redis") else say("it")
    return [Finding(name, State.OK, say("Messages can be sent ({kind} answers).", kind=kind))]


def worker_findings() -> list[Finding]:
    """Return whether a worker has given a sign lately."""
    workers = recent_signs(SignKind.WORKER)
    if not workers:
        todo = say("Start the worker: docker compose up -d worker, or see deployment.md. Work waits and is not lost.")
        return [Finding(say("Workers"), State.FAILED, say("No worker has given a sign of life in 90 seconds."), todo)]
    names = ", ".join(sign.name for sign in workers[:4])
    return [Finding(say("Workers"), State.OK, say("{workers} running: {names}.", workers=len(workers), names=names))]


def clock_findings() -> list[Finding]:
    """Return whether the clock has given a sign lately, and workers carry out its messages."""
    if not recent_signs(SignKind.CLOCK):
        todo = say("Start the clock (worker --beat, or the service clock): nothing is done at its time meanwhile.")
        return [Finding(say("Clock"), State.FAILED, say("The clock has given no sign of life in 90 seconds."), todo)]
    if not recent_signs(SignKind.WORK):
        todo = say("See that web, worker and clock have the same CELERY_BROKER_URL, and read the worker's log.")
        sentence = say("The clock runs, but no worker has carried out one of its messages in 90 seconds.")
        return [Finding(say("Clock"), State.FAILED, sentence, todo)]
    return [Finding(say("Clock"), State.OK, say("The clock runs, and its messages reach a worker."))]


PARTS = (
    (say("Migrations"), schema_findings),
    (say("Database"), database_findings),
    (say("Disk"), disk_findings),
    (say("Broker"), broker_findings),
    (say("Workers"), worker_findings),
    (say("Clock"), clock_findings),
)


def readiness() -> list[Finding]:
    """The findings about all parts that the site needs."""
    return [finding for name, check in PARTS for finding in found_by(name, check)]


class Answers:
    """Gives the same answer for some seconds, so that requests from strangers cannot keep the database busy."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._until, self._found = float("-inf"), [Finding(say("Site"), State.UNKNOWN, say("Not looked at yet."))]

    def now(self) -> list[Finding]:
        with self._guard:
            if time.monotonic() >= self._until:
                self._found = readiness()
                self._until = time.monotonic() + ANSWER_FOR
            return self._found

    def forget(self) -> None:
        self._until = float("-inf")


answers = Answers()
