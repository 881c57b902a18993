# SPDX-License-Identifier: GPL-3.0-or-later
"""The questions of this folder: items.jsonl filled into the prompts of templates.json. Needs nothing but Python."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LETTERS = ["A", "B", "C", "D"]
PLACEHOLDER = re.compile(r"\{(\w+)\}")
CHOICES = {"correct_option": "default", "replace_option": "replaced", "uncertain_option": "uncertain"}


def read_release(folder: Path) -> dict[str, Any]:
    """The release: its number, name and content hash."""
    return json.loads((folder / "release.json").read_text("utf-8"))


def templates(folder: Path) -> dict[str, dict[str, Any]]:
    """The templates by their codes: condition, order and text."""
    return {each["code"]: each for each in json.loads((folder / "templates.json").read_text("utf-8"))}


def questions(folder: Path, template: str) -> Iterator[dict[str, Any]]:
    """The questions of a template in the order of the release, each with the letters of its options, and with what
    names it when the log is imported.
    """
    asked, release = templates(folder)[template], read_release(folder)
    with (folder / "items.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            order = item["orders"].get(asked["cause"], "") if asked["order"] == "drawn" else asked["order"]
            number = item["item"] + 1
            yield {
                "sample": f"r{release['number']}-q{number}-t{template}-v{asked['version']}",
                "release": release["number"],
                "content_hash": release["content_hash"],
                "question_ID": number,
                "template": template,
                "template_version": asked["version"],
                "item": item["item"],
                "condition": asked["condition"],
                "order": order,
                "prompt": filled(asked["text"], item["values"]),
                **{name: item[name] for name in CHOICES},
            }


def filled(text: str, values: dict[str, str]) -> str:
    """The text with these values; what looks like a placeholder in a value stays."""
    return PLACEHOLDER.sub(lambda name: values[name[1]], text)


def choice_of(question: dict[str, Any], letter: str) -> str:
    """The choice of an answer that names the option with this letter."""
    return next((choice for name, choice in CHOICES.items() if question[name] == letter), "other")
