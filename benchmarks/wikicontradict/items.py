"""Checks the content of an instance of WikiContradict, and lists its fields for files and programs.

The content itself is `annotation.content.instances.Conflict`: releases are made of these.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation import taxonomy
from annotation.content.checks import is_empty
from annotation.content.instances import INSTANCE_FIELDS
from core.languages import say

CODE = "wikicontradict"
# The fields of an instance in the API beside its question.
FIELDS = ("passage_1", "passage_2", "answer_1", "answer_2", "same_passage", "reasoning_type")
LISTS = {"semantic_types": taxonomy.SEMANTIC_TYPE, "modalities": taxonomy.MODALITY}
CODES = {"origin": taxonomy.ORIGIN, "reasoning_type": taxonomy.REASONING_TYPE}
TEXTS = tuple(name for name in INSTANCE_FIELDS if name not in {"same_passage", *LISTS})


def problems(content: Mapping[str, object]) -> list[str]:
    """The problems of a content, as sentences; none if it can be released."""
    if set(content) != set(INSTANCE_FIELDS):
        differing = ", ".join(sorted(ascii(name) for name in set(content) ^ set(INSTANCE_FIELDS)))
        return [
            say("It must have exactly the fields of an instance, but differs in {differing}.", differing=differing)
        ]
    return [*_wrong_values(content)] or [*_unknown_codes(content)]


def _wrong_values(content: Mapping[str, Any]) -> Iterator[str]:
    for name in TEXTS:
        if not isinstance(content[name], str):
            yield say("{name} is not text.", name=name)
    if not isinstance(content["same_passage"], bool):
        yield say("same_passage is neither true nor false.")
    for name in LISTS:
        if not isinstance(content[name], list) or not all(isinstance(each, str) for each in content[name]):
            yield say("{name} is not a list of texts.", name=name)
    if isinstance(content["question"], str) and is_empty(content["question"]):
        yield say("question is empty.")


def _unknown_codes(content: Mapping[str, Any]) -> Iterator[str]:
    chosen = {name: content[name] for name in LISTS} | {name: [content[name]] for name in CODES if content[name]}
    for name, dimension in (LISTS | CODES).items():
        known = {option.code for option in dimension.options}
        for code in chosen.get(name, []):
            if code not in known:
                yield say(
                    "{name} has “{code}”, which is not an option of {dimension}.",
                    name=name,
                    code=code[:20],
                    dimension=dimension.name,
                )


def fields(content: Mapping[str, object]) -> dict[str, object]:
    return {name: content[name] for name in FIELDS}
