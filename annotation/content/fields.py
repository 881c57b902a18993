"""The content of the annotator's form, as a dict under the field names of the paper's labelling configuration.

Every text field is a string; each dimension ("Contradict type I" to "IV") is a list of codes of `taxonomy`. Every
field is always present. Values in, values out: this module knows no rows.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from core.languages import say
from core.outside import is_storable
from core.refusals import Refusal

from .. import taxonomy

Content = dict[str, Any]

MAX_QUESTIONS = 10
MAX_BYTES = 200_000
STEPS = {
    1: say("Validity"),
    2: say("Passages"),
    3: say("Statements"),
    4: say("Types"),
    5: say("Questions"),
    6: say("Confidence"),
}


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    step: int
    label: str
    choices: tuple[str, ...] = ()
    multiple: bool = False

    @property
    def id(self) -> str:
        """The id of its control on the page, which links also use."""
        return "f-" + self.name.replace(" ", "-")


def _fields() -> Iterator[Field]:
    yield Field("wikitag_label_valid", 1, say("Validity"), ("Valid", "Invalid"))
    yield Field("valid_comment", 1, say("Comment on validity"))
    yield Field("wikitag_label_samepassage", 2, say("Where passage 2 is"), ("Same", "Different"))
    for letter, number in (("A", 1), ("B", 2)):
        yield Field(f"paragraph{letter}_article", 2, say("Article of passage {number}", number=number))
        yield Field(f"paragraph{letter}_information", 2, say("Passage {number}, as found", number=number))
        yield Field(
            f"paragraph{letter}_information_standalone", 2, say("Passage {number}, stand-alone", number=number)
        )
    for letter, number in (("A", 1), ("B", 2)):
        yield Field(f"relevantInfo_comment_{letter}", 3, say("Passage {number} states that", number=number))
        yield Field(
            f"relevantInfo_comment_{letter}_Span", 3, say("Contradicted span of passage {number}", number=number)
        )
    for dimension in taxonomy.DIMENSIONS:
        codes = tuple(option.code for option in dimension.options)
        yield Field(dimension.key, 4, dimension.name, codes, multiple=True)
    yield Field("origin_confirmed", 4, say("Origin checked"), ("1",))
    yield Field("contradict_comment", 4, say("Comment on the types"))
    for number in range(1, MAX_QUESTIONS + 1):
        yield Field(f"question{number}", 5, say("Question {number}", number=number))
        yield Field(f"question{number}_answer1", 5, say("Question {number}, answer by passage 1", number=number))
        yield Field(f"question{number}_answer2", 5, say("Question {number}, answer by passage 2", number=number))
    yield Field("question_comment", 5, say("Comment on the questions"))
    yield Field("confidence", 6, say("Confidence"), ("1", "2", "3", "4", "5"))


FIELDS: dict[str, Field] = {field.name: field for field in _fields()}


_EMPTY: Content = dict.fromkeys(FIELDS, "")
_MULTIPLE = [name for name, field in FIELDS.items() if field.multiple]
# The fields of each question: question, answer 1, answer 2.
_QUESTIONS = [(f"question{n}", f"question{n}_answer1", f"question{n}_answer2") for n in range(1, MAX_QUESTIONS + 1)]


def empty_content() -> Content:
    content = _EMPTY.copy()
    for name in _MULTIPLE:
        content[name] = []
    return content


def clean_content(raw: Any) -> Content:
    """`raw` with every field present and line ends as `\\n`. Text is kept as typed, blanks and all.

    Raises Refusal, naming the field, if text is too long or holds a NUL or half of a surrogate pair, or if a field or
    choice is unknown.
    """
    if not isinstance(raw, Mapping):
        raise Refusal(say("Not saved: the form could not be read. Reload the page and try again."), status=400)
    unknown = [str(name) for name in raw if name not in FIELDS]
    if unknown:
        raise Refusal(
            say(
                "Not saved: this form has no field {name}. Reload the page and try again.",
                name=ascii(unknown[0])[:80],
            ),
            status=400,
        )
    content = {name: _clean_value(field, raw.get(name)) for name, field in FIELDS.items()}
    if len(json.dumps(content, ensure_ascii=False).encode()) > MAX_BYTES:
        longest = max(FIELDS, key=lambda name: len(content[name]) if isinstance(content[name], str) else 0)
        raise Refusal(
            say(
                "Not saved: the form is larger than {most} kB, the most that can be saved. Shorten the "
                "field “{label}”. Your text is still in the form.",
                most=MAX_BYTES // 1000,
                label=FIELDS[longest].label,
            ),
            status=413,
        )
    return content


def _clean_value(field: Field, value: Any) -> Any:
    if field.multiple:
        values = [] if value in (None, "") else value
        if not isinstance(values, list) or not all(isinstance(code, str) for code in values):
            raise _unknown_choice(field)
        if any(code not in field.choices for code in values):
            raise _unknown_choice(field)
        return list(dict.fromkeys(values))
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Refusal(
            say("Not saved: the field “{label}” is not text. Reload the page and try again.", label=field.label),
            status=400,
        )
    if field.choices:
        if value and value not in field.choices:
            raise _unknown_choice(field)
        return value
    if not is_storable(value):
        raise Refusal(
            say(
                "Not saved: the field “{label}” holds a character that cannot be stored (a NUL or half of a "
                "character pair, most often from a copied symbol). Delete it there; your text is still in the "
                "form.",
                label=field.label,
            ),
            status=400,
        )
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _unknown_choice(field: Field) -> Refusal:
    return Refusal(
        say("Not saved: “{label}” has no such choice. Reload the page and try again.", label=field.label), status=400
    )


def questions_of(content: Content) -> list[tuple[str, str, str]]:
    """(question, answer 1, answer 2) for each row up to the last non-empty one."""
    last = MAX_QUESTIONS
    for question, one, two in reversed(_QUESTIONS):
        if content[question] or content[one] or content[two]:
            break
        last -= 1
    return [(content[question], content[one], content[two]) for question, one, two in _QUESTIONS[:last]]


def with_questions(content: Content, rows: list[tuple[str, str, str]]) -> Content:
    """The same content with these questions instead of its own."""
    padded = [*rows, *[("", "", "")] * (MAX_QUESTIONS - len(rows))]
    return dict(content) | dict(zip(chain(*_QUESTIONS), chain(*padded), strict=True))


def moved_questions(before: Content, after: Content) -> dict[str, str]:
    """The fields of questions whose number has changed: old name to new name, or to "" if the question is gone and
    another one now has its number."""
    old, new = questions_of(before), questions_of(after)
    to: dict[int, int | None] = {}
    for number, row in enumerate(old, start=1):
        if any(row) and row not in new[number - 1 : number]:
            arrived = (n for n, same in enumerate(new, start=1) if same == row and row not in old[n - 1 : n])
            to[number] = next(arrived, None)
    taken = set(to.values())
    return {
        f"question{number}{part}": f"question{now}{part}" if now else ""
        for number, now in to.items()
        if now or number in taken
        for part in ("", "_answer1", "_answer2")
    }


def differing_fields(one: Content, other: Content) -> list[str]:
    """Names of the fields in which two contents differ; the order of ticked choices does not matter."""

    def comparable(value: Any) -> Any:
        return sorted(value) if isinstance(value, list) else value

    return [name for name in FIELDS if comparable(one[name]) != comparable(other[name])]


def in_order_of_choosing(before: Content, content: Content) -> Content:
    """`content` with the ticked options in the order of ticking: first those in `before`, in its order."""
    ordered = {
        name: [code for code in before[name] if code in content[name]]
        + [code for code in content[name] if code not in before[name]]
        for name, field in FIELDS.items()
        if field.multiple
    }
    return content | ordered


@dataclass(frozen=True, slots=True)
class Merge:
    """Two contents merged: `content` is mine with the fields `taken` from theirs. A person has to decide the
    `clashing` ones, which `content` has as in mine."""

    content: Content
    taken: list[str]
    clashing: list[str]


def merge_contents(*, base: Content | None, mine: Content, theirs: Content) -> Merge:
    """Merge two versions of `base` field by field: a field that only one side changed is taken from that side.

    A field that both sides changed differently clashes; without a base, every field that differs does.
    `static/scripts/text/merge.js` has the same rule, and is tested with the same cases.
    """
    differing = differing_fields(mine, theirs)
    if base is None:
        return Merge(mine, [], differing)
    by_me, by_them = set(differing_fields(base, mine)), set(differing_fields(base, theirs))
    clashing = by_me & by_them
    questions = {name for name, field in FIELDS.items() if field.step == 5 and name != "question_comment"}
    # If one side moved questions, numbers no longer say which answer belongs to which question: they are decided
    # together.
    if by_me & questions and by_them & questions and (_has_moved(base, mine) or _has_moved(base, theirs)):
        clashing |= questions
    taken = [name for name in differing if name not in clashing and name in by_them]
    content = mine | {name: theirs[name] for name in taken}
    return Merge(content, taken, [name for name in differing if name in clashing])


def _has_moved(before: Content, after: Content) -> bool:
    """Return whether a question in `before` has lost its number: it was removed, or moved up when another was
    removed.
    """
    old, new = questions_of(before), questions_of(after)
    new += [("", "", "")] * (len(old) - len(new))
    return any(any(row) and row != now and (not any(now) or row in new) for row, now in zip(old, new, strict=False))
