"""Makes an archive of the site while people work."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from config.logs import file_of

from ...files.writing import sync_folder
from ...refusals import Refusal
from .database import PART, copy_database
from .encryption import SUFFIX, check_can_encrypt, encrypt
from .parts import FILES, Manifest, Writer

BEGINNING, ENDING = "workbench-", ".tar"
UNFINISHED = ".making-"
UNFINISHED_SECONDS = 24 * 3600  # no backup takes a day
# Files of VAR_DIR that are made anew, belong to this machine alone, or are secret.
LEFT_OUT_FOLDERS = {"messages", "alive", "replies", "metrics"}
LEFT_OUT = ("secret_key", "folder.json", "recovery.lock", "triggers.json", "celerybeat-schedule", "before-upgrade.")
LEFT_OUT_ENDINGS = (".part", ".restoring", ".lock")  # of files and folders


def make_backup(folder: Path, *, encrypt_to: str = "") -> Path:
    """Write an archive of the whole site into `folder` and return its path. Raises Refusal if that is not possible;
    then there is no file.

    Replies that arrive meanwhile are in the spool before they are in the database. So files are copied before and
    after the database, together with the replies that have landed since the beginning.
    """
    if encrypt_to:
        check_can_encrypt(encrypt_to)
    began, now = time.time(), timezone.now()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = free_name(folder, now)
        remove_unfinished(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix=UNFINISHED) as work:
            made = Path(work) / target.name
            _write(made, Path(work), began=began, now=now, left_out=folder)
            if encrypt_to:
                target = target.with_name(target.name + SUFFIX)
                encrypt(made, Path(work) / target.name, encrypt_to)
                made = Path(work) / target.name
            os.chmod(made, 0o600)
            with made.open("rb") as file:
                os.fsync(file.fileno())
            made.replace(target)
        sync_folder(folder)
    except OSError as error:
        raise Refusal(f"No backup was made in {folder}: {error.strerror or error}.") from error
    except sqlite3.Error as error:  # such as a full disk
        raise Refusal(f"No backup was made in {folder}: {error}.") from error
    return target


def free_name(folder: Path, now: datetime) -> Path:
    """The path of a new archive. A second that has one, as of a clock that stands still, is left to it."""
    while any(folder.glob(f"{BEGINNING}{now:%Y%m%dT%H%M%SZ}{ENDING}*")):
        now += timedelta(seconds=1)
    return folder / f"{BEGINNING}{now:%Y%m%dT%H%M%SZ}{ENDING}"


def remove_unfinished(folder: Path) -> None:
    """Delete what backups that were killed have left in a folder: it may be as large as an archive."""
    for path in folder.glob(f"{UNFINISHED}*"):
        if time.time() - path.stat().st_mtime > UNFINISHED_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def _write(target: Path, work: Path, *, began: float, now: datetime, left_out: Path) -> None:
    copy, own = work / PART[connection.vendor], Path(settings.VAR_DIR)
    manifest = Manifest(now.isoformat(), program_version(), connection.vendor, "", [], {}, [])
    with target.open("wb") as file:
        writer = Writer(file, manifest)
        add_files(writer, own, files_of(own, left_out))
        facts = copy_database(copy)
        writer.add(copy.name, copy)
        copy.unlink()
        manifest.server, manifest.migrations, manifest.rows, manifest.folders = facts
        add_files(writer, own, files_of(own, left_out))
        add_files(writer, own, recent_replies(own, since=began - 1))
        writer.end()


def program_version() -> str:
    try:
        return version("wikicontradict-workbench")
    except PackageNotFoundError:  # it is run from its folder
        return ""


def add_files(writer: Writer, own: Path, paths: Iterator[Path]) -> None:
    """Add those files that are not in the archive yet. A file may be gone again by now."""
    for path in paths:
        name = f"{FILES}{path.relative_to(own).as_posix()}"
        if name not in writer.manifest.parts:
            try:
                writer.add(name, path)
            except FileNotFoundError:
                continue


def files_of(own: Path, left_out: Path) -> Iterator[Path]:
    """The files below VAR_DIR that belong into an archive. The log and figures of web processes do not."""
    database = Path(connection.settings_dict["NAME"]).name if connection.vendor == "sqlite" else "workbench.sqlite3"
    for folder, names, files in os.walk(own):
        here = Path(folder)
        names[:] = [
            name
            for name in names
            if (here != own or name not in LEFT_OUT_FOLDERS)
            and not name.endswith(LEFT_OUT_ENDINGS)
            and (here / name) != left_out
        ]
        for name in sorted(files):
            is_ours = here == own and name.startswith((*LEFT_OUT, database))
            is_archive = name.startswith(BEGINNING) and ENDING in name
            if not (is_ours or is_archive or name.endswith(LEFT_OUT_ENDINGS) or is_log_file(here / name)):
                yield here / name


def is_log_file(path: Path) -> bool:
    """Return whether this is the log of a day (LOG_FILE)."""
    log = settings.LOG_FILE
    return log is not None and path.parent == log.parent and path.match(file_of(log, "????-??-??").name)


def recent_replies(own: Path, *, since: float) -> Iterator[Path]:
    """The journal of sent calls, and the replies that have landed since the backup began."""
    yield from sorted((own / "replies" / "sent").glob("*.jsonl"))
    for path in sorted((own / "replies").glob("????-??-??/*")):
        try:
            # A reply keeps its time when it lands: the change of its name tells when that was.
            if path.stat().st_ctime >= since:
                yield path
        except FileNotFoundError:
            continue
