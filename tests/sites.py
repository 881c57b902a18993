"""Sites of a test's own: processes with a folder and a database that no other test has."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
from django.db import connection
from psycopg import sql

from .structure import ROOT


@contextmanager
def empty_site(folder: Path, *, vendor: str = "") -> Iterator[dict[str, str]]:
    """The environment of a site in this folder whose database is empty: a file in it, or one of the PostgreSQL server
    that the tests run on.
    """
    environment = dict(os.environ) | {"VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment.pop("DATABASE_URL", None)
    if (vendor or connection.vendor) == "sqlite":
        yield environment
        return
    with empty_postgresql() as address:
        yield environment | {"DATABASE_URL": address}


@contextmanager
def empty_postgresql() -> Iterator[str]:
    """The address of an empty database on the PostgreSQL server that the tests run on."""
    server_address, name = os.environ["DATABASE_URL"], f"site_{uuid4().hex[:12]}"
    with closing(psycopg.connect(server_address, autocommit=True)) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield urlunsplit(urlsplit(server_address)._replace(path=f"/{name}"))
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def ended(site: Mapping[str, str], *command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A Python program of the site, once it has ended: `"manage.py", "migrate"` or `"-m", "celery"`."""
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=site, capture_output=True, text=True, timeout=300, check=False
    )


def done(site: Mapping[str, str], *command: str) -> str:
    """The output of a Python program of the site, which has to succeed."""
    result = ended(site, *command)
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout
