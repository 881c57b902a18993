"""Checks an annotation before it is submitted. Takes its content; returns a list of all problems."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.languages import say

from .. import taxonomy
from .fields import FIELDS, Content, questions_of, with_questions
from .marking import find_span, normalised, unify


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why this cannot be submitted yet, at the field where it can be fixed."""

    field: str
    message: str
    # Whether it is only that nobody has looked at the field since the program filled it in.
    is_unseen: bool = False

    @property
    def step(self) -> int:
        return FIELDS[self.field].step

    @property
    def target(self) -> str:
        return FIELDS[self.field].id

    @property
    def label(self) -> str:
        return FIELDS[self.field].label


# Hint texts of labelling forms that get exported as if they were answers.
_PLACEHOLDERS = re.compile(
    r"(please )?(add|enter|write|type|insert) (an?|the|your|another)? ?"
    r"(answers?|questions?|comments?|texts?|passages?)( here)?"
    r"( based on (the )?(passage|paragraph) ?[12ab]?)?( here)?\.*"
)


def is_placeholder(text: str) -> bool:
    """Return whether this is a form's hint ("add the answer based on Passage 1") and not a person's answer."""
    return _is_placeholder(normalised(text))


def _is_placeholder(normal: str) -> bool:
    return _PLACEHOLDERS.fullmatch(normal) is not None


def is_empty(text: str) -> bool:
    """Return whether this is empty to a reader: blank, invisible characters only, or a placeholder."""
    normal = normalised(text)
    return not normal or _is_placeholder(normal)


# This rule reproduces the paper's 133 yes/no and 120 wh-questions on the full release.
YES_NO_WORDS = frozenset({"is", "did", "was", "does", "can", "do", "are", "has"})


def is_yes_no(question: str) -> bool:
    """Return whether the first word of the question, in lower case, is one of `YES_NO_WORDS`."""
    words = question.split(maxsplit=1)
    return bool(words) and words[0].lower() in YES_NO_WORDS


def answer_key(text: str) -> str:
    """An answer reduced to what distinguishes answers: without case, blanks, and punctuation that is not part of a
    number."""
    # Not the compatibility form (NFKC): 10² and 102 are two answers.
    folded = unicodedata.normalize("NFC", unify(text)).casefold()
    kept = []
    for index, character in enumerate(folded):
        before, after = folded[index - 1 : index], folded[index + 1 : index + 2]
        is_in_number = (
            (character in ".,:/-" and before.isdigit() and after.isdigit())
            or (character == "-" and after.isdigit())
            or (character in "%‰" and before.isdigit())
        )
        if is_in_number or not (character.isspace() or unicodedata.category(character).startswith("P")):
            kept.append(character)
    return "".join(kept) or folded


def same_title(one: str, other: str) -> bool:
    """Return whether two titles name one article: `_` for a blank and the case of the first letter make no
    difference.
    """

    def key(title: str) -> str:
        words = " ".join(unicodedata.normalize("NFC", title).replace("_", " ").split())
        return words[:1].upper() + words[1:]

    return key(one) == key(other)


def finished(content: Content) -> Content:
    """The content as it is submitted: stripped, without placeholders or gaps between questions, passage 2 a copy of
    passage 1 if the annotator said so, a confirmation kept only if it was needed."""
    done = _with_passage_2({name: _stripped(value) for name, value in content.items()})
    done = with_questions(done, [row for row in questions_of(done) if not all(map(is_empty, row))])
    if not any(_origin_disagrees(done)):
        done["origin_confirmed"] = ""
    return done


