"""A fact: a subject and a relation, four possible objects, and which of them is right."""

from collections.abc import Mapping
from typing import Any

from annotation.kinds.registry import Benchmark
from annotation.models import Listed

CODE = "facts"
LETTERS = "ABCD"
TEXTS = ("id", "subject", "relation", "right")


def problems(content: Mapping[str, Any]) -> list[str]:
    missing = [f"the field “{name}” is not a text" for name in TEXTS if not isinstance(content.get(name), str)]
    if missing:
        return missing
    options = content.get("options")
    if not isinstance(options, list) or len(options) != len(LETTERS) or len(set(options)) != len(options):
        return ["the field “options” is not a list of four different texts"]
    return [] if content["right"] in options else ["the field “right” is none of the options"]


def question(content: Mapping[str, Any]) -> str:
    return f"{content['subject']}: {content['relation']}?"


FACTS = Benchmark(
    code=CODE,
    name="Facts",
    identifier="id",
    listed=lambda content: Listed(question(content), content["subject"], content["relation"]),
    problems=problems,
    statistics=lambda release: [("Facts", release.instances.count())],
)
