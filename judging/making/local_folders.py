"""Models in folders that the settings name, as they are chosen and named: no library is loaded for that, and nothing
is ever fetched.
"""

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from core.languages import say
from core.refusals import Refusal

# The name by which a local model is chosen, and with which components of this machine begin.
LOCAL = "local"
NLI, SENTENCE_ENCODER = "nli", "sentence_encoder"
ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
NLI_LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)
NAME_LENGTH, VERSION_LENGTH = 60, 12


def local_folder(measure: str) -> Path | None:
    """The folder in the settings for a measure; None without one."""
    named = settings.LOCAL_MODELS.get(measure, "")
    return Path(named) if named else None


def check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise Refusal(
            say("There is no folder {folder} on this machine. Name another in the settings.", folder=folder)
        )


def go_offline() -> None:
    """Keep the libraries of local models from fetching anything."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        os.environ[name] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


# --- Versions -------------------------------------------------------------------------------------------------------


def named_version(folder: Path) -> str:
    """The name of a folder with the version of its files, as components have it. Raises Refusal if it is missing."""
    return f"{folder.name[:NAME_LENGTH]}, SHA-256 {folder_version(folder)}"


def folder_version(folder: Path) -> str:
    """The beginning of a SHA-256 over the names and contents of a folder's files, without hidden ones. Raises Refusal
    if it is missing or cannot be read.
    """
    check_folder(folder)
    try:
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path, folder))
        stamp = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
        return _version(folder, stamp)
    except OSError as error:
        raise Refusal(
            say("The folder {folder} cannot be read: {strerror}.", folder=folder, strerror=error.strerror)
        ) from None


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


@lru_cache(maxsize=8)
def _version(folder: Path, stamp: tuple[tuple[str, int, int], ...]) -> str:
    """The version of a folder with files of these sizes and times: a model has gigabytes, which are read once."""
    found = hashlib.sha256()
    for name, _, _ in stamp:
        with Path(name).open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        found.update(json.dumps([str(Path(name).relative_to(folder)), content]).encode())
    return found.hexdigest()[:VERSION_LENGTH]


# --- Labels ---------------------------------------------------------------------------------------------------------


def nli_labels(folder: Path) -> dict[str, int]:
    """The position of each label in the scores of an NLI model, as its own configuration says. Raises Refusal if that
    does not name exactly entailment, neutral and contradiction.
    """
    check_folder(folder)
    try:
        config = json.loads((folder / "config.json").read_text())
        named = {int(number): str(label).strip().lower() for number, label in config["id2label"].items()}
        if "label2id" in config:
            _check_inverse(named, config["label2id"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise Refusal(_no_labels(folder, "no readable labels")) from None
    if sorted(named) != [0, 1, 2] or sorted(named.values()) != sorted(NLI_LABELS):
        raise Refusal(_no_labels(folder, ", ".join(f"{number}: {label}" for number, label in sorted(named.items()))))
    return {label: number for number, label in named.items()}


def _check_inverse(named: dict[int, str], inverse: dict[str, Any]) -> None:
    """Raises ValueError if the two directions of a configuration's labels do not agree."""
    if {int(number): str(label).strip().lower() for label, number in inverse.items()} != named:
        raise ValueError


def _no_labels(folder: Path, there: str) -> str:
    return (
        f"The model in {folder} cannot be used: id2label in its config.json has to name the labels entailment, "
        f"neutral and contradiction, and has {there[:200]}. Which score means what is never guessed."
    )
