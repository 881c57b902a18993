"""The published record of a tag (WikiContradict, NeurIPS 2024, appendix E) and our form's content, converted both
ways.

Values in, values out: no rows. Three functions carry the whole mapping: `content_of_result` reads a record's
`annotationResult`, `result_of_content` writes one, and `merged_result` writes one for a record that was imported, so
that whatever was not changed here is exported exactly as it came, however odd.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from core.files.problems import ShapeError, check_storable
from core.languages import say

from .. import taxonomy
from ..wikitext.families import CONTRADICT_OTHER, FAMILIES, INCONSISTENT, SELF_CONTRADICTORY, normalise_name
from .checks import is_placeholder
from .fields import FIELDS, Content, empty_content

Record = dict[str, Any]

TAG_KEYS = ("title", "url", "paragraph_A", "paragraph_A_clean", "tag", "tagDate", "tagReason")
RESULT = "annotationResult"
# Beyond the published keys: only in the record of a tag that no editor left in the article.
FOUND_BY, BY_PROGRAM = "found_by", "the program"
TAXONOMY = "taxonomy"
MOST_CHARACTERS = {"title": 500, "url": 2000, "tagDate": 200}
# Title and address together form a key in the database, and PostgreSQL limits its length in bytes.
MOST_KEY_BYTES = 2_500

_VALIDITY, _SAME_PASSAGE, _CONFIDENCE = "wikitag_label_valid", "wikitag_label_samepassage", "confidence"
_QUESTION_KEY = re.compile(r"question\d+(_answer\d+)?")
_TEXT_FIELDS = {field.name for field in FIELDS.values() if not field.choices}
_TEXTS = {*_TEXT_FIELDS, _VALIDITY, _SAME_PASSAGE}
_CHOICES = {
    name: {choice.casefold(): choice for choice in FIELDS[name].choices} for name in (_VALIDITY, _SAME_PASSAGE)
}


def check_record(record: Any) -> None:
    """Raises ShapeError unless `record` has the shape of a published record.

    Absent and unknown keys, nulls, and values that the form does not offer are all allowed: old files have them.
    """
    if not isinstance(record, dict):
        raise ShapeError("", say("it must be an object with a title, but is {kind}", kind=_kind(record)))
    check_storable(record)
    title = record.get("title")
    if title is None or title == "" or (isinstance(title, str) and not title.strip()):
        raise ShapeError("title", say("is missing or empty"))
    for key in TAG_KEYS:
        _check_text(record, key)
        if len(record.get(key) or "") > MOST_CHARACTERS.get(key, 10**9):
            raise ShapeError(
                key, say("is longer than {most_characters:,} characters", most_characters=MOST_CHARACTERS[key])
            )
    if len((record["title"] + (record.get("url") or "")).encode()) > MOST_KEY_BYTES:
        raise ShapeError(
            "url",
            say(
                "is too long: title and address may have {most_key_bytes:,} bytes together",
                most_key_bytes=MOST_KEY_BYTES,
            ),
        )
    result = record.get(RESULT)
    if result is None:
        return
    if not isinstance(result, dict):
        raise ShapeError(RESULT, say("must be an object, but is {kind}", kind=_kind(result)))
    _check_result(result)


def _check_result(result: Mapping[str, Any]) -> None:
    for key in result:
        if key in _TEXTS or _dimension(key):
            _check_text(result, key, f"{RESULT}.{key}")
    confidence = result.get(_CONFIDENCE)
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, str | int | float)):
        raise ShapeError(
            f"{RESULT}.{_CONFIDENCE}", say("must be a text or a number, but is {kind}", kind=_kind(confidence))
        )
    paths = result.get(TAXONOMY)
    if paths is None:
        return
    is_paths = isinstance(paths, list) and all(isinstance(path, list) for path in paths)
    if not is_paths or not all(isinstance(step, str) for path in paths for step in path):
        raise ShapeError(f"{RESULT}.{TAXONOMY}", say("must be a list of lists of texts, as in [[dimension, option]]"))


def _check_text(values: Mapping[str, Any], key: str, name: str = "") -> None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise ShapeError(name or key, say("must be a text, but is {kind}", kind=_kind(value)))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return say("true or false")
    kinds = {
        dict: say("an object"),
        list: say("a list"),
        str: say("a text"),
        int: say("a number"),
        float: say("a number"),
    }
    return kinds[type(value)]


def content_of_result(result: Mapping[str, Any]) -> Content:
    """The form's content for this `annotationResult`, which has passed `check_record`.

    Hint texts of the form count as empty, and so do values that the form does not offer.
    """
    content = empty_content()
    for name, value in result.items():
        if value and name in _TEXT_FIELDS and not is_hint(name, value):
            content[name] = value
    for name in (_VALIDITY, _SAME_PASSAGE):
        content[name] = _choice(name, result.get(name))
    content[_CONFIDENCE] = _stars(result.get(_CONFIDENCE))
    content |= _types(result)
    return content


def is_hint(key: str, value: Any) -> bool:
    """Return whether this is the form's hint text ("add the answer based on Passage 1") in a field for a question."""
    return (
        key.startswith("question")
        and isinstance(value, str)
        and len(value) < 200
        and _is_question_key(key)
        and _is_hint_text(value)
    )


