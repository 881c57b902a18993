"""The folders of the stored databases of released versions, and the checksums of the migrations that made them."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
SQLITE, POSTGRESQL = "workbench.sqlite3.gz", "postgresql.sql.gz"


def stored_folder(version: str) -> Path:
    return FOLDER / version


def stored_versions() -> list[str]:
    """The versions with a stored database, such as ["0.2"]."""
    return sorted(path.parent.name for path in FOLDER.glob("*/migrations.json"))


def migration_sums() -> dict[str, str]:
    """The SHA-256 of each migration of the project, by its path."""
    found = [path for part in ("*", "*/*") for path in sorted(ROOT.glob(f"{part}/migrations/0*.py"))]
    return {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
