"""The lines of the log: made by structlog, as keys with values or as JSON, to stderr or to a file for each day.

No line has a text that people, wikis or models wrote. Of an error, a line has the kind and the lines of code:
its message can quote anything. Of a request, it has the address's pattern: an address can hold a link's secret.
"""

import logging
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import structlog
from django.db import OperationalError
from structlog.typing import EventDict, Processor, WrappedLogger

# Fields that a line may have besides its message; others given as `extra` are left out.
FIELDS = ("method", "path", "status", "ms", "user_id", "request_id", "task", "task_id", "of", "run_id", "call")
OUR_APPS = ("config", "core", "annotation", "judging", "review", "benchmarks")
# Their finer levels quote requests to models and statements, or tell of each look for work.
LOUD = (
    *("celery.beat", "celery.worker.strategy", "celery.app.trace", "kombu", "django.db.backends", "django.template"),
    *("openai", "httpx", "httpx2", "httpcore", "httpcore2", "urllib3", "asyncio", "matplotlib", "PIL"),
)
FORMATS = ("keys", "json")
MOST_CAUSES, MOST_FRAMES = 5, 40


def logging_settings(*, level: str, form: str, file: Path | None, days: int) -> dict[str, Any]:
    """Django's LOGGING.

    Args:
        level: the lowest level of lines of this program; those of libraries are INFO or higher.
        form: one of FORMATS.
        file: the file to write to instead of stderr; each day has its own, with the date in its name.
        days: the number of days whose files are kept.
    """
    handler: dict[str, Any] = {"class": "logging.StreamHandler"}
    if file is not None:
        handler = {"class": "config.logs.DailyFile", "path": str(file), "days": days}
    others = level if logging.getLevelNamesMapping()[level] > logging.INFO else "INFO"
    least = max(logging.getLevelNamesMapping()[level], logging.WARNING)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"without host": {"()": "config.logs.WithoutHost"}},
        "formatters": {"line": {"()": "config.logs.formatter", "form": form}},
        "handlers": {"lines": handler | {"formatter": "line"}},
        "root": {"handlers": ["lines"], "level": others},
        "loggers": {
            # Django's own lines to stderr, and mail about errors, which would quote them.
            "django": {"handlers": [], "level": others, "propagate": True},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            **{name: {"level": level} for name in OUR_APPS},
            **{name: {"level": least} for name in LOUD},
            "django.security.DisallowedHost": {"filters": ["without host"]},
            # A request that was refused has its line already.
            "django.request": {"level": "ERROR"},
            # Its lines quote errors; `core.seeing.worker` has one for each task that fails.
            "celery.app.trace": {"level": "CRITICAL"},
        },
    }


class WithoutHost(logging.Filter):
    """Makes Django's error about a request for another host a warning that does not quote it: anyone can send one."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.msg, record.args = "Refused a request for a host that is not in ALLOWED_HOSTS", ()
        record.exc_info = None
        return True


def formatter(form: str) -> logging.Formatter:
    """The formatter for all loggers of the process."""
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(allow=FIELDS),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        with_patterns,
        with_frames,
    ]
    last: Processor = as_json if form == "json" else as_keys
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last]
    )


def with_patterns(_logger: WrappedLogger, _name: str, fields: EventDict) -> EventDict:
    """Write the address's pattern in place of the address in Django's lines about a request."""
    from core.seeing.patterns import pattern_of  # it needs Django's settings, which name this module

    request: Any = getattr(fields.get("_record"), "request", None)
    if hasattr(request, "path"):
        # As in “Forbidden (CSRF token missing.): /annotation/17/”.
        fields["event"] = str(fields["event"]).partition(": /")[0]
        fields.setdefault("path", pattern_of(request))
    return fields


def with_frames(_logger: WrappedLogger, _name: str, fields: EventDict) -> EventDict:
    """Write the error's kind and the lines of code that it came through."""
    given = fields.pop("exc_info", None)
    if isinstance(given, BaseException):
        error: BaseException | None = given
    elif isinstance(given, tuple):
        error = given[1]
    else:
        error = sys.exc_info()[1] if given else None
    fields.pop("stack_info", None)
    if error is not None:
        fields["error"] = "\n".join(_told(error))
    return fields


def _told(error: BaseException) -> Iterator[str]:
    """The lines of an error and its causes, the last first."""
    at: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if at is None:
            return
        yield f"{kind_of(at)}{_safe_message(at)}"
        for frame in traceback.extract_tb(at.__traceback__)[-MOST_FRAMES:]:
            yield f"  {frame.filename}:{frame.lineno} {frame.name}"
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)


def kind_of(error: BaseException) -> str:
    """The class of the error with its module."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _safe_message(error: BaseException) -> str:
    """The message of an error of the system, of an import or of the database's connection: it says what is down, and
    quotes no text of ours. Those of other errors may."""
    if isinstance(error, OSError) and type(error).__module__ in ("builtins", "socket", "ssl"):
        return f": {error.strerror}" if error.strerror else ""
    if isinstance(error, ImportError | OperationalError):
        return f": {error}"
    return ""


_as_json = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
_as_keys = structlog.processors.LogfmtRenderer(
    key_order=["timestamp", "level", "logger", "event"], drop_missing=True, bool_as_flag=False
)


def as_json(logger: WrappedLogger, name: str, fields: EventDict) -> str:
    """The line as one JSON object."""
    line = _as_json(logger, name, fields)
    return line if isinstance(line, str) else line.decode()


def as_keys(logger: WrappedLogger, name: str, fields: EventDict) -> str:
    """The line as `key=value`, and the lines of code of an error below it."""
    frames = fields.pop("error", "")
    line = _as_keys(logger, name, fields)
    return "\n".join([line, *(f"    {frame}" for frame in frames.splitlines())])


class DailyFile(logging.StreamHandler):
    """Appends lines to a file for each day and deletes old ones.

    Web processes and workers write to one file: a line is one write at the file's end, and no process renames a file
    that another one holds.
    """

    def __init__(self, path: str, days: int) -> None:
        self._path, self._days, self._day = Path(path), days, ""
        super().__init__(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line; to stderr if the file cannot be opened."""
        day = time.strftime("%Y-%m-%d", time.gmtime(record.created))
        if day != self._day:
            self._begin(day)
        super().emit(record)

    def _begin(self, day: str) -> None:
        before, self._day = self.stream, day
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Line by line, so that each line is one write.
            self.stream = file_of(self._path, day).open("a", encoding="utf-8", buffering=1)
            kept = sorted(self._path.parent.glob(file_of(self._path, "????-??-??").name))
            for old in kept[: -self._days]:
                old.unlink(missing_ok=True)
        except OSError as error:
            self.stream = sys.stderr
            print(f"{socket.gethostname()}: {self._path} cannot be written: {error.strerror}", file=sys.stderr)
        if before not in (sys.stderr, self.stream):
            before.close()


def file_of(path: Path, day: str) -> Path:
    """The file of this day, such as `workbench-2026-11-27.log`."""
    return path.with_name(f"{path.stem}-{day}{path.suffix}")