@lru_cache(maxsize=2_000)
def _is_question_key(key: str) -> bool:
    return _QUESTION_KEY.fullmatch(key) is not None


# The same few texts occur in thousands of fields.
_is_hint_text = lru_cache(maxsize=2_000)(is_placeholder)


def _choice(name: str, value: str | None) -> str:
    return _CHOICES[name].get((value or "").strip().casefold(), "")


def _stars(value: Any) -> str:
    try:
        stars = float(value)
    except (TypeError, ValueError, OverflowError):
        return ""
    return str(int(stars)) if stars in (1, 2, 3, 4, 5) else ""


def _types(result: Mapping[str, Any]) -> dict[str, list[str]]:
    """Dimension key to the codes chosen, in order. A dimension ticked without an option has no codes.

    For a dimension missing there, the flat fields, which keep only one option, are used.
    """
    chosen: dict[str, list[str]] = {dimension.key: [] for dimension in taxonomy.DIMENSIONS}
    named = set()
    for path in result.get(TAXONOMY) or []:
        dimension = _dimension(path[0]) if path else None
        if dimension is None:
            continue
        named.add(dimension.key)
        if len(path) > 1 and (option := dimension.from_published(path[-1])):
            chosen[dimension.key].append(option.code)
    for key, value in result.items():
        dimension = _dimension(key)
        option = dimension.from_published(value) if dimension and value else None
        if dimension and option and dimension.key not in named:
            chosen[dimension.key].append(option.code)
    return {key: list(dict.fromkeys(codes)) for key, codes in chosen.items()}


_DIMENSIONS = {dimension.key.casefold(): dimension for dimension in taxonomy.DIMENSIONS}


# The same few keys occur in thousands of records.
@lru_cache(maxsize=2_000)
def _dimension(key: str) -> taxonomy.Dimension | None:
    """The dimension with this key, also in the spelling of the paper's documentation ("Contradict_type_I")."""
    return _DIMENSIONS.get(" ".join(key.replace("_", " ").split()).casefold())


def result_of_content(content: Content) -> dict[str, Any]:
    """The `annotationResult` of an annotation made here. An empty field has no key, as in the released file."""
    return {key: value for key, value in _result_items(content) if value}


def _result_items(content: Content) -> Iterator[tuple[str, Any]]:
    def texts(*names: str) -> Iterator[tuple[str, Any]]:
        for name in names:
            yield name, content[name]

    yield from texts(_VALIDITY, "valid_comment")
    if content[_VALIDITY] == "Invalid":
        return
    for letter in "AB":
        yield from texts(
            f"paragraph{letter}_article",
            f"paragraph{letter}_information",
            f"paragraph{letter}_information_standalone",
        )
    yield from texts(_SAME_PASSAGE)
    for letter in "AB":
        yield from texts(f"relevantInfo_comment_{letter}", f"relevantInfo_comment_{letter}_Span")
    paths = [
        (dimension.key, dimension.option(code).published)
        for dimension in taxonomy.DIMENSIONS
        for code in content[dimension.key]
    ]
    # A later one replaces an earlier one: the flat fields keep the last option.
    yield from dict(paths).items()
    yield TAXONOMY, [list(path) for path in paths]
    yield from texts("contradict_comment")
    for name in FIELDS:
        if _QUESTION_KEY.fullmatch(name):
            yield name, content[name]
    yield from texts("question_comment", _CONFIDENCE)


def merged_result(imported: Mapping[str, Any], content: Content, *, keep_hints: bool = False) -> dict[str, Any]:
    """The `annotationResult` of an imported record whose annotation now holds `content`.

    Each key whose value has not changed here since the import keeps its imported form: an absent key stays absent,
    null stays null, an unknown key or option stays. Hint texts are removed unless `keep_hints`.
    """
    original = content_of_result(imported)
    if content == original:  # as for most
        return {key: value for key, value in imported.items() if keep_hints or not is_hint(key, value)}
    before, now = result_of_content(original), result_of_content(content)
    merged: dict[str, Any] = {}
    for key, value in imported.items():
        dimension = _dimension(key)
        name = dimension.key if dimension else key
        if before.get(name) != now.get(name):
            if name in now:
                merged[key] = now[name]
        elif keep_hints or not is_hint(key, value):
            merged[key] = value
    return merged | {key: value for key, value in now.items() if key not in merged and value != before.get(key)}


def without_hints(record: Record) -> Record:
    """The record without the form's hint texts."""
    result = record.get(RESULT)
    if not isinstance(result, dict):
        return record
    return {**record, RESULT: {key: value for key, value in result.items() if not is_hint(key, value)}}


def family_of(raw: str) -> str:
    """The family of a tag, from its template's name; if the name is unknown, from the words in it."""
    name = normalise_name(raw.strip().removeprefix("{{").partition("|")[0])
    if name in FAMILIES:
        return FAMILIES[name]
    if "other" in name.casefold():
        return CONTRADICT_OTHER
    return SELF_CONTRADICTORY if "contradict" in name.casefold() else INCONSISTENT
