"""A document of ContraDoc as released: its fields, their validation, and the reading of their variants. Plain values
in, plain values out.

The content of an instance is the unchanged released record, and `label`, its side of the file. Scopes that are lists,
"global, intra", "Other" and missing ref sentences stay as they are; the functions here read them.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from core.files.problems import ShapeError, check_storable
from core.languages import say

CODE = "contradoc"
POSITIVE, NEGATIVE = "pos", "neg"
LABELS = (POSITIVE, NEGATIVE)
# The name of each side in words, as tables and pages have it.
SIDES = {POSITIVE: "positive", NEGATIVE: "negative"}

DOC_TYPES = ("news", "wiki", "story")
PLUGS = ("Insert", "Replace")
# From the closest to the farthest.
SCOPES = ("intra", "local", "global")
TYPES = (
    "Negation",
    "Numeric",
    "Content",
    "Perspective/View/Opinion",
    "Emotion/Mood/Feeling",
    "Factual",
    "Relation",
    "Causal",
)
OTHER_TYPE = "Other"
EMOTION = "Emotion/Mood/Feeling"

LABEL, TEXT, EVIDENCE, ID, KIND = "label", "text", "evidence", "unique id", "doc_type"
PLUG, TYPE, SCOPE, REFS = "contra_plug", "contra_type", "scope", "ref sentences"
OF_BOTH = (TEXT, ID, KIND)
OF_POSITIVES = (EVIDENCE, PLUG, TYPE, SCOPE)

# The length of a document's beginning in lists and search.
BEGINNING = 300
_GROUP = re.compile(r"([0-9]+)_[^_]*")

Content = Mapping[str, Any]
Check = Callable[[Any], str]


# --- Problems of a record -------------------------------------------------------------------------------------------


def _is_text(value: Any) -> str:
    if not isinstance(value, str):
        return say("is not text")
    return "" if value.strip() else say("is empty")


def _one_of(*allowed: str) -> Check:
    def check(value: Any) -> str:
        return (
            ""
            if isinstance(value, str) and value in allowed
            else say("is not one of {options}", options=", ".join(allowed))
        )

    return check


def _scope(value: Any) -> str:
    """One scope; a list of scopes, or several separated by commas, as in a few released records."""
    named = scopes_in(value)
    return _known_once(say("scope"), named, SCOPES) if named else say("names no scope")


def _types(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return say("is not a list of types")
    return _known_once(say("type"), value, (*TYPES, OTHER_TYPE))


def _known_once(what: str, named: Sequence[Any], known: Collection[str]) -> str:
    unknown = [ascii(each) for each in named if each not in known]
    if unknown:
        return say("has an unknown {what}: {options}", what=what, options=", ".join(unknown[:3])[:80])
    return say("names a {what} twice", what=what) if len(set(named)) < len(named) else ""


def _sentences(value: Any) -> str:
    if not isinstance(value, list):
        return say("is not a list of sentences")
    wrong = [problem for problem in map(_is_text, value) if problem]
    return say("has a sentence that {wrong}", wrong=wrong[0]) if wrong else ""


CHECKS: dict[str, Check] = {
    TEXT: _is_text,
    ID: _is_text,
    KIND: _one_of(*DOC_TYPES),
    EVIDENCE: _is_text,
    PLUG: _one_of(*PLUGS),
    TYPE: _types,
    SCOPE: _scope,
    REFS: _sentences,
}


def problems(content: Content) -> list[str]:
    """The problems of an instance's content, each in words that name the field; none if it is valid."""
    label = content.get(LABEL)
    if label not in LABELS:
        return [
            say(
                "the field “{field}” {problem}",
                field=LABEL,
                problem=say("is not one of {options}", options=", ".join(LABELS)),
            )
        ]
    return record_problems({name: value for name, value in content.items() if name != LABEL}, label)


def record_problems(record: Any, label: str) -> list[str]:
    """The problems of a released record on this side of the file."""
    if not isinstance(record, dict):
        return [say("it is not an object")]
    try:
        check_storable(record)
    except ShapeError as error:
        return [str(error)]
    is_positive = label == POSITIVE
    needed = (*OF_BOTH, *(OF_POSITIVES if is_positive else ()))
    return [
        *(say("the field “{name}” is missing", name=name) for name in needed if name not in record),
        *(problem for name, value in record.items() if (problem := _field_problem(name, value, is_positive))),
    ]


def _field_problem(name: str, value: Any, is_positive: bool) -> str:
    if name not in CHECKS:
        return say("there is no field {name} in ContraDoc", name=ascii(name)[:80])
    if not is_positive and name not in OF_BOTH:
        return say("the field “{name}” is in a negative document, which has no contradiction", name=name)
    problem = CHECKS[name](value)
    return say("the field “{field}” {problem}", field=name, problem=problem) if problem else ""


# --- How a record is read -------------------------------------------------------------------------------------------


def scopes_in(value: Any) -> list[str]:
    """The scopes that the field names, as text, as a list or separated by commas; none for anything else."""
    members = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in members):
        return []
    return [part.strip() for each in members for part in each.split(",")]


def is_positive(content: Content) -> bool:
    return content[LABEL] == POSITIVE


def scopes_of(content: Content) -> list[str]:
    """The scopes of a document: one, or two if the release kept both; none for a negative one."""
    return scopes_in(content[SCOPE]) if SCOPE in content else []


def scope_words(content: Content) -> str:
    """The scopes as one text, as in the tables: "local", or "global, intra"."""
    return ", ".join(scopes_of(content))


def types_of(content: Content) -> list[str]:
    return list(content.get(TYPE, ()))


def refs_of(content: Content) -> list[str]:
    """The ref sentences; none if the field is missing."""
    return list(content.get(REFS, ()))


def group_of(unique_id: str) -> str:
    """The source of a document: the number before the underscore, otherwise the whole id."""
    match = _GROUP.fullmatch(unique_id)
    return match[1] if match else unique_id


def beginning(text: str) -> str:
    """The beginning of a document on one line, as lists show it."""
    line = _in_one_line(text[: 4 * BEGINNING])
    return line if len(line) <= BEGINNING else f"{line[:BEGINNING].rsplit(' ', 1)[0]} …"


def words_in(text: str) -> int:
    """The words of a text, separated by white space."""
    return len(text.split())


def not_in_text(content: Content) -> list[str]:
    """The fields with a sentence that is not in the text, white space aside: evidence, ref sentences."""
    text = _in_one_line(content[TEXT])
    quoted = {EVIDENCE: [content[EVIDENCE]] if EVIDENCE in content else [], REFS: refs_of(content)}
    return [name for name, found in quoted.items() if any(_in_one_line(each) not in text for each in found)]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
