"""The prompt templates of WikiContradict (NeurIPS 2024), and their filling.

The texts are in prompts.json, character by character. Templates 1, 3, 4 and 5 filled with the released instances give
the released model inputs byte for byte; a test checks that.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judging.protocol.prompts import Template, placeholders, render
from judging.protocol.verdicts import Verdict

PROTOCOL: dict[str, Any] = json.loads((Path(__file__).parent / "prompts.json").read_text("utf-8"))
# Decoding of the paper's runs (its appendix D).
DECODING: dict[str, Any] = PROTOCOL["decoding"]
# The instances that a template is asked about, and the content of a good response.
DIFFERENT_PASSAGES, RESOLVED_PASSAGES = "different passages", "resolved passages"
# The values that a template may use. Passages are the stand-alone versions if there are any.
PLACEHOLDERS = {"question", "passage1", "passage2", "passage1_resolved", "passage2_resolved"}


def read_template(data: Mapping[str, Any]) -> Template:
    return Template(
        id=data["id"],
        name=data["name"],
        source=data["source"],
        system=data["system"],
        text=data["user"],
        other_text=data.get("user_same_passage", ""),
        applies_to=data["applies_to"],
        verdicts=tuple(Verdict(value) for value in data["verdicts"]),
        expects=data["expects"],
        correct_answers=tuple(data["correct_answers"]),
    )


TEMPLATES: dict[str, Template] = {data["id"]: read_template(data) for data in PROTOCOL["templates"]}


def check_template_text(template_text: str) -> None:
    """Raises ValueError if the template could never be filled, or leaves the question out."""
    asked = placeholders(template_text)
    if unknown := asked - PLACEHOLDERS:
        known = ", ".join(f"{{{name}}}" for name in sorted(PLACEHOLDERS))
        raise ValueError(f"No instance has {', '.join(sorted(unknown))}. A prompt may contain {known}.")
    if "question" not in asked:
        raise ValueError("A prompt needs {question}: otherwise every question of an article gets the same message.")


def text_of(template: Template, *, same_passage: bool) -> str:
    """The text of a template for an instance with one passage, or with two."""
    return template.other_text if same_passage and template.other_text else template.text


def render_prompt(template: Template, values: Mapping[str, str | None], *, same_passage: bool = False) -> str:
    """The prompt for an instance; identical passages are given once, as in the released runs.

    For templates 5.3 and 5.4, `same_passage` says whether the two resolved passages are the same.
    """
    return render(text_of(template, same_passage=same_passage), values)
