"""What the environment gives, made safe or refused in a sentence. No Django model and no setting is needed here."""

import ipaddress
import os
import secrets
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 50
FEWEST_CHARACTERS = 10
NEW_KEY = 'python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
LOOPBACK_NAMES = {"localhost", "127.0.0.1", "[::1]"}


def private_folder(path: Path) -> Path:
    """Make the folder, for this user only: the database in it holds drafts, judgments and hashes of passwords. One
    that was made before is closed to others, too, unless it is a folder that everybody shares, such as /tmp.

    Ends the program with a sentence where it cannot be written to: it is read before anything else could say so."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        is_writable = os.access(path, os.W_OK | os.X_OK)
    except OSError:
        is_writable = False
    if not is_writable:
        sys.exit(f"The folder {path} cannot be written to. Set VAR_DIR to another, or let this user write to it.")
    found = path.stat()
    if found.st_uid == os.geteuid() and found.st_mode & 0o077 and not found.st_mode & stat.S_ISVTX:
        path.chmod(found.st_mode & 0o700)
    return path


def local_secret_key(folder: Path) -> str:
    """The key of this machine, made once; sessions stay valid over restarts."""
    path = folder / "secret_key"
    if not path.exists():
        part = folder / f"secret_key.{os.getpid()}"
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        # Web server and worker start at the same time: the first one's key stays, and is never seen half written.
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return usable_secret_key(path.read_text(), str(path))


def usable_secret_key(key: str, source: str = "SECRET_KEY") -> str:
    """The key; raises ImproperlyConfigured for one that can be guessed: whoever knows it can sign in as anyone."""
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_CHARACTERS or key.startswith("django-insecure-"):
        raise ImproperlyConfigured(
            f"{source} is too easy to guess: it needs at least {SHORTEST_KEY} random characters. "
            f"Make one with: {NEW_KEY}"
        )
    return key


def networks(names: Iterable[str], setting: str) -> list[str]:
    """The names; raises ImproperlyConfigured where one is neither an address nor a network."""
    for name in names:
        try:
            ipaddress.ip_network(name, strict=False)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{setting} names “{name}”, which is neither an address such as 10.0.0.1 nor a network such as "
                "10.0.0.0/24."
            ) from error
    return list(names)
