"""The activity of a round in sentences. The log is English in every language, and so are they."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from datetime import date
from typing import Any

from django import template

from core.models import Consensus, Event
from core.words import joined_names
from judging.models import Run

from ..models import ReviewAction
from ..rounds.questionnaires import QUESTIONNAIRES

register = template.Library()

RULES: Mapping[str, str] = {Consensus.ALL: "all", Consensus.MAJORITY: "more than half"}

# The values of an entry before and after. A sentence takes out what it says; a page shows the rest as it is.
Values = dict[str, Any]
Sentence = Callable[[Values, Values], str]


@register.filter
def in_sentences(events: Iterable[Event]) -> list[tuple[Event, str, list[tuple[str, str, str]]]]:
    """Each event with the words after its actor, and the changes that these do not say."""
    return [(event, *_told(event)) for event in events]


def _told(event: Event) -> tuple[str, list[tuple[str, str, str]]]:
    left = copy(event)
    left.before, left.after = dict(event.before), dict(event.after)
    sentence = SENTENCES.get(event.action)
    return sentence(left.before, left.after) if sentence else event.label, left.changes


def _began(_before: Values, after: Values) -> str:
    return f"began the round “{after.pop('name', '')}”: {', '.join(_settings(after))}"


def _settings(after: Values) -> Iterator[str]:
    """The settings of a new round, in words."""
    code = after.pop("questionnaire", "")
    questionnaire = QUESTIONNAIRES.get(code)
    if code:
        yield f"questionnaire “{questionnaire.name if questionnaire else code}”"
    subjects = questionnaire.plural if questionnaire else "responses"
    numbers, chosen, sample = (after.pop(name, None) for name in ("runs", "responses", "sample"))
    of = f" of {_runs(numbers)}" if numbers else ""
    if chosen:
        yield f"{_counted(chosen, 'chosen response')}{of}"
    else:
        yield f"a sample of {sample:,} of the {subjects}{of}" if sample else f"all {subjects}{of}"
    each, people = after.pop("judgments_each", 2), after.pop("reviewers", None)
    yield f"{_counted(each, 'judgment')} each" + (f" by {joined_names(people, most=len(people))}" if people else "")
    if (rule := RULES.get(after.get("consensus", ""))) is not None:
        del after["consensus"]
        if each > 2:
            yield f"with a final verdict where {rule} are the same"
    order = "discriminating items first" if after.pop("by_gain", False) else "in random order"
    seed = after.pop("seed", None)
    yield order if seed is None else f"{order} with seed {seed}"
    if day := after.pop("deadline", None):
        yield f"due on {_day(day)}"


def _runs(numbers: list[int]) -> str:
    found = Run.objects.in_bulk(numbers)
    return str(joined_names([str(found.get(number, f"run {number}")) for number in numbers], most=len(numbers)))


def _set_deadline(before: Values, after: Values) -> str:
    old, new = before.pop("deadline", None), after.pop("deadline", None)
    if old and new:
        return f"moved the deadline from {_day(old)} to {_day(new)}"
    return f"set the deadline to {_day(new)}" if new else f"removed the deadline of {_day(old)}"


def _day(day: str | None) -> str:
    return f"{date.fromisoformat(day):%-d %B %Y}" if day else "an unknown day"


def _state(words: str) -> Sentence:
    def said(before: Values, after: Values) -> str:
        before.pop("state", None)
        after.pop("state", None)
        return words

    return said


def _joined(_before: Values, after: Values) -> str:
    after.pop("round", None)
    return f"added {after.pop('reviewer', 'a reviewer')} to the round"


def _handed_over(_before: Values, after: Values) -> str:
    given = [each.rpartition(": ") for each in after.pop("to", [])]
    return f"handed over responses: {', '.join(f'{count} to {person}' for person, _, count in given) or 'none'}"


def _number(name: str, words: str, noun: str) -> Sentence:
    """A sentence with one number, which is the value called `name`."""

    def said(_before: Values, after: Values) -> str:
        return words.format(_counted(after.pop(name, 0), noun))

    return said


def _counted(count: int, noun: str) -> str:
    """In English, as the log is; `plural` would take the reader's language."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


SENTENCES: Mapping[str, Sentence] = {
    ReviewAction.BEGAN_ROUND: _began,
    ReviewAction.SET_DEADLINE: _set_deadline,
    ReviewAction.CLOSED: _state("closed the round"),
    ReviewAction.OPENED_AGAIN: _state("reopened the round"),
    ReviewAction.JOINED: _joined,
    ReviewAction.HANDED_OVER: _handed_over,
    ReviewAction.WITHDREW_OPEN: _number("open", "withdrew {}", "open response"),
    ReviewAction.HANDED_BACK_SEEN: _number("responses", "handed back {} after seeing their judgments", "slot"),
    ReviewAction.SUBMITTED: _number("judgments", "submitted {}", "judgment"),
    ReviewAction.IMPORTED_JUDGMENTS: _number("judgments", "imported {}", "judgment"),
    ReviewAction.SKIPPED_TRAINING: _number("left out", "skipped the training set, with {}", "judgment"),
}
