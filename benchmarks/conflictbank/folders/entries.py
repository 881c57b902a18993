"""The folders in which a release of ConflictBank can be written, entered when the app starts. Their modules are
imported on use.
"""

from pathlib import Path

from annotation.models import Release
from annotation.releases.files import formats


def _huggingface(release: Release, folder: Path) -> None:
    from .huggingface import write_huggingface

    write_huggingface(release, folder)


def _lm_eval(release: Release, folder: Path) -> None:
    from .harnesses import write_lm_eval

    write_lm_eval(release, folder)


def _inspect(release: Release, folder: Path) -> None:
    from .harnesses import write_inspect

    write_inspect(release, folder)


FOLDERS = {
    "huggingface": formats.FolderFormat(
        "a folder for the Hugging Face Hub: JSON Lines, card, Croissant", _huggingface
    ),
    "lm-eval": formats.FolderFormat("multiple-choice tasks for lm-evaluation-harness", _lm_eval),
    "inspect": formats.FolderFormat("a task for Inspect, scored by log-probabilities", _inspect),
}
