"""Prompt templates, and their filling: those of benchmarks come with their tasks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .verdicts import Verdict

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
# The instances that a template is asked about, and the content of a good response, unless its task has other kinds.
ALL, ANSWERS = "all", "answers"


class MissingValue(ValueError):
    """Raised if a template uses a value that the instance lacks."""


@dataclass(frozen=True)
class Template:
    """A prompt template. `applies_to` gives the instances that it is asked about, `expects` the content of a good
    response, both by the codes of its task.
    """

    id: str
    name: str
    source: str
    system: str
    text: str
    # In place of `text` for some instances, as its task says; if empty, `text` is used for all.
    other_text: str
    applies_to: str
    verdicts: tuple[Verdict, ...]
    expects: str
    correct_answers: tuple[str, ...]


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


def chat_messages(prompt: str, *, system: str = "", empty_system: bool = True) -> list[dict[str, str]]:
    """The messages of one turn. Published runs sent an empty system message; some models accept none at all."""
    messages = [{"role": "system", "content": system}] if system or empty_system else []
    return [*messages, {"role": "user", "content": prompt}]
