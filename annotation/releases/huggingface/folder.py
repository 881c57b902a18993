"""A release as a folder for the Hugging Face Hub: Parquet files, a card, and a description in Croissant."""

from pathlib import Path

from core.files.folders import checksum
from core.languages import say
from core.writing.progress import along

from ...models import Release
from ..datasheets.datasheet import tally_of
from ..files.formats import FolderFormat
from ..files.own_tables import ANNOTATIONS, INSTANCES
from ..files.tables import registered_tables
from .card import card, file_of
from .croissant import croissant
from .parquet import check_installed, write_parquet


def write_folder(release: Release, folder: Path) -> None:
    """Write the files; a table without rows has no file, except for the instances. Raises Refusal without pyarrow."""
    check_installed()
    written = []
    for table in (INSTANCES, ANNOTATIONS, *registered_tables()):
        total = table.count(release)
        if total or table is INSTANCES:
            path = folder / file_of(table)
            path.parent.mkdir()
            rows = along(table.name, table.rows(release), of=total)
            written.append((table, write_parquet(path, table.columns, rows)))
    tally = tally_of(release)
    (folder / "README.md").write_text(card(release, tally, written), encoding="utf-8")
    checksums = [(table, checksum(folder / file_of(table))) for table, _ in written]
    (folder / "croissant.json").write_text(croissant(release, tally, checksums), encoding="utf-8")


HUGGINGFACE = FolderFormat(
    say("for the Hugging Face Hub: Parquet files, a card with the datasheet, Croissant; needs pyarrow"), write_folder
)
