"""An item of ConflictBank as released: its 26 fields, their validation, and the reading of their variants. Plain
values in, plain values out.

The content of an instance is the unchanged released record. The doubled word in `misinformation_conflict_evidence_`
`evidence`, the styles "book" and "new", "form" for "from" and `\\/` for a slash stay as they are.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.files.problems import ShapeError, check_storable
from core.languages import say

from .content.names import plain_name
from .content.spans import span_problem

CODE = "conflictbank"

DEFAULT, MISINFORMATION, TEMPORAL, SEMANTIC = "default", "misinformation", "temporal", "semantic"
CAUSES = (MISINFORMATION, TEMPORAL, SEMANTIC)
KINDS = (DEFAULT, *CAUSES)
# The styles of evidence, as the files name them, and in words.
STYLES = {"wikipedia": "Wikipedia", "book": "book", "new": "news"}
# The names of the kinds in files of claims with their evidence.
CATEGORIES = {DEFAULT: "default", **{cause: f"{cause}_conflict" for cause in CAUSES}}

LETTERS = ("A", "B", "C", "D")
UNCERTAIN = "uncertain"
RELATION, SUBJECT, OBJECT, REPLACED = "relation", "subject", "object", "replaced_object"
QUESTION, OPTIONS, SPAN = "question", "options", "temporal_conflict_time_span"
CORRECT_OPTION, REPLACE_OPTION, UNCERTAIN_OPTION = "correct_option", "replace_option", "uncertain_option"
DESCRIPTION, SEMANTIC_DESCRIPTION = "subject_description", "semantic_description"
CLAIM = {kind: f"{category}_claim" for kind, category in CATEGORIES.items()}
STYLE = {kind: f"{category}_evidence_category" for kind, category in CATEGORIES.items()}
EVIDENCE = {
    DEFAULT: "default_evidence",
    MISINFORMATION: "misinformation_conflict_evidence_evidence",
    TEMPORAL: "temporal_conflict_evidence",
    SEMANTIC: "semantic_conflict_evidence",
}
# The fields in the order of the released file.
FIELDS = (
    RELATION,
    SUBJECT,
    DESCRIPTION,
    SEMANTIC_DESCRIPTION,
    OBJECT,
    "object_description",
    REPLACED,
    "replaced_description",
    *(CLAIM[DEFAULT], STYLE[DEFAULT], EVIDENCE[DEFAULT]),
    *(CLAIM[MISINFORMATION], STYLE[MISINFORMATION], EVIDENCE[MISINFORMATION]),
    *(SPAN, CLAIM[TEMPORAL], STYLE[TEMPORAL], EVIDENCE[TEMPORAL]),
    *(CLAIM[SEMANTIC], STYLE[SEMANTIC], EVIDENCE[SEMANTIC]),
    QUESTION,
    OPTIONS,
    CORRECT_OPTION,
    REPLACE_OPTION,
    UNCERTAIN_OPTION,
)

# The fields that identify an item, apart from its texts.
IDENTITY = (RELATION, SUBJECT, OBJECT, REPLACED)

# No label of Wikidata is longer than 250 characters, and no template of a claim or question than 300.
LONGEST_NAME, LONGEST_LINE, LONGEST_TEXT = 400, 2_000, 100_000
# The maximum length of names in lists.
LONGEST_GROUP = 200

Content = Mapping[str, Any]
Check = Callable[[Any], str]


# --- Problems of a record -------------------------------------------------------------------------------------------


def _text(longest: int, *, is_line: bool = False, may_be_empty: bool = False) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            return say("is not text")
        if not value.strip() and not may_be_empty:
            return say("is empty")
        if len(value) > longest:
            return say("has {length:,} characters; the most are {longest:,}", length=len(value), longest=longest)
        return say("has a line break") if is_line and len(value.splitlines()) > 1 else ""

    return check


def _letter(value: Any) -> str:
    return (
        ""
        if isinstance(value, str) and value in LETTERS
        else say("is not one of {options}", options=", ".join(LETTERS))
    )


def _letter_or_none(value: Any) -> str:
    """The uncertain option: none in items whose four options are all objects."""
    return "" if value == "" else _letter(value)


def _style(value: Any) -> str:
    return (
        ""
        if isinstance(value, str) and value in STYLES
        else say("is not one of {options}", options=", ".join(STYLES))
    )


def _options(value: Any) -> str:
    if not isinstance(value, list) or len(value) != len(LETTERS):
        return say("is not a list of {letters} options", letters=len(LETTERS))
    wrong = next(filter(None, map(_name, value)), "")
    if wrong:
        return say("has an option that {wrong}", wrong=wrong)
    seen: set[str] = set()
    for each in map(plain_name, value):
        if each in seen:
            return say("has an option twice: {each}", each=ascii(each)[:80])
        seen.add(each)
    return ""


_name = _text(LONGEST_NAME, is_line=True)
_line = _text(LONGEST_LINE, is_line=True)
_description = _text(LONGEST_LINE, may_be_empty=True)
CHECKS: dict[str, Check] = {
    **dict.fromkeys((RELATION, SUBJECT, OBJECT, REPLACED), _name),
    **dict.fromkeys((DESCRIPTION, SEMANTIC_DESCRIPTION, "object_description", "replaced_description"), _description),
    **dict.fromkeys((*CLAIM.values(), QUESTION), _line),
    **dict.fromkeys(STYLE.values(), _style),
    **dict.fromkeys(EVIDENCE.values(), _text(LONGEST_TEXT)),
    SPAN: span_problem,
    OPTIONS: _options,
    CORRECT_OPTION: _letter,
    REPLACE_OPTION: _letter,
    UNCERTAIN_OPTION: _letter_or_none,
}


def problems(record: Any) -> list[str]:
    """The problems of a record, each in words that name the field; none if it is a valid item."""
    if not isinstance(record, dict):
        return [say("it is not an object")]
    try:
        check_storable(record)
    except ShapeError as error:
        return [str(error)]
    missing = [say("the field “{name}” is missing", name=name) for name in FIELDS if name not in record]
    found = [*missing, *(problem for name, value in record.items() if (problem := _field_problem(name, value)))]
    return found or list(filter(None, (_option_problem(record), *_name_problems(record))))


def _field_problem(name: str, value: Any) -> str:
    if name not in CHECKS:
        return say("there is no field {name} in ConflictBank", name=ascii(name)[:80])
    problem = CHECKS[name](value)
    return say("the field “{field}” {problem}", field=name, problem=problem) if problem else ""


def _option_problem(record: Content) -> str:
    """The problem of the letters: each must name a different option that fits it."""
    letters = [record[name] for name in (CORRECT_OPTION, REPLACE_OPTION, UNCERTAIN_OPTION) if record[name]]
    if len(set(letters)) < len(letters):
        return say("two of the correct, the replaced and the uncertain option have the same letter")
    for letter, named, wanted in (
        (CORRECT_OPTION, OBJECT, record[OBJECT]),
        (REPLACE_OPTION, REPLACED, record[REPLACED]),
        (UNCERTAIN_OPTION, UNCERTAIN, UNCERTAIN),
    ):
        if record[letter] and plain_name(option(record, record[letter])) != plain_name(wanted):
            return say("the option of the field “{letter}” is not the “{named}”", letter=letter, named=named)
    if not record[UNCERTAIN_OPTION] and UNCERTAIN in map(plain_name, record[OPTIONS]):
        return say("an option is “uncertain”, and the field “uncertain_option” does not name it")
    return ""


def _name_problems(record: Content) -> list[str]:
    subject = plain_name(record[SUBJECT])
    return [
        f"the field “{name}” is the subject" for name in (OBJECT, REPLACED) if plain_name(record[name]) == subject
    ]


# --- Reading a record -----------------------------------------------------------------------------------------------


def option(content: Content, letter: str) -> str:
    """The text of the option with this letter."""
    return content[OPTIONS][LETTERS.index(letter)]


def is_four_objects(content: Content) -> bool:
    """Return whether all four options are objects, as in the published code; otherwise one is “uncertain”."""
    return not content[UNCERTAIN_OPTION]


def evidence(content: Content, kind: str) -> str:
    """The evidence for the default claim or for the claim of a cause."""
    return content[EVIDENCE[kind]]


def claim(content: Content, kind: str) -> str:
    return content[CLAIM[kind]]


def style(content: Content, kind: str) -> str:
    """The style of an evidence, as the file names it."""
    return content[STYLE[kind]]


def identity(content: Content) -> str:
    """The fact of an item and its replaced object, in one text: records with other texts about these are the same
    item."""
    return identified([content[name] for name in IDENTITY])


def identified(names: Sequence[str]) -> str:
    """The same from the values of the fields in `IDENTITY`."""
    return json.dumps(list(names))


def record_of(content: Content) -> dict[str, Any]:
    """The released record, its fields in the order of the released file."""
    return {name: content[name] for name in FIELDS}
