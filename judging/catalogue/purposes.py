"""What calls are for: each purpose says what such a call asks, what becomes of its reply, and how pages show it.

Claims, leases, the spool and budgets know nothing of it. A call refers to what it is about by columns of its own
(`Call.instance` and so on) or, of purposes that apps and benchmarks add, by `subject_number` and `part`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from ..endpoints.replies import Reply
from ..models import Attempt, Call, Response, Run

Messages = list[dict[str, str]]
Answered = tuple[Call, Attempt, Reply]


class Purpose:
    """One purpose of calls. Defaults apply unless overridden."""

    code: str
    # The kind of the runs whose calls have it.
    kind: str
    # A person waits for the reply on a page: it goes first, and is tried once.
    is_waited_for = False
    # The template that shows the call's subject: it gets the call and the values of `about`.
    template = ""
    # Templates for the page of a run: what it asks, among its properties, and links to its results.
    run_template = links_template = ""

    # --- Asking ---------------------------------------------------------------------------------------------------

    def planned(self, planner: Any) -> Iterator[Any]:
        """The run's calls not yet created: each a `PlannedCall` of `judging.runs.plan`, whose
        `Planner` says what is there."""
        raise NotImplementedError

    def subjects(self) -> QuerySet | None:
        """The rows that `subject_number` names, with all that messages need of them; None if it names none."""
        return None

    def messages(self, call: Call) -> Messages:
        """What the call says to the model. Raises ValueError, with the reason, if it cannot be asked."""
        raise NotImplementedError

    def text_of_tokens(self, call: Call) -> str | None:
        """The text whose tokens' probabilities are asked for, where this is no chat."""
        return None

    def schema_for(self, call: Call) -> Response | None:
        """The response whose verdict is asked for in the form of a JSON schema."""
        return None

    def baseline_text(self, call: Call) -> str:
        """What a baseline replies. Raises KeyError if there is none under the model's name."""
        raise KeyError(call.model.endpoint_name)

    # --- What becomes of it ---------------------------------------------------------------------------------------

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        """Store what such calls brought. Called inside the transaction that marks them done."""
        raise NotImplementedError

    def outputs(self, run: Run) -> QuerySet | None:
        """The rows that the run's replies became, as far as they have mark, tokens and `reused`: for its progress."""
        return None

    def made(self, run: Run) -> "list[Made]":
        """The results of the run's replies in numbers, beside its responses and judgments."""
        return []

    def unreadable(self, run: Run) -> QuerySet[Call]:
        """The answered calls of a run whose replies could not be read, which can be asked again."""
        return run.calls.none()

    # --- On pages -------------------------------------------------------------------------------------------------

    def title(self, call: Call) -> str:
        """What the model does, for the head of the call's page."""
        raise NotImplementedError

    def listed(self, call: Call) -> str:
        """What the call is about, in a line of a list: `subject`, or its number where that is not here any more."""
        return str(call.subject or call.subject_number)

    def about(self, call: Call) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class Made:
    """A number about the results of a run. With `href` it is a link to the list of its rows."""

    code: str
    label: str
    count: int
    href: str = ""
    is_problem: bool = False


_purposes: dict[str, Purpose] = {}


def register(*purposes: Purpose) -> None:
    _purposes.update({purpose.code: purpose for purpose in purposes})


def purpose_of(call: Call) -> Purpose:
    return _purposes[call.purpose]


def purpose_of_run(run: Run) -> Purpose | None:
    """The purpose of a run's calls; None where it has none, as one of imported responses."""
    return next((each for each in _purposes.values() if each.kind == run.kind), None)


def made_by(run: Run) -> list[Made]:
    """The results of a run in numbers, by the purpose of its calls."""
    purpose = purpose_of_run(run)
    return purpose.made(run) if purpose else []


def by_purpose(answered: Iterable[Answered]) -> Iterator[tuple[Purpose, list[Answered]]]:
    """The answered calls, purpose by purpose in the order in which these were registered."""
    sorted_out: dict[str, list[Answered]] = defaultdict(list)
    for each in answered:
        sorted_out[each[0].purpose].append(each)
    return ((purpose, sorted_out[code]) for code, purpose in _purposes.items() if code in sorted_out)


def load_subjects(calls: Iterable[Call]) -> None:
    """Give calls the rows that their `subject_number` names, as `call.subject`, with one query for each purpose."""
    wanted: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.subject_number is not None:
            wanted[call.purpose].append(call)
    for code, some in wanted.items():
        rows = _purposes[code].subjects()
        found = {} if rows is None else rows.in_bulk({call.subject_number for call in some})
        for call in some:
            call.subject = found.get(call.subject_number)
