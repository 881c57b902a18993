"""Fills the templates of a relation, and writes the time span into a claim."""

import re
from collections.abc import Sequence

from core.languages import say

from .spans import in_words

SUBJECT, OBJECT = "<subject>", "<object>"
PLACEHOLDER = re.compile(r"<subject>|<object>")
# Closes a sentence, also where a quotation mark follows.
LAST_STOP = re.compile(r"\.(?=[\"”’)\]]*\s*\Z)")


def filled(template: str, *, subject: str, object: str = "") -> str:
    """The template with the names filled in, in one pass: a name that holds a placeholder stays as it is."""
    return PLACEHOLDER.sub(lambda found: subject if found[0] == SUBJECT else object, template)


def with_span(template: str, span: Sequence[str]) -> str:
    """The template with the time before its last full stop, or at its end if it has none.

    The released program replaces every full stop, so that "St. Louis" gets a time as well; and adds no time to a
    template without one.
    """
    time = in_words(span)  # begins with a blank
    found = LAST_STOP.search(template)
    return f"{template[: found.start()]}{time}{template[found.start() :]}" if found else f"{template}{time}."


def problem_of_statement(statement: str) -> str:
    """Why this cannot be the template of a claim; "" if it can."""
    if statement.count(SUBJECT) != 1 or statement.count(OBJECT) != 1:
        return say("A claim's template has {subject} once and {object} once.", subject=SUBJECT, object=OBJECT)
    return ""


def problem_of_question(question: str) -> str:
    """Why this cannot be the template of a question; "" if it can."""
    if question.count(SUBJECT) != 1 or OBJECT in question:
        return say("A question's template has {subject} once, and no {object}.", subject=SUBJECT, object=OBJECT)
    return ""
