"""Copies sealed entries of the log to syslog: numbers, times and codes, and no name, passage or key."""

import logging
import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC
from logging.handlers import SysLogHandler
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from ..health.signs import give_sign, last_sign
from ..models import Seal, SignKind

# The highest number of lines at a time: a server by UDP would drop more of them.
MOST_AT_ONCE = 1_000
SECONDS = 5.0
# Neither values before and after, nor messages: people wrote them.
COLUMNS = (
    "position",
    "digest",
    "event_id",
    "event__at",
    "event__actor_id",
    "event__action",
    "event__subject_kind",
    "event__subject_id",
)


class SyslogHandler(SysLogHandler):
    """The standard library's, which tells of an error instead of printing it, and does not wait for ever."""

    append_nul = False

    def __init__(self, url: str) -> None:
        found = urlsplit(url)
        self.is_stream = found.scheme == "tcp"
        self.server = (found.hostname, found.port or 514)
        address: Any = found.path if found.scheme == "unix" else self.server
        kind = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}.get(found.scheme)
        super().__init__(address, SysLogHandler.LOG_AUTH, kind)

    def createSocket(self) -> None:  # the standard library's name
        if not self.is_stream:
            super().createSocket()
            return
        self.unixsocket = False
        self.socket = socket.create_connection(self.server, timeout=SECONDS)

    def handleError(self, record: logging.LogRecord) -> None:
        raise  # called where an error is handled

    def send(self, line: str) -> None:
        """Raises OSError."""
        text = f"{line}\n" if self.is_stream else line
        self.emit(logging.makeLogRecord({"msg": text, "levelname": "INFO"}))


def copy_to_syslog() -> int:
    """Send the sealed entries that were not sent before, in order, and record how far; returns their number. If
    syslog cannot be reached, that is recorded, and they are sent the next time. If the last seal that was sent is
    gone, nothing more is sent: the record of it is the proof.
    """
    if not settings.LOG_TO_SYSLOG:
        return 0
    sign = last_sign(SignKind.COPIED)
    facts = sign.facts if sign else {}
    if is_cut_off(facts):
        return 0
    before = sent = int(facts.get("position", 0)), facts.get("digest", "")
    problem = {}
    try:
        with closing(SyslogHandler(settings.LOG_TO_SYSLOG)) as handler:
            for position, digest, line in _lines(before[0]):
                handler.send(line)
                sent = position, digest
    except OSError as error:
        # By TCP, lines sent before it may be lost without an error: all of these are sent again.
        sent, problem = before, {"error": type(error).__name__}
    give_sign(SignKind.COPIED, position=sent[0], digest=sent[1], **problem)
    return sent[0] - before[0]


def is_cut_off(facts: dict[str, Any]) -> bool:
    """Return whether the seal that was sent last, by these facts of the sign, is gone or another one."""
    position, digest = facts.get("position", 0), facts.get("digest", "")
    sent = Seal.objects.filter(position=position, **({"digest": digest} if digest else {}))
    return position > 0 and not sent.exists()


def _lines(after: int) -> Iterator[tuple[int, str, str]]:
    """The position, digest and line of each sealed entry after this position, in order."""
    seals = Seal.objects.filter(position__gt=after).order_by("position")
    for position, digest, entry, at, actor, action, kind, subject in seals.values_list(*COLUMNS)[:MOST_AT_ONCE]:
        yield (
            position,
            digest,
            f"workbench-log: entry={entry} at={at.astimezone(UTC).isoformat()} actor={actor or '-'} action={action} "
            f"subject={kind}:{subject} seal={position} digest={digest}",
        )