def _stripped(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return "" if is_empty(value) else value.strip()


def _with_passage_2(content: Content) -> Content:
    if content["wikitag_label_samepassage"] != "Same":
        return content
    parts = ("article", "information", "information_standalone")
    return content | {f"paragraphB_{part}": content[f"paragraphA_{part}"] for part in parts}


def find_problems(content: Content) -> list[Problem]:
    """Everything that prevents `content` from being submitted, in the order of the form; empty if it can be.

    A confirmed warning does not count. An invalid tag needs only step 1.
    """
    content = _with_passage_2(content)
    if content["wikitag_label_valid"] == "":
        return [Problem("wikitag_label_valid", say("Say whether the tag is valid."))]
    if content["wikitag_label_valid"] == "Invalid":
        if is_empty(content["valid_comment"]):
            return [Problem("valid_comment", say("Say in the comment why the tag is not valid."))]
        return []
    return [*_passages(content), *_statements(content), *_types(content), *_questions(content), *_confidence(content)]


def _passages(content: Content) -> Iterator[Problem]:
    is_same = content["wikitag_label_samepassage"] == "Same"
    for letter, number in (("A", 1), ("B", 2)):
        if number == 2:
            if not content["wikitag_label_samepassage"]:
                yield Problem(
                    "wikitag_label_samepassage", say("Say whether passage 2 is another passage or the same one.")
                )
            if is_same:
                return
        if is_empty(content[f"paragraph{letter}_article"]):
            yield Problem(
                f"paragraph{letter}_article", say("Name the article that passage {number} comes from.", number=number)
            )
        if is_empty(content[f"paragraph{letter}_information"]):
            yield Problem(f"paragraph{letter}_information", say("Passage {number} is missing.", number=number))


def _statements(content: Content) -> Iterator[Problem]:
    for letter, number in (("A", 1), ("B", 2)):
        if is_empty(content[f"relevantInfo_comment_{letter}"]):
            yield Problem(f"relevantInfo_comment_{letter}", say("Say what passage {number} states.", number=number))
        span = content[f"relevantInfo_comment_{letter}_Span"]
        passage = content[f"paragraph{letter}_information"]
        standalone = content[f"paragraph{letter}_information_standalone"]
        if not is_empty(span) and not find_span(span, passage) and not find_span(span, standalone):
            yield Problem(
                f"relevantInfo_comment_{letter}_Span",
                say(
                    "These words are not in passage {number}. Copy them exactly, one piece per line, or leave the "
                    "span empty.",
                    number=number,
                ),
            )


def _types(content: Content) -> Iterator[Problem]:
    for dimension in taxonomy.DIMENSIONS:
        chosen = content[dimension.key]
        if not chosen:
            least = (
                say("Choose at least one under {dimension}.", dimension=dimension.name)
                if dimension.multiple
                else say("Choose one under {dimension}.", dimension=dimension.name)
            )
            yield Problem(dimension.key, least)
        elif len(chosen) > 1 and not dimension.multiple:
            yield Problem(dimension.key, say("Choose only one under {dimension}.", dimension=dimension.name))
        # The annotator may confirm that this is intended.
        if dimension is taxonomy.ORIGIN and not content["origin_confirmed"]:
            for message in _origin_disagrees(content):
                yield Problem("origin_confirmed", message)


def _origin_disagrees(content: Content) -> Iterator[str]:
    one, other = content["paragraphA_article"], content["paragraphB_article"]
    if not one.strip() or not other.strip() or len(content[taxonomy.ORIGIN.key]) != 1:
        return
    origin = content[taxonomy.ORIGIN.key][0]
    if origin == "SAME" and not same_title(one, other):
        yield say(
            "The origin says one article, but step 2 names two: “{one}” and “{other}”.",
            one=one.strip(),
            other=other.strip(),
        )
    if origin == "CROSS" and same_title(one, other):
        yield say("The origin says different articles, but both passages are from “{one}”.", one=one.strip())


def _questions(content: Content) -> Iterator[Problem]:
    rows = [(number, row) for number, row in enumerate(questions_of(content), start=1) if not all(map(is_empty, row))]
    if not rows:
        yield Problem("question1", say("Write at least one question whose answer depends on the passage."))
    for number, (question, answer_1, answer_2) in rows:
        if is_empty(question):
            yield Problem(f"question{number}", say("Question {number} has an answer but no question.", number=number))
        for name, answer in (("answer1", answer_1), ("answer2", answer_2)):
            if is_empty(answer):
                yield Problem(
                    f"question{number}_{name}", say("Give the answer by passage {number}.", number=name[-1])
                )
        both = not is_empty(answer_1) and not is_empty(answer_2)
        if both and answer_key(answer_1) == answer_key(answer_2):
            yield Problem(
                f"question{number}_answer2",
                say("Both passages give this answer. Ask for what they disagree on, so that the answers differ."),
            )


def _confidence(content: Content) -> Iterator[Problem]:
    if not content["confidence"]:
        yield Problem("confidence", say("Say how confident you are, from 1 to 5."))
