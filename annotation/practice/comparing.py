"""Compares an annotation with its reference, step by step: agreement, differences, and their share. Values in, values
out.

Choices are compared by rule and counted; free text is only shown, as no rule can tell whether two sentences mean the
same.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.languages import say

from .. import taxonomy
from ..content.checks import answer_key
from ..content.choices import names_of
from ..content.fields import FIELDS, STEPS, Content, questions_of, with_questions
from ..content.marking import normalised
from ..content.rows import PASSAGE_COLUMNS
from ..content.word_changes import Change, word_changes

# From this share of words in common, a passage is the one of the reference.
ENOUGH = 0.7
_GIVEN = ("wikitag_label_samepassage", "paragraphA_article", "paragraphB_article")


@dataclass(frozen=True, slots=True)
class Row:
    """One field, or the choices in one dimension: the annotator's and the reference. `agrees` is None for text to be
    read side by side.
    """

    label: str
    own: str
    reference: str
    agrees: bool | None = None
    passage: int = 0

    @property
    def changes(self) -> list[Change]:
        """The changes from the annotator's text to the reference, word by word."""
        return word_changes(self.own, self.reference)


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """A step beside its reference."""

    number: int
    name: str
    why: str
    rows: list[Row] = field(default_factory=list)
    is_swapped: bool = False

    @property
    def matched(self) -> int:
        return sum(row.agrees is True for row in self.rows)

    @property
    def of(self) -> int:
        return sum(row.agrees is not None for row in self.rows)


def compare_step(step: int, own: Content, reference: Content, why: str = "") -> ComparedStep:
    """The differences between a step and the reference. If the two passages are swapped, they are compared that
    way.
    """
    is_swapped = step in (2, 3, 5) and _is_swapped(own, reference)
    mine = swapped(own) if is_swapped else own
    return ComparedStep(step, STEPS[step], why, list(_ROWS[step](mine, reference)), is_swapped)


def score(step: int, own: Content, reference: Content) -> list[int]:
    """The number of choices of a step that agree with the reference, and their total; none where nothing was
    written.
    """
    compared = compare_step(step, own, reference)
    return [0 if is_blank(step, own) else compared.matched, compared.of]


def needed_steps(reference: Content) -> list[int]:
    """The steps of the reference: for an invalid tag, only the first one."""
    return [1] if reference["wikitag_label_valid"] == "Invalid" else list(STEPS)


def is_blank(step: int, content: Content) -> bool:
    """Return whether its writer chose or wrote nothing in a step: the form's initial values do not count."""
    return not any(content[name] for name, of in FIELDS.items() if of.step == step and name not in _GIVEN)


def words_in_common(one: str, other: str) -> float:
    """The share of the words of two texts that both have: 1 if they are the same, in any order."""
    ours, theirs = (Counter(normalised(text).split()) for text in (one, other))
    total = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / total if total else 1.0


def swapped(content: Content) -> Content:
    """The same with passages 1 and 2 swapped, and everything that belongs to each."""
    turned = dict(content)
    for name in PASSAGE_COLUMNS:
        one, other = name.format("A"), name.format("B")
        turned[one], turned[other] = content[other], content[one]
    rows = [(question, answer_2, answer_1) for question, answer_1, answer_2 in questions_of(content)]
    return with_questions(turned, rows)


def _is_swapped(own: Content, reference: Content) -> bool:
    if own["wikitag_label_samepassage"] == "Same" or reference["wikitag_label_samepassage"] == "Same":
        return False
    return _fit(swapped(own), reference) > _fit(own, reference)


def _fit(own: Content, reference: Content) -> float:
    return sum(words_in_common(own[name], reference[name]) for name in map("paragraph{}_information".format, "AB"))


# --- The rows of each step --------------------------------------------------------------------------------------


def _validity(own: Content, reference: Content) -> Iterator[Row]:
    yield _choice("wikitag_label_valid", own, reference)
    if own["valid_comment"] or reference["valid_comment"]:
        yield _text("valid_comment", own, reference)


def _passages(own: Content, reference: Content) -> Iterator[Row]:
    yield _choice("wikitag_label_samepassage", own, reference)
    for letter in "A" if reference["wikitag_label_samepassage"] == "Same" else "AB":
        name = f"paragraph{letter}_information"
        pairs = [(own[each], reference[each]) for each in (name, f"{name}_standalone")]
        agrees = any(mine and words_in_common(mine, theirs) >= ENOUGH for mine, theirs in pairs)
        yield Row(FIELDS[name].label, *pairs[0], agrees, _number(letter))
        yield Row(FIELDS[f"{name}_standalone"].label, *pairs[1], None, _number(letter))


def _statements(own: Content, reference: Content) -> Iterator[Row]:
    for letter in "AB":
        yield _text(f"relevantInfo_comment_{letter}", own, reference, _number(letter))
        yield _text(f"relevantInfo_comment_{letter}_Span", own, reference, _number(letter))


def _types(own: Content, reference: Content) -> Iterator[Row]:
    for dimension in taxonomy.DIMENSIONS:
        mine, theirs = own[dimension.key], reference[dimension.key]
        agrees = set(mine) == set(theirs)
        yield Row(dimension.name, _names(dimension, mine), _names(dimension, theirs), agrees)


def _questions(own: Content, reference: Content) -> Iterator[Row]:
    mine, theirs = questions_of(own), questions_of(reference)
    for number in range(1, max(len(mine), len(theirs)) + 1):
        yield Row(say("Question {number}", number=number), _question(mine, number), _question(theirs, number))


def _confidence(own: Content, reference: Content) -> Iterator[Row]:
    yield Row(say("Confidence"), own["confidence"], reference["confidence"])


_OPTIONS: dict[str, str] = {
    "Valid": say("Valid"),
    "Invalid": say("Invalid"),
    "Different": say("Different"),
    "Same": say("Same"),
}
_ROWS = {1: _validity, 2: _passages, 3: _statements, 4: _types, 5: _questions, 6: _confidence}


def _choice(name: str, own: Content, reference: Content) -> Row:
    mine, theirs = str(own[name]), str(reference[name])
    return Row(FIELDS[name].label, _OPTIONS.get(mine, mine), _OPTIONS.get(theirs, theirs), mine == theirs)


def _text(name: str, own: Content, reference: Content, passage: int = 0) -> Row:
    return Row(FIELDS[name].label, own[name], reference[name], None, passage)


def _number(letter: str) -> int:
    return "AB".index(letter) + 1


def _names(dimension: taxonomy.Dimension, codes: list[str]) -> str:
    return "; ".join(names_of(dimension, codes))


def _question(rows: list[tuple[str, str, str]], number: int) -> str:
    if number > len(rows) or not any(map(answer_key, rows[number - 1])):
        return ""
    question, answer_1, answer_2 = rows[number - 1]
    return say(
        "{question}\nBy passage 1: {answer_1}\nBy passage 2: {answer_2}",
        question=question,
        answer_1=answer_1,
        answer_2=answer_2,
    )
