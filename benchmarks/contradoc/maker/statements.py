"""Reads the statements that a model wrote about a document, and finds their original sentences in it.

The prompts ask for JSON, and the released program read Python. Models wrap either in fences and prose, and spell the
keys in several ways, as the prompts themselves do. Unreadable parts are reported; nothing is guessed.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from core.outside import storable

from ..content.matching import nearest
from .generation import INSERT
from .values import Found, Method, ReadReply, ReadStatement

# Increased whenever some reply would be read differently.
READER = "contradoc-statements/1"
MOST_CHARACTERS = 200_000
# The prompts ask for at most ten.
MOST_STATEMENTS = 50
LONGEST_SENTENCE = 2_000

FENCED = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
LIST = re.compile(r"\[\s*[\[{]")
TRAILING_COMMA = re.compile(r",(\s*[\]}])")
NOT_LETTERS = re.compile("[^a-z]")
LENIENT_JSON = json.JSONDecoder(strict=False)
# The spellings of the keys, as the prompts, the released program and models have them.
KEYS = {
    "originalsentence": "original",
    "original": "original",
    "sentence": "original",
    "statement": "statement",
    "selectstatement": "statement",
    "selectedstatement": "statement",
    "originalstatement": "statement",
    "contradiction": "contradiction",
    "contradictedstatement": "contradiction",
    "contradictorystatement": "contradiction",
    "contradictionstatement": "contradiction",
    "rewritedsentence": "rewording",
    "rewrittensentence": "rewording",
    "modifiedsentence": "rewording",
    "rewording": "rewording",
    "rephrasedcontradiction": "rewording",
    "rewordedcontradiction": "rewording",
    "rephrasedcontradictorystatement": "rewording",
}
# Characters that models exchange for one another.
ALIKE = ("'’‘ʼ`", '"“”„«»', "-‐‑–—")
WORD = re.compile(r"\w+")


# --- The reply ------------------------------------------------------------------------------------------------------


def read_statements(reply: str, method: Method) -> ReadReply:
    """The statements in a reply, refused ones included, or why it cannot be read."""
    if not reply.strip():
        return ReadReply(problem="The reply is empty.")
    if len(reply) > MOST_CHARACTERS:
        return ReadReply(problem=f"The reply is longer than {MOST_CHARACTERS:,} characters.")
    value = value_in(reply)
    if value is None:
        return ReadReply(problem="The reply holds no list in JSON that can be read.")
    found = list(objects_in(value))
    if not found:
        return ReadReply(problem="The reply holds no statement under the keys that were asked for.")
    if len(found) > MOST_STATEMENTS:
        return ReadReply(problem=f"The reply holds {len(found):,} statements, and {method.asks_for} were asked for.")
    return ReadReply(tuple(read_one(each, method) for each in found))


def value_in(reply: str) -> Any:
    """The JSON or the Python literal in a reply; None without one."""
    sources = [*FENCED.findall(reply)[:5], reply]
    for text in [*sources, *(TRAILING_COMMA.sub(r"\1", source) for source in sources)]:
        for read in (read_json, read_list, read_objects, read_literal):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
                continue
            if isinstance(value, list | dict):
                return value
    return None


def read_json(text: str) -> Any:
    return LENIENT_JSON.decode(text.strip())


def read_list(text: str) -> Any:
    """The list that begins somewhere in the text, with prose around it."""
    begun = LIST.search(text)
    if begun is None:
        raise ValueError
    return LENIENT_JSON.raw_decode(text, begun.start())[0]


def read_objects(text: str) -> Any:
    """The objects in the text, one after another without a list around them."""
    found: list[Any] = []
    at = text.find("{")
    while at >= 0 and len(found) <= MOST_STATEMENTS:
        value, end = LENIENT_JSON.raw_decode(text, at)
        found.append(value)
        at = text.find("{", end)
    if not found:
        raise ValueError
    return found


def read_literal(text: str) -> Any:
    """A list as Python writes it, with single quotes."""
    begun = LIST.search(text)
    if begun is None:
        raise ValueError
    return ast.literal_eval(text[begun.start() : text.rindex("]") + 1])


def objects_in(value: object) -> Iterator[dict[str, str]]:
    """The objects with one of the requested keys, in lists and objects around them."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, list):
            left += reversed(each)
        elif isinstance(each, dict):
            fields = fields_of(each)
            if fields:
                yield fields
            else:
                left += reversed(list(each.values()))


def fields_of(value: dict[Any, Any]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for key, text in value.items():
        name = KEYS.get(NOT_LETTERS.sub("", str(key).lower()))
        if name and isinstance(text, str):
            fields.setdefault(name, storable(text).strip())
    return fields


def read_one(fields: dict[str, str], method: Method) -> ReadStatement:
    original = fields.get("original", "")
    if method.operation == INSERT:
        original = original or fields.get("statement", "")
    contradiction, rewording = (" ".join(fields.get(name, "").split()) for name in ("contradiction", "rewording"))
    return ReadStatement(
        original=original,
        statement=fields.get("statement", ""),
        contradiction=contradiction,
        rewording=rewording,
        problem=problem_of(original, [contradiction, rewording]),
    )


def problem_of(original: str, new: list[str]) -> str:
    if not original:
        return "It names no original sentence."
    if not any(new):
        return "It has neither a contradiction nor a rewording."
    if max(map(len, [original, *new])) > LONGEST_SENTENCE:
        return f"A sentence of it is longer than {LONGEST_SENTENCE:,} characters."
    if all(same_words(each, original) for each in new if each):
        return "Its contradiction is the original sentence."
    return ""


def same_words(one: str, other: str) -> bool:
    return WORD.findall(one.casefold()) == WORD.findall(other.casefold())


# --- The document ---------------------------------------------------------------------------------------------------


def locate(text: str, original: str) -> Found:
    """The position of the original sentence in a text: word for word, regardless of white space, case, and the forms
    of quotation marks and dashes. Otherwise the nearest sentence.
    """
    for wanted in (original, original.strip("\"'“”‘’ ")):
        if wanted.strip() and (match := pattern_of(wanted).search(text)):
            return Found(match.start(), match.end())
    near = nearest(original, text)
    return Found(near_start=near.start, near_end=near.end) if near else Found()


def pattern_of(sentence: str) -> re.Pattern[str]:
    words = r"\s+".join("".join(map(character, word)) for word in sentence.split())
    first, last = sentence.strip()[0], sentence.strip()[-1]
    before = r"(?<!\w)" if first.isalnum() else ""
    after = r"(?!\w)" if last.isalnum() else ""
    return re.compile(f"{before}{words}{after}", re.IGNORECASE)


def character(one: str) -> str:
    alike = next((group for group in ALIKE if one in group), "")
    return f"[{re.escape(alike)}]" if alike else re.escape(one)


def words_of(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))
