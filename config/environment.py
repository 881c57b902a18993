"""Reads the environment variables and refuses bad ones in a sentence. Needs no Django model and no setting.

Settings are read before anything else, so a bad variable ends every program.
"""

import ipaddress
import logging
import math
import os
import secrets
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

import environ
from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 50
FEWEST_CHARACTERS = 10
NEW_KEY = 'python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
YES, NO = {"true", "yes", "on", "y", "1"}, {"false", "no", "off", "n", "0"}
DATABASES = {"django.db.backends.postgresql", "django.db.backends.sqlite3"}
BROKERS = ("files://", "redis://", "rediss://", "memory://", "amqp://", "amqps://")
LOOPBACK_NAMES = {"localhost", "127.0.0.1", "[::1]"}


class BadSetting(SystemExit):
    """A setting that cannot be used. Ends the program with the sentence and no traceback."""


class Environment(environ.Env):
    """The environment's variables. Those that are empty count as unset; one that cannot be read is a BadSetting."""

    def text(self, name: str, default: str) -> str:
        return str(self(name, default="")).strip() or default

    def switch(self, name: str, *, default: bool) -> bool:
        written = self.text(name, "").lower()
        if not written:
            return default
        if written not in YES | NO:
            raise BadSetting(f"{name} is “{written}”. Set it to true or false.")
        return written in YES

    def number(self, name: str, *, default: int, least: int = 0, most: int = 2**31 - 1) -> int:
        written = self.text(name, str(default))
        try:
            number = int(written)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise BadSetting(f"{name} is “{written}”. Set it to a whole number from {least:,} to {most:,}.")
        return number

    def seconds(self, name: str, *, default: float) -> float:
        written = self.text(name, str(default))
        try:
            number = float(written)
        except ValueError:
            number = 0.0
        if not (number > 0 and math.isfinite(number)):
            raise BadSetting(f"{name} is “{written}”. Set it to a number of seconds above 0.")
        return number

    def one_of(self, name: str, default: str, choices: Iterable[str], *, such_as: str) -> str:
        written = self.text(name, default)
        if written not in set(choices):
            raise BadSetting(f"{name} is “{written}”, which is not known. Set it to one such as {such_as}.")
        return written

    def database(self, name: str, default: str) -> dict[str, Any]:
        """Django's settings for the database at this address: PostgreSQL, or a file of SQLite."""
        # The address holds a password, so the message repeats none of it.
        try:
            with warnings.catch_warnings(action="ignore"):  # the message says enough
                database = dict(self.db_url_config(self.text(name, default)))
        except (ValueError, KeyError, ImproperlyConfigured):
            database = {}
        if database.get("ENGINE") not in DATABASES or not database.get("NAME"):
            raise BadSetting(f"{name} cannot be read. Write it as postgres://user:password@host:5432/name.")
        return database

    def mail(self, name: str, default: str) -> dict[str, Any]:
        """Django's settings for the mail server at this address."""
        try:
            return dict(self.email_url_config(self.text(name, default)))
        except (ValueError, KeyError, ImproperlyConfigured):
            raise BadSetting(
                f"{name} cannot be read. Write it as smtp+tls://user:password@mail.example.org:587."
            ) from None

    def broker(self, name: str, default: str) -> str:
        url = self.text(name, default)
        if not url.startswith(BROKERS):
            raise BadSetting(f"{name} cannot be read. Write it as redis://host:6379/0, or leave it out.")
        return url

    def log_level(self, name: str) -> str:
        levels = logging.getLevelNamesMapping()
        return self.one_of(name, "INFO", levels, such_as="INFO, WARNING or ERROR")

    def time_zone(self, name: str) -> str:
        return self.one_of(name, "UTC", available_timezones(), such_as="UTC or Europe/Berlin")


def private_folder(path: Path) -> Path:
    """Make the folder, for this user only: the database in it holds drafts, judgments and password hashes. An
    existing folder is closed to others too, unless everybody shares it, as with /tmp.

    Raises BadSetting if the folder cannot be written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        is_writable = os.access(path, os.W_OK | os.X_OK)
    except OSError:
        is_writable = False
    if not is_writable:
        raise BadSetting(
            f"The folder {path} cannot be written to. Set VAR_DIR to another, or let this user write to it."
        )
    found = path.stat()
    if found.st_uid == os.geteuid() and found.st_mode & 0o077 and not found.st_mode & stat.S_ISVTX:
        path.chmod(found.st_mode & 0o700)
    return path


def local_secret_key(folder: Path) -> str:
    """This machine's secret key, made once, so that sessions survive a restart."""
    path = folder / "secret_key"
    if not path.exists():
        part = folder / f"secret_key.{os.getpid()}"
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        # Web server and worker start at the same time. The first one's key stays, and nobody reads half of it.
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return usable_secret_key(path.read_text(), str(path))


def usable_secret_key(key: str, source: str = "SECRET_KEY") -> str:
    """The key. Raises BadSetting if it can be guessed, since anyone who knows it can sign in as anyone."""
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_CHARACTERS or key.startswith("django-insecure-"):
        raise BadSetting(
            f"{source} is too easy to guess: it needs at least {SHORTEST_KEY} random characters. "
            f"Make one with: {NEW_KEY}"
        )
    return key


def networks(names: Iterable[str], setting: str) -> list[str]:
    """The names. Raises BadSetting if one is neither an address nor a network."""
    for name in names:
        try:
            ipaddress.ip_network(name, strict=False)
        except ValueError as error:
            raise BadSetting(
                f"{setting} names “{name}”, which is neither an address such as 10.0.0.1 nor a network such as "
                "10.0.0.0/24."
            ) from error
    return list(names)
