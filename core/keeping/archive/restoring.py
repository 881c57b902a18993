"""Verifies an archive, and restores it into an empty site, from which nothing goes out until an admin says so."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from ...engine.kept.keepers import check_sums
from ...languages import say
from ...refusals import Refusal
from ...schema.checking import difference, refuse_another_schema
from ...schema.expected import migration_files
from ..checks import wrong_rows
from ..folders import hold_all, known_folder, recover
from .database import damage, is_empty, load_database
from .encryption import decrypt, is_encrypted
from .making import files_of
from .parts import FILES, Manifest, Reader


@contextmanager
def opened(path: Path, identity: Path | None) -> Iterator[Reader]:
    """The archive, decrypted if need be. Raises Refusal if it cannot be read."""
    if not path.is_file():
        raise Refusal(f"There is no file {path}.")
    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix="archive-", suffix=".part") as work:
        plain = path
        if is_encrypted(path):
            plain = Path(work) / "archive.tar"
            decrypt(path, plain, identity)
        reader = Reader(plain)
        try:
            yield reader
        except OSError as error:
            # The disk is full, for instance. The archive may be as good as ever.
            raise Refusal(
                f"{path} could not be unpacked into {settings.VAR_DIR}: {error.strerror or error}. That says nothing "
                "about the archive. What was written so far stays."
            ) from error
        finally:
            reader.close()


def verify(path: Path, *, identity: Path | None = None) -> Manifest:
    """Read the whole archive and compare each part with its sum; returns its manifest. Raises Refusal if something is
    wrong.
    """
    with opened(path, identity) as reader:
        _refuse_damage(reader, path)
        return reader.manifest


def _refuse_damage(reader: Reader, path: Path) -> None:
    wrong = reader.wrong()
    if not wrong:
        with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix="archive-", suffix=".part") as work:
            copy = Path(work) / "database"
            reader.extract(reader.manifest.database, copy)
            if said := damage(copy, reader.manifest.vendor):
                wrong = [f"the database cannot be read: {said}"]
    if wrong:
        more = f" and {len(wrong) - 5:,} more" if len(wrong) > 5 else ""
        raise Refusal(f"{path} is damaged: {'; '.join(wrong[:5])}{more}. Use another backup.")


def check_restore(path: Path, *, identity: Path | None = None) -> Manifest:
    """Raise Refusal if the archive cannot be restored here; returns its manifest."""
    _refuse_a_used_site()
    with opened(path, identity) as reader:
        _refuse_unfitting(reader.manifest)
        _refuse_damage(reader, path)
        return reader.manifest


def restore(path: Path, *, identity: Path | None = None, tell: Callable[[str], object] = lambda _: None) -> list[str]:
    """Restore an archive into the empty site that the settings name; returns sentences about what was found.
    Everything that goes out is held afterwards. Raises Refusal; what was loaded before a late refusal stays, held.
    """
    _refuse_a_used_site()
    with opened(path, identity) as reader:
        manifest = reader.manifest
        _refuse_unfitting(manifest)
        tell("Verifying the archive")
        _refuse_damage(reader, path)
        tell("Loading the database")
        with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix="archive-", suffix=".part") as work:
            copy = Path(work) / "database"
            reader.extract(manifest.database, copy)
            load_database(copy)
        wrong = _wrong_rows(manifest)
        tell("Copying files")
        _extract_files(reader, manifest)
    said = []
    if difference():
        tell("Migrating")
        call_command("migrate", verbosity=0, interactive=False, no_copy=True)
        said.append("The archive was of an older version: its database was migrated.")
    refuse_another_schema()
    made_at = manifest.made_at[:16].replace("T", " ")
    hold_all(say("The site was restored from the backup of {made_at} UTC.", made_at=made_at))
    tell("Comparing sums and releases")
    wrong += [str(each) for each in check_sums()] + wrong_rows()
    if wrong:
        raise Refusal(f"The site was restored, but differs from the archive: {'; '.join(wrong[:5])}.")
    folder = known_folder()
    recover(folder)
    folder.refresh_from_db()
    return said + list(folder.recovered)


def _refuse_a_used_site() -> None:
    if not is_empty():
        raise Refusal(
            "The database is not empty, and a restore never overwrites one. Name an empty database in DATABASE_URL, "
            "or move the file of the old one away; leave the rest of VAR_DIR. Nothing was changed."
        )
    own = Path(settings.VAR_DIR)
    for used in files_of(own, own / "backups"):
        # Replies of the time before the loss are welcome: they land.
        if used.relative_to(own).parts[0] != "spool":
            raise Refusal(
                f"The folder {own} is in use: it has {used.relative_to(own)}. Move this away, but leave replies/, "
                "spool/, folder.json and secret_key. Nothing was changed."
            )


def _refuse_unfitting(manifest: Manifest) -> None:
    if manifest.vendor != connection.vendor:
        raise Refusal(
            f"The archive is of a database of {manifest.server}. Restore it on the same kind of database; "
            "`manage.py move` takes a site from SQLite to PostgreSQL. Nothing was changed."
        )
    known = migration_files()
    if unknown := [name for name in map(tuple, manifest.migrations) if name not in known]:
        raise Refusal(
            f"The archive is of a newer version of this program ({'.'.join(unknown[0])}): restore it with that one. "
            "Nothing was changed."
        )


def _wrong_rows(manifest: Manifest) -> list[str]:
    """Compare the number of rows of each table with the archive's."""
    wrong = []
    with connection.cursor() as cursor:
        for table, rows in manifest.rows.items():
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 # our tables
            if (found := cursor.fetchone()[0]) != rows:
                wrong.append(f"{table} has {found:,} rows instead of {rows:,}")
    return wrong


def _extract_files(reader: Reader, manifest: Manifest) -> None:
    """Write the files of the archive below VAR_DIR, beside the journal of calls that may still be there."""
    own = Path(settings.VAR_DIR).resolve()
    stamp = manifest.made_at[:19].replace(":", "")
    for name in manifest.parts:
        if not name.startswith(FILES):
            continue
        target = (own / name.removeprefix(FILES)).resolve()
        if not target.is_relative_to(own):
            raise Refusal(f"The archive has a file outside the folder of data: {name}.")
        if target.parent.name == "sent" and target.exists():
            target = target.with_name(f"{target.stem}.{stamp}.jsonl")
        if not target.exists():
            reader.extract(name, target)
