"""Protocol `option`: the option whose label is the most probable first token. Log-probabilities in, an option out."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.languages import say
from judging.protocol.tasks import Read

from ..items import LETTERS

# An option that is not among the tokens returned counts as this; a lower one, too.
ABSENT = -100.0
# Rounding errors of servers: a token that is certain may have a little more than 0.
MOST = 1e-4
# How models write the label of an option at the beginning of an answer, as one token.
PLAIN, BLANK, BRACKETS = "A", " A", "(A)"
FORMS = (BLANK, PLAIN, BRACKETS, "(A", " (A", " (A)")
# The forms that count for a model whose labels are set, by the setting.
FORMS_OF: Mapping[str, Sequence[str]] = {
    BLANK: (BLANK,),
    PLAIN: (PLAIN,),
    BRACKETS: (BRACKETS, "(A", " (A", " (A)"),
}

NONE_THERE = say("none of the four options is among the tokens returned")
TIE = say("two options are equally probable, and more than the others")
NO_PROBABILITIES = say("there are no log-probabilities")
NOT_A_NUMBER = say("a log-probability is not a number")
TOO_HIGH = say("a log-probability is positive")


def labels_of(form: str) -> dict[str, str]:
    """The token of each letter in this form: " A" gives " A", " B", " C", " D"."""
    return {letter: form.replace("A", letter) for letter in LETTERS}


def problem_of(value: object) -> str:
    """The problem of one log-probability; "" if it is one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return NOT_A_NUMBER
    return TOO_HIGH if value > MOST else ""


def form_of(tokens: Mapping[str, Any], forms: Sequence[str] = FORMS) -> str:
    """The form of the most probable label of these forms among the tokens; "" if none of them is a label."""
    labels = [(tokens[label], form) for form in forms for label in labels_of(form).values() if label in tokens]
    wrong = next((form for value, form in labels if problem_of(value)), "")
    return wrong or max(labels, key=lambda each: each[0], default=(0, ""))[1]


def read_option(tokens: Mapping[str, Any] | None, *, forms: Sequence[str] = FORMS) -> Read:
    """`{"letter": the most probable option, "form": of its label, "logprobs": by letter, "bits": the entropy}` from
    the log-probabilities of the first token, or why there is no such option.

    Args: forms: how the model may write labels, some of `FORMS`; the form of the most probable label counts.
    """
    if tokens is None:
        return Read(problem=NO_PROBABILITIES)
    form = form_of(tokens, forms)
    found = {letter: tokens[label] for letter, label in labels_of(form).items() if label in tokens} if form else {}
    if not found:
        return Read(problem=NONE_THERE)
    if problem := next(filter(None, map(problem_of, found.values())), ""):
        return Read(problem=problem)
    values = {letter: max(float(found.get(letter, ABSENT)), ABSENT) for letter in LETTERS}
    top = max(values.values())
    first = [letter for letter, value in values.items() if value == top]
    if len(first) > 1:
        return Read(problem=TIE)
    return Read({"letter": first[0], "form": form, "logprobs": values, "bits": bits(list(values.values()))})


def bits(logprobs: Sequence[float]) -> float:
    """The entropy, in bits, of the softmax over these log-probabilities: -sum p log2 p."""
    top = max(logprobs)
    weights = [math.exp(value - top) for value in logprobs]
    total = math.fsum(weights)
    return math.fsum(-p * math.log2(p) for weight in weights if (p := weight / total) > 0)
