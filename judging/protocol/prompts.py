"""The prompt templates of WikiContradict (NeurIPS 2024), and their filling.

The texts are in protocol/prompts.json, character by character. Templates 1, 3, 4 and 5 filled with the released
instances give the released model inputs byte for byte; a test checks that.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .verdicts import Verdict

PROTOCOL: dict[str, Any] = json.loads((Path(__file__).parent / "prompts.json").read_text("utf-8"))
# Decoding of the paper's runs (its appendix D).
DECODING: dict[str, Any] = PROTOCOL["decoding"]
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
# The values that a template may use. Passages are the stand-alone versions if there are any.
PLACEHOLDERS = {"question", "passage1", "passage2", "passage1_resolved", "passage2_resolved"}
# Kinds of instances that a template can be used on.
ALL, DIFFERENT_PASSAGES, RESOLVED_PASSAGES = "all", "different passages", "resolved passages"


class MissingValue(ValueError):
    """Raised if a template uses a value that the instance lacks."""


@dataclass(frozen=True)
class Template:
    """A prompt template. `expects` gives the content of a good response: the correct answers, that there is a
    conflict, or that there is none.
    """

    id: str
    name: str
    source: str
    system: str
    text: str
    # For an instance whose two passages are the same; if empty, `text` is used.
    text_same_passage: str
    applies_to: str
    verdicts: tuple[Verdict, ...]
    expects: str
    correct_answers: tuple[str, ...]


def read_template(data: Mapping[str, Any]) -> Template:
    return Template(
        id=data["id"],
        name=data["name"],
        source=data["source"],
        system=data["system"],
        text=data["user"],
        text_same_passage=data.get("user_same_passage", ""),
        applies_to=data["applies_to"],
        verdicts=tuple(Verdict(value) for value in data["verdicts"]),
        expects=data["expects"],
        correct_answers=tuple(data["correct_answers"]),
    )


TEMPLATES: dict[str, Template] = {data["id"]: read_template(data) for data in PROTOCOL["templates"]}


def render(template_text: str, values: Mapping[str, str | None]) -> str:
    """`template_text` with each {name} replaced by its unchanged value: nothing is stripped or normalised.

    One pass: text inside a passage that looks like a placeholder stays text. Raises MissingValue if a name has no
    value.
    """

    def value_of(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if not value:
            raise MissingValue(f"The prompt uses {match[1]}, which has no value.")
        return value

    return PLACEHOLDER.sub(value_of, template_text)


def placeholders(template_text: str) -> set[str]:
    return set(PLACEHOLDER.findall(template_text))


def check_template_text(template_text: str) -> None:
    """Raises ValueError if the template could never be filled, or leaves the question out."""
    asked = placeholders(template_text)
    if unknown := asked - PLACEHOLDERS:
        known = ", ".join(f"{{{name}}}" for name in sorted(PLACEHOLDERS))
        raise ValueError(f"No instance has {', '.join(sorted(unknown))}. A prompt may contain {known}.")
    if "question" not in asked:
        raise ValueError("A prompt needs {question}: otherwise every question of an article gets the same message.")


def render_prompt(template: Template, values: Mapping[str, str | None], *, same_passage: bool = False) -> str:
    """The prompt for an instance; identical passages are given once, as in the released runs.

    For templates 5.3 and 5.4, `same_passage` says whether the two resolved passages are the same.
    """
    return render(
        template.text_same_passage if same_passage and template.text_same_passage else template.text, values
    )


def chat_messages(prompt: str, *, system: str = "", empty_system: bool = True) -> list[dict[str, str]]:
    """The messages of one turn. The paper's runs sent an empty system message; some models accept none at all."""
    messages = [{"role": "system", "content": system}] if system or empty_system else []
    return [*messages, {"role": "user", "content": prompt}]
