"""An `annotationResult` of the paper's record as Label Studio's list of results, and back.

Values in, values out. A result is `{"from_name", "to_name", "type", "value"}`, where `value` has one key that depends
on the type. What the form cannot show (empty texts, hints, unknown keys) travels beside it: see `beyond_the_form`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.files.problems import ShapeError
from core.files.records import digest_of
from core.languages import say

from .. import taxonomy
from ..content.fields import FIELDS, Content
from ..content.paper_record import TAXONOMY, is_hint
from ..content.parts import VALIDITY
from .config import CHOICES, OBJECT, PATHS, RATING, TEXT, control_names, control_of

Result = dict[str, Any]
Item = dict[str, Any]

NAMES = frozenset(control_names())
FLAT = tuple(dimension.key for dimension in taxonomy.DIMENSIONS)
# The form has ten questions, and the paper's file may have more.
_QUESTION = re.compile(r"question\d+(_answer\d+)?")
_STARS = range(1, int(FIELDS["confidence"].choices[-1]) + 1)


def is_control(name: str) -> bool:
    """Return whether the paper's form has, or could have, a control of this name."""
    return name in NAMES or _QUESTION.fullmatch(name) is not None


def items_of(result: Mapping[str, Any]) -> list[Item]:
    """The results that represent this `annotationResult` in the form."""
    return [
        {"id": name, "from_name": name, "to_name": OBJECT, "type": control_of(name), "value": value}
        for name, value in _values(result)
    ]


def _values(result: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in result.items():
        if not value or not is_control(name) or is_hint(name, value):
            continue
        kind = control_of(name)
        if kind == PATHS:
            yield name, {PATHS: [path for path in value if path]}
        elif kind == RATING:
            if str(value).isdecimal() and int(value) in _STARS:
                yield name, {RATING: int(value)}
        elif kind == CHOICES:
            if value in FIELDS[name].choices:
                yield name, {CHOICES: [value]}
        else:
            yield name, {"text": [value]}


def result_of(items: Iterable[Any]) -> tuple[Result, list[Item]]:
    """These results as an `annotationResult`, in any order, and those that belong to no field.

    Raises ShapeError if a result is not an object with a name, or if a field has an invalid value.
    """
    result: Result = {}
    aside: list[Item] = []
    for item in items:
        if not isinstance(item, dict):
            raise ShapeError("result", say("must be a list of objects"))
        name, value = item.get("from_name"), item.get("value")
        if not isinstance(name, str) or not is_control(name) or not isinstance(value, dict):
            aside.append(item)
            continue
        _add(result, name, value)
    if TAXONOMY in result:
        # A later one replaces an earlier one: the flat fields keep the last option.
        result |= {path[0]: path[-1] for path in result[TAXONOMY] if len(path) > 1 and path[0] in FLAT}
    return result, aside


def _add(result: Result, name: str, value: dict[str, Any]) -> None:
    """Add one result to those of the same name."""
    kind = control_of(name)
    if kind == PATHS:
        result[name] = result.get(name, []) + _paths(name, value.get(PATHS))
    elif kind == TEXT:
        texts = [text for text in [result.get(name, ""), *_texts(name, value.get("text"))] if text]
        if texts:
            result[name] = "\n".join(texts)
    elif kind == RATING:
        result[name] = _stars(name, value.get(RATING))
    else:
        choices = _texts(name, value.get(CHOICES))
        if len(choices) > 1 or (choices and result.get(name, choices[0]) != choices[0]):
            raise ShapeError(name, say("holds more than one choice"))
        if choices:
            result[name] = choices[0]


def _texts(name: str, value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ShapeError(name, say("must be a list of texts"))
    return texts


def _paths(name: str, value: Any) -> list[list[str]]:
    is_paths = isinstance(value, list) and all(isinstance(path, list) and path for path in value)
    if not is_paths or not all(isinstance(step, str) for path in value for step in path):
        raise ShapeError(name, say("must be a list of lists of texts, as in [[dimension, option]]"))
    return value


def _stars(name: str, value: Any) -> str:
    if isinstance(value, bool) or value not in _STARS:
        raise ShapeError(name, say("must be a whole number from 1 to {stars}", stars=_STARS[-1]))
    return str(int(value))


def beyond(whole: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """The values in `whole` that differ from `shown`, and None for keys that it lacks."""
    more = {key: value for key, value in whole.items() if key not in shown or shown[key] != value}
    return more | {key: None for key in shown if key not in whole}


def with_beyond(result: Result, more: Mapping[str, Any]) -> Result:
    """The whole from which `result` was shown: the inverse of `beyond`."""
    lacked = {key for key in result if key in more and more[key] is None}
    return {key: value for key, value in {**result, **more}.items() if key not in lacked}


def said(content: Content) -> bytes:
    """A digest of an annotation's content. Excludes what no file has: that origin and titles were checked, and, of an
    invalid tag, everything after step 1, such as the articles that the desk fills in.
    """
    if content[VALIDITY] == "Invalid":
        return digest_of(str(content[name]) for name in (VALIDITY, "valid_comment"))
    return digest_of(str(content[name]) for name in FIELDS if name != "origin_confirmed")
