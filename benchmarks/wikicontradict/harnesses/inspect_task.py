"""A release as a task for Inspect (https://inspect.aisi.org.uk)."""

from pathlib import Path

from annotation.models import Release

from .writing import WRITTEN, copy_code, write_readme, write_task


def write_inspect(release: Release, folder: Path) -> None:
    """Put the task into an empty folder: `inspect eval FOLDER/wikicontradict.py` runs it."""
    write_task(release, folder)
    copy_code(WRITTEN / "inspect" / "wikicontradict.py", folder / "wikicontradict.py")
    write_readme(folder, release, "inspect/README.md")
