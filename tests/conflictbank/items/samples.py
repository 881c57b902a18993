"""The invented items of ConflictBank, their answers, and the figures expected of them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[4] / "shared" / "data"))
ITEMS = FOLDER / "conflictbank_invented.jsonl"
ANSWERS = FOLDER / "conflictbank_invented_answers.jsonl"
EXPECTED = FOLDER / "conflictbank_invented_expected.json"
needs_samples = pytest.mark.skipif(not ITEMS.exists(), reason=f"there is no {ITEMS}")


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
