"""Purposes of calls: each defines the messages of its calls, the handling of replies, and their display on pages.

Claims, leases, the spool and budgets do not depend on it. A call refers to its subject by its own columns
(`Call.instance` and so on) or, for purposes added by apps and benchmarks, by `subject_number` and `part`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db.models import QuerySet

from ..endpoints.replies import ChatReply
from ..models import Attempt, Call, LanguageModel, Response, Run
from ..protocol.replies import ORDINARY, Reply, ReplySpec

Messages = list[dict[str, str]]
Answered = tuple[Call, Attempt, ChatReply]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that a run will make: its columns and its messages; the response that it judges, if any, and the
    requested properties of the reply.
    """

    columns: dict[str, Any]
    messages: Messages
    judged: Response | None = None
    spec: ReplySpec = ORDINARY


class ModelCounts(Protocol):
    """The numbers of one model in a plan: existing calls, and questions that it answered in other runs."""

    already_there: int
    answered_before: int


class Planning(Protocol):
    """The planner of a run as purposes see it.

    Args:
        run: the run, perhaps unsaved.
        language_models: the models that it asks.
        calls: its calls that exist.
        left_out: how many calls are left out, by the label of a template and the reason.
        by_model: the numbers of each model, by primary key.
    """

    run: Run
    calls: QuerySet[Call]
    left_out: Counter[tuple[str, str]]

    @property
    def language_models(self) -> Sequence[LanguageModel]: ...

    @property
    def by_model(self) -> Mapping[int, ModelCounts]: ...

    def columns(self, purpose: str, model: int | None, **about: Any) -> dict[str, Any]:
        """The columns of a call to a model; `about` are those of its subject."""

    def responses(self) -> Iterator[PlannedCall]:
        """The calls that ask templates about the instances of the run's release."""

    def judgments(self) -> Iterator[PlannedCall]:
        """The calls that ask about the responses that the run judges."""


class Purpose:
    """One purpose of calls. Defaults apply unless overridden."""

    code: str
    # The kind of the runs whose calls have it. Runs that make or check items name their purpose.
    kind: str
    # A person waits for the reply on a page: it goes first, and is tried once.
    is_waited_for = False
    # The template that shows the call's subject: it gets the call and the values of `about`.
    template = ""
    # Templates for the page of a run: its questions, among its properties, and links to its results.
    run_template = links_template = ""

    # --- Asking ---------------------------------------------------------------------------------------------------

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        """The run's calls that do not exist yet, in the order in which they are made. Those that are not made are
        counted in `planner.by_model` and `planner.left_out`.
        """
        raise NotImplementedError

    def subjects(self) -> QuerySet | None:
        """The rows named by `subject_number`, with everything that messages need; None if the purpose has none."""
        return None

    def messages(self, call: Call) -> Messages:
        """The messages of the call. Raises ValueError, with the reason, if it cannot be asked."""
        raise NotImplementedError

    def text_of_tokens(self, call: Call) -> str | None:
        """The text whose tokens' probabilities are requested, if this is not a chat."""
        return None

    def schema_for(self, call: Call) -> Response | None:
        """The response whose verdict is requested as JSON by a schema."""
        return None

    def reply_spec(self, call: Call) -> ReplySpec:
        """The requested properties of the reply, besides an answer."""
        return ORDINARY

    def baseline_reply(self, call: Call) -> Reply | str:
        """A baseline's reply, or its text. Raises KeyError if there is none under the model's name."""
        raise KeyError(call.model.endpoint_name)

    # --- The outcome ----------------------------------------------------------------------------------------------

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        """Store the results of such calls. Called inside the transaction that marks them done."""
        raise NotImplementedError

    def outputs(self, run: Run) -> QuerySet | None:
        """The output rows of the run's replies that have mark, tokens and `reused`: for its progress."""
        return None

    def made(self, run: Run) -> "list[Made]":
        """The results of the run's replies in numbers, beside its responses and judgments."""
        return []

    def unreadable(self, run: Run) -> QuerySet[Call]:
        """The answered calls of a run with unreadable replies, which can be repeated."""
        return run.calls.none()

    # --- On pages -------------------------------------------------------------------------------------------------

    def title(self, call: Call) -> str:
        """The model's task, for the head of the call's page."""
        raise NotImplementedError

    def listed(self, call: Call) -> str:
        """The subject of the call, in a line of a list: `subject`, or its number if that no longer exists."""
        return str(call.subject or call.subject_number)

    def about(self, call: Call) -> Mapping[str, object]:
        """The values for the template that shows the call's subject."""
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
    """The purpose of a run's calls; None if it has none, for example with imported responses."""
    if run.purpose:
        return _purposes.get(run.purpose)
    return next((each for each in _purposes.values() if each.kind == run.kind), None)


def made_by(run: Run) -> list[Made]:
    """The results of a run in numbers, by the purpose of its calls."""
    purpose = purpose_of_run(run)
    return purpose.made(run) if purpose else []


def by_purpose(answered: Iterable[Answered]) -> Iterator[tuple[Purpose, list[Answered]]]:
    """The answered calls, purpose by purpose in the order of registration."""
    sorted_out: dict[str, list[Answered]] = defaultdict(list)
    for each in answered:
        sorted_out[each[0].purpose].append(each)
    return ((purpose, sorted_out[code]) for code, purpose in _purposes.items() if code in sorted_out)


def load_subjects(calls: Iterable[Call]) -> None:
    """Load the rows named by calls' `subject_number` as `call.subject`, with one query for each purpose."""
    wanted: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.subject_number is not None:
            wanted[call.purpose].append(call)
    for code, some in wanted.items():
        rows = _purposes[code].subjects()
        found = {} if rows is None else rows.in_bulk({call.subject_number for call in some})
        for call in some:
            call.subject = found.get(call.subject_number)
