# SPDX-License-Identifier: GPL-3.0-or-later
"""ConflictBank as multiple-choice tasks for lm-evaluation-harness: the log-probabilities of the four labels decide.

Written by WikiContradict Workbench. See README.md beside this file.
"""

import sys
from pathlib import Path
from typing import Any

import datasets

FOLDER = Path(__file__).resolve().parent
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))

from asked import LETTERS, choice_of, questions  # noqa: E402


def load(template: str, **_given: Any) -> dict[str, datasets.Dataset]:
    """The questions of the template with this code."""
    return {"test": datasets.Dataset.from_list(list(questions(FOLDER, template)))}


def doc_to_text(doc: dict[str, Any]) -> str:
    """The prompt as it is: text in evidence that looks like a template stays text."""
    return doc["prompt"]


def doc_to_choice(doc: dict[str, Any]) -> list[str]:
    return [f" {letter}" for letter in LETTERS]


def doc_to_target(doc: dict[str, Any]) -> int:
    return LETTERS.index(doc["correct_option"])


def process_results(doc: dict[str, Any], results: list[Any]) -> dict[str, Any]:
    """The choice of the most probable label; two at the top are unreadable, and in no share."""
    values = [float(value[0] if isinstance(value, (tuple, list)) else value) for value in results]
    top = [number for number, value in enumerate(values) if value == max(values)]
    choice = choice_of(doc, LETTERS[top[0]]) if len(top) == 1 else "unreadable"
    return dict.fromkeys(("OAR", "CAR", "M_R", "unreadable"), choice)


def original(choices: list[str]) -> float:
    return share(choices, "default")


def counter(choices: list[str]) -> float:
    return share(choices, "replaced")


def unreadable(choices: list[str]) -> float:
    return choices.count("unreadable") / len(choices) if choices else 0.0


def memorisation(choices: list[str]) -> float:
    """OAR / (OAR + CAR) from counts; nan where both are 0."""
    original, counter = choices.count("default"), choices.count("replaced")
    return original / (original + counter) if original + counter else float("nan")


def share(choices: list[str], wanted: str) -> float:
    read = [choice for choice in choices if choice != "unreadable"]
    return read.count(wanted) / len(read) if read else float("nan")
