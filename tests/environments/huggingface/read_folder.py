"""Reads a folder as its users do, in the environment beside this file, and prints what it found as JSON.

    python read_folder.py FOLDER

`datasets`: the configurations in the order of the card, with all rows. `croissant`: what the validator has to say,
and the rows that it reads by the description.
"""

import json
import logging
import sys
from pathlib import Path

import datasets
import mlcroissant


def by_datasets(folder: str) -> dict:
    names = datasets.get_dataset_config_names(folder)
    first = datasets.load_dataset(folder, split="test")
    assert first.config_name == names[0], "the default configuration is not the first"
    return {name: list(datasets.load_dataset(folder, name, split="test")) for name in names}


def by_croissant(folder: str) -> tuple[list[str], dict]:
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger().addHandler(handler)
    described = mlcroissant.Dataset(jsonld=str(Path(folder) / "croissant.json"))
    said += [*described.metadata.issues.errors, *described.metadata.issues.warnings]
    rows = {each.id: list(described.records(each.id)) for each in described.metadata.record_sets}
    return said, rows


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if hasattr(value, "tolist") else str(value)


def main() -> None:
    folder = sys.argv[1]
    said, rows = by_croissant(folder)
    print(json.dumps({"datasets": by_datasets(folder), "said": said, "croissant": rows}, default=plain))


if __name__ == "__main__":
    main()
