"""Copy this site's SQLite database into an empty PostgreSQL database, with everything in it.

Stop web server and worker first. The old database stays as it is, but nothing goes out from it any longer. Then name
the new one in DATABASE_URL and start the site; VAR_DIR stays.

manage.py move postgres://workbench:PASSWORD@localhost:5432/workbench
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import connection

from config.reading.environment import BadSetting, Environment

from ...files.commands import Exit, RuleCommand, add_dry_run
from ...keeping.moving import copy_rows, tables_at
from ...refusals import Refusal
from ...words import plural

RELEASES = "import django; django.setup(); from core.keeping.checks import wrong_rows; print('; '.join(wrong_rows()))"


class Command(RuleCommand):
    help = __doc__
    interrupted = "The old database is unchanged. Empty the new one before you try again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", metavar="URL", help="the new database, as in DATABASE_URL")
        add_dry_run(parser, "say whether the database can be moved there, and change nothing")

    def handle(self, *, address: str, dry_run: bool, **options) -> None:
        login = login_of(address)
        if dry_run:
            self.stdout.write("The database can be moved there. Nothing was changed.")
            return
        self.stdout.write("Making the tables ...")
        self.run_there(address, "manage.py", "migrate", "--verbosity", "0")
        copied = copy_rows(Path(connection.settings_dict["NAME"]), login, self.stdout.write)
        self.stdout.write("Comparing sums and releases ...")
        self.run_there(address, "manage.py", "check_sums")
        if wrong := self.run_there(address, "-c", RELEASES).strip():
            raise CommandError(f"The rows were copied, but differ: {wrong}. Go on with the old database.")
        rows = plural(sum(copied.values()), "row")
        self.stdout.write(
            f"Everything was copied: {rows} in {len(copied):,} tables; sums and releases are right. Set DATABASE_URL "
            "to the new database, for web server and worker, and start the site."
        )

    def run_there(self, address: str, *command: str) -> str:
        """Run a program of this site on the new database. Raises CommandError if it fails."""
        site = os.environ | {"DATABASE_URL": address, "DATABASE_URL_FILE": ""}
        site["DJANGO_SETTINGS_MODULE"] = "config.settings"
        done = subprocess.run(
            [sys.executable, *command], cwd=settings.BASE_DIR, env=site, capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())[-500:]
            raise CommandError(f"{command[0]} failed on the new database: {said}", returncode=Exit.REFUSED)
        return done.stdout


def login_of(address: str) -> dict[str, Any]:
    """The login for an address as in DATABASE_URL, in the words of psycopg, which reads passwords in addresses in
    another way. Raises Refusal if the database cannot be moved there.
    """
    if connection.vendor != "sqlite":
        raise Refusal("This site's database is not SQLite, so it cannot be moved. Nothing was changed.")
    name = "DATABASE_URL_OF_THE_MOVE"
    try:
        os.environ[name] = address
        environment = Environment()
        found = environment.database(name, "", password=environment.text("DATABASE_PASSWORD"))
    except BadSetting:
        found = {"ENGINE": ""}
    finally:
        del os.environ[name]
    if not found["ENGINE"].endswith("postgresql"):
        raise Refusal("Write the new database as postgres://user:password@host:5432/name. Nothing was changed.")
    words = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    login = {word: found[key] for word, key in words.items() if found.get(key)} | found.get("OPTIONS", {})
    if number := tables_at(login):
        raise Refusal(f"The new database is not empty: it has {plural(number, 'table')}. Nothing was changed.")
    return login
