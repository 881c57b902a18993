"""Read a backup, and compare each part with the sum that it was written with.

With --rehearse, it is restored as a trial, into a folder and a database of its own that are deleted afterwards. Rows,
sums and releases are compared as in a real restore, and nothing is sent.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from ...files.commands import Exit, RuleCommand
from ...health.signs import give_sign
from ...keeping.archive.parts import Manifest
from ...keeping.archive.restoring import verify
from ...models import SignKind


class Command(RuleCommand):
    help = __doc__
    needs_fitting_database = False  # an archive can be verified anywhere

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the archive")
        parser.add_argument("--identity", type=Path, metavar="FILE", help="the file with age's key")
        parser.add_argument("--rehearse", action="store_true", help="restore it as a trial")
        parser.add_argument(
            "--database",
            default="",
            metavar="URL",
            help="for the rehearsal of a backup of PostgreSQL: an empty database, which is left full",
        )

    def handle(self, *, file: Path, identity: Path | None, rehearse: bool, database: str, **options) -> None:
        manifest = verify(file, identity=identity)
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"{file} is whole: {len(manifest.parts):,} parts, {rows:,} rows in {len(manifest.rows):,} tables, "
            f"{manifest.server}, made {manifest.made_at[:16].replace('T', ' ')} UTC."
        )
        if rehearse:
            self.rehearse(file.resolve(), identity, database, manifest)

    def rehearse(self, file: Path, identity: Path | None, database: str, manifest: Manifest) -> None:
        if manifest.vendor == "postgresql" and not database:
            raise CommandError("Name an empty database for the rehearsal by --database.", returncode=Exit.WRONG_USAGE)
        with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix="rehearsal-", suffix=".part") as work:
            address = database or f"sqlite:///{work}/rehearsal.sqlite3"
            site = os.environ | {"VAR_DIR": work, "DATABASE_URL": address, "DATABASE_URL_FILE": ""}
            site["SECRET_KEY"] = settings.SECRET_KEY
            command = [sys.executable, sys.argv[0], "restore", str(file)]
            command += ["--identity", str(identity.resolve())] if identity else []
            done = subprocess.run(command, env=site, capture_output=True, text=True, check=False)
        if done.returncode:
            said = " ".join(done.stderr.split())[-500:]
            give_sign(SignKind.REHEARSAL, error=said)
            raise CommandError(f"The rehearsal failed: {said}")
        give_sign(SignKind.REHEARSAL, file=file.name)
        self.stdout.write("The rehearsal succeeded: rows, sums and releases are those of the backup.")
