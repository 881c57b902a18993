"""Reads the environment variables and refuses bad ones in a sentence. Needs no Django model and no setting.

Settings are read before anything else, so a bad variable ends every program.
"""

import ipaddress
import logging
import math
import os
import re
import secrets
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import environ
from django.core.exceptions import ImproperlyConfigured

from config.reading.addresses import is_host, is_origin, is_variable, with_password, with_quoted_password

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
    """The environment's variables. Those that are empty count as unset; one that cannot be read is a BadSetting.
    Each can also be in a file that `NAME_FILE` names, as secrets of containers are.
    """

    def text(self, name: str, default: str = "") -> str:
        # Without django-environ, to which a value that begins with $ names another variable.
        self.read_file(name)
        return os.environ.get(name, "").strip() or default

    def read_file(self, name: str) -> None:
        """Set the variable from the file that `NAME_FILE` names, if it does."""
        path = os.environ.get(f"{name}_FILE", "").strip()
        if not path:
            return
        try:
            written = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise BadSetting(f"{name}_FILE names {path}, which cannot be read.") from None
        if os.environ.get(name, written).strip() not in ("", written):
            raise BadSetting(f"{name} and {name}_FILE are both set, and differ. Set only one of them.")
        os.environ[name] = written

    def names(self, name: str, default: Iterable[str] = ()) -> list[str]:
        """The parts of a list separated by commas."""
        return [part for part in map(str.strip, self.text(name).split(",")) if part] or list(default)

    def hosts(self, name: str, default: Iterable[str] = ()) -> list[str]:
        """A list of hosts: `host`, `host:port`, `.example.org` or `*`."""
        found = self.names(name, default)
        for host in found:
            if not is_host(host):
                raise BadSetting(f"{name} has “{host}”. Write hosts without https:// and path, such as example.org.")
        return found

    def origins(self, name: str) -> list[str]:
        """A list of origins, such as https://workbench.example.org."""
        found = self.names(name)
        for origin in found:
            if not is_origin(origin.replace("://*.", "://")):
                raise BadSetting(f"{name} has “{origin}”. Write it with its scheme: https://workbench.example.org.")
        return [origin.rstrip("/") for origin in found]

    def origin(self, name: str) -> str:
        """One origin; empty if it is not set."""
        written = self.text(name)
        if written and not is_origin(written):
            raise BadSetting(f"{name} is “{written}”. Write it as https://workbench.example.org, without a path.")
        return written.rstrip("/")

    def variables(self, name: str) -> list[str]:
        """Names of environment variables; those that `..._FILE` names are set from their files."""
        found = self.names(name)
        for variable in found:
            if not is_variable(variable):
                # The part is not repeated: it may be a key that was written here by mistake.
                raise BadSetting(f"{name} lists names of environment variables, such as OPENAI_API_KEY, not keys.")
            self.read_file(variable)
        return found

    def key_hosts(self, name: str, known: list[str]) -> dict[str, list[str]]:
        """The hosts to which each key may be sent, of entries `VARIABLE@host`."""
        found: dict[str, list[str]] = {}
        for entry in self.names(name):
            variable, at, host = entry.partition("@")
            if variable not in known or not at or not is_host(host):
                raise BadSetting(
                    f"{name} lists variables of LLM_KEY_NAMES with hosts, such as OPENAI_API_KEY@api.openai.com."
                )
            found.setdefault(variable, []).append(host.lower())
        return found

    def address(self, name: str, default: str) -> str:
        """An email address, perhaps with a name before it."""
        written = self.text(name, default)
        if not re.fullmatch(r"[^@\r\n]+@[^@\s]+", written):
            raise BadSetting(f"{name} is “{written}”, which is not an email address.")
        return written

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

    def number_or_never(self, name: str, *, default: int, least: int) -> int:
        """A whole number of at least `least`, or 0 for what never happens."""
        if self.text(name, str(default)) == "0":
            return 0
        return self.number(name, default=default, least=least)

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

    def database(self, name: str, default: str, *, password: str = "") -> dict[str, Any]:
        """Django's settings for the database at this address: PostgreSQL, or a file of SQLite. `password` counts if
        the address has none.
        """
        # The address holds a password, so the message repeats none of it.
        try:
            with warnings.catch_warnings(action="ignore"):  # the message says enough
                url = self.text(name, default)
                url = with_password(url, password) if re.match(r"postgres\w*://[^/]", url) else url
                database = dict(self.db_url_config(with_quoted_password(url)))
        except (ValueError, KeyError, ImproperlyConfigured):
            database = {}
        if database.get("ENGINE") not in DATABASES or not database.get("NAME"):
            raise BadSetting(
                f"{name} cannot be read. Write it as postgres://user:password@host:5432/name, or leave the password "
                "out and set DATABASE_PASSWORD."
            )
        return database

    def mail(self, name: str, default: str) -> dict[str, Any]:
        """Django's settings for the mail server at this address."""
        try:
            return dict(self.email_url_config(with_quoted_password(self.text(name, default))))
        except (ValueError, KeyError, ImproperlyConfigured):
            raise BadSetting(
                f"{name} cannot be read. Write it as smtp+tls://user:password@mail.example.org:587."
            ) from None

    def broker(self, name: str, default: str, *, password: str = "") -> str:
        url = self.text(name, default)
        if not url.startswith(BROKERS):
            raise BadSetting(f"{name} cannot be read. Write it as redis://host:6379/0, or leave it out.")
        url = self.with_redis_password(name, url, password)
        if os.environ.get(name):
            os.environ[name] = url  # Celery reads this variable itself, before any setting
        return url

    def cache(self, name: str, default: str, *, password: str = "") -> str:
        url = self.text(name, default)
        if not url.startswith(("redis://", "rediss://")):
            raise BadSetting(f"{name} cannot be read. Write it as redis://host:6379/1, or leave it out.")
        return url if url == default else self.with_redis_password(name, url, password)

    def with_redis_password(self, name: str, url: str, password: str) -> str:
        """The address with this password if it is Redis's and has none."""
        if not url.startswith(("redis://", "rediss://")):
            return url
        try:
            url = with_quoted_password(with_password(url, password))
            has_host = bool(urlsplit(url).hostname) and urlsplit(url).port != 0
        except ValueError:
            has_host = False
        if not has_host:
            raise BadSetting(f"{name} cannot be read. Write it as redis://:password@host:6379/0.")
        return url

    def syslog(self, name: str) -> str:
        """The address of a syslog; empty if it is not set."""
        url = self.text(name)
        try:
            found = urlsplit(url)
            is_host = bool(found.hostname) and found.port != 0 and found.path in ("", "/")
        except ValueError:
            found, is_host = urlsplit(""), False
        if url and not ((found.scheme in ("udp", "tcp") and is_host) or re.fullmatch("unix:///.+", url)):
            raise BadSetting(f"{name} cannot be read. Write it as udp://host:514, tcp://host:514 or unix:///dev/log.")
        return url

    def currency(self, name: str, default: str) -> str:
        """The sign or code of a currency."""
        written = self.text(name, default)
        if not re.fullmatch(r"[^\W\d_]{0,4}[^\w\s.,;\"'<>&()-]?", written) or not written:
            raise BadSetting(
                f"{name} is “{written}”. Set it to the sign or code of a currency, such as US$, € or EUR."
            )
        return written

    def log_level(self, name: str) -> str:
        levels = logging.getLevelNamesMapping()
        return self.one_of(name, "INFO", levels, such_as="INFO, WARNING or ERROR")

    def existing(self, name: str) -> Path | None:
        """The file or folder with this path; None if the variable is unset."""
        written = self.text(name, "")
        if written and not Path(written).exists():
            raise BadSetting(f"{name} is “{written}”, where there is no file or folder.")
        return Path(written) if written else None

    def inside(self, name: str, folder: Path) -> Path | None:
        """The file with this path inside the folder; None if the variable is unset."""
        written = self.text(name)
        path = (folder / written).resolve()
        if written and (folder.resolve() not in path.parents or not path.suffix):
            raise BadSetting(f"{name} is “{written}”. Name a file inside {folder}, such as logs/workbench.log.")
        return path if written else None

    def recipient(self, name: str) -> str:
        """A recipient of age; empty if it is not set."""
        written = self.text(name)
        if written and not re.fullmatch("age1[a-z0-9]+", written):
            # Not repeated: it may be the secret half.
            raise BadSetting(f"{name} is no recipient of age, which begins with age1. `age-keygen` makes one.")
        return written

    def token(self, name: str) -> str:
        """A secret that programs send; empty if it is not set."""
        written = self.text(name)
        if written and not re.fullmatch(r"[!-~]{20,}", written):
            raise BadSetting(f"{name} needs at least 20 random characters, without spaces. Make one with: {NEW_KEY}")
        return written

    def sentry(self, name: str) -> str:
        """The address of a project of Sentry; empty if it is not set."""
        written = self.text(name)
        if written and not re.fullmatch(r"https?://[^@/\s]+@[^@\s]+/\d+", written):
            raise BadSetting(f"{name} cannot be read. Write it as https://key@sentry.example.org/1.")
        return written

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
