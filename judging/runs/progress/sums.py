"""The number, cost and outcomes of a run's calls: the sums that the database keeps of it."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Count, Q, QuerySet, Sum

from core.models import User

from ...catalogue.purposes import purpose_of_run
from ...models import (
    Attempt,
    AttemptOutcome,
    CallState,
    CallSums,
    LanguageModel,
    ModelJudgment,
    OutputSums,
    Response,
    Run,
    RunKind,
    RunState,
)
from ..visibility import known_attempts, known_calls

# The rows that `OutputSums` is about.
SUMMED = (Response, ModelJudgment)


@dataclass(frozen=True, slots=True)
class Counts:
    """Calls of a run by outcome; `left` and `sent` are unfinished."""

    done: int = 0
    in_doubt: int = 0
    failed: int = 0
    sent: int = 0
    left: int = 0
    cancelled: int = 0

    @classmethod
    def of(cls, by_state: dict[str, int]) -> "Counts":
        names = {CallState.PENDING: "left"}
        return cls(**{names.get(CallState(state), state): count for state, count in by_state.items()})

    @property
    def total(self) -> int:
        return self.done + self.in_doubt + self.failed + self.sent + self.left + self.cancelled

    @property
    def open(self) -> int:
        return self.sent + self.left


@dataclass(frozen=True, slots=True)
class Money:
    spent: Decimal = Decimal(0)
    held: Decimal = Decimal(0)
    perhaps: Decimal = Decimal(0)


@dataclass(slots=True)
class Sums:
    """One model's share of a run: its calls by state, and their money."""

    counts: dict[str, int] = field(default_factory=dict)
    money: Money = Money()


def sums_of(run: Run, reader: User | None) -> dict[int, Sums]:
    """Sums by model, of the calls that `reader` may know of. None is a command, which may know of all."""
    if run.kind == RunKind.SUGGESTION:
        return _counted(run, reader)
    return {
        each.model_id: Sums(_by_state(each), Money(each.spent, each.held, each.perhaps_spent))
        for each in run.call_sums.all()
    }


def counts_of(runs: Collection[Run], *, reader: User) -> dict[int, Counts]:
    """The calls of each run of a list, or its imported responses, by its primary key."""
    shown = [run for run in runs if not run.is_starting]
    found: dict[int, list[dict[str, int]]] = {run.pk: [] for run in runs}
    for each in CallSums.objects.filter(run__in=[run for run in shown if run.kind != RunKind.SUGGESTION]):
        found[each.run_id].append(_by_state(each))
    for run in shown:
        if run.kind == RunKind.SUGGESTION:
            found[run.pk] += [each.counts for each in _counted(run, reader).values()]
    imported = OutputSums.objects.visible().filter(run__in=[run for run in shown if run.kind == RunKind.IMPORT])
    for pk, count in imported.values_list("run").annotate(count=Sum("count")).order_by():
        found[pk].append({CallState.DONE: count})
    return {pk: Counts.of(add(by_state)) for pk, by_state in found.items()}


def calls_of(model: LanguageModel, *, reader: User) -> int:
    """The number of calls to this model in all runs."""
    rows = model.call_sums.exclude(run__state=RunState.STARTING).select_related("run")
    of_the_desk = [known_calls(each.run, reader) for each in rows if each.run.kind == RunKind.SUGGESTION]
    others = (sum(_by_state(each).values()) for each in rows if each.run.kind != RunKind.SUGGESTION)
    return sum(others) + sum(calls.filter(model=model).count() for calls in of_the_desk)


def _by_state(sums: CallSums) -> dict[str, int]:
    return {state: count for state in CallState if (count := getattr(sums, state))}


def _counted(run: Run, reader: User | None) -> dict[int, Sums]:
    """The same, counted: one person may know of more calls for suggestions than another."""
    found: dict[int, Sums] = {}
    by_state = known_calls(run, reader).values_list("model", "state").annotate(count=Count("pk")).order_by()
    for model, state, count in by_state:
        found.setdefault(model, Sums()).counts[state] = count
    for model, money in money_by_model(known_attempts(run, reader)).items():
        found.setdefault(model, Sums()).money = money
    return found


def money_by_model(attempts: QuerySet[Attempt]) -> dict[int, Money]:
    """Money spent, by model, in one query: attempts contain whole requests, and there are as many as calls."""
    # A call answered without token counts was paid as well, but the amount is not known.
    unknown = Q(outcome=AttemptOutcome.IN_DOUBT) | Q(outcome=AttemptOutcome.ANSWERED, cost=None)
    rows = attempts.values("model").order_by()
    rows = rows.annotate(
        spent=Sum("cost"),
        held=Sum("possible_cost", filter=Q(outcome=AttemptOutcome.SENT)),
        perhaps=Sum("possible_cost", filter=unknown),
    )
    return {row["model"]: Money(*(row[name] or Decimal(0) for name in ("spent", "held", "perhaps"))) for row in rows}


def add(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    summed = Counter[str]()
    for each in counts:
        summed.update(each)
    return summed


@dataclass(slots=True)
class Outputs:
    """The outputs of a run's replies: the number with each mark, and their tokens. Outputs reused from earlier runs
    are counted, their tokens are not.
    """

    marks: dict[str, int]
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    reused: int = 0
    # Responses with marks that resemble those around thoughts but have no known form.
    with_marks_left: int = 0


TOKENS = {"tokens_in": "prompt_tokens", "tokens_out": "completion_tokens", "tokens_cached": "cached_tokens"}


def outputs_of(run: Run) -> Outputs:
    purpose = purpose_of_run(run)
    outputs = purpose.outputs(run) if purpose else None
    if outputs is None or outputs.model in SUMMED:
        return _kept_outputs(run)
    marks = dict(outputs.values_list("mark").annotate(count=Count("pk")).order_by())
    sums = outputs.filter(reused=False).aggregate(**{name: Sum(column, default=0) for name, column in TOKENS.items()})
    return Outputs(marks, reused=outputs.filter(reused=True).count() if run.reuses_replies else 0, **sums)


def _kept_outputs(run: Run) -> Outputs:
    rows = OutputSums.objects.visible().filter(run=run).values_list("mark").order_by()
    sums = {"reused": "reused", **TOKENS}
    found = list(rows.annotate(number=Sum("count"), **{f"sum_{name}": Sum(sums[name]) for name in sums}))
    added = [sum(column) for column in zip(*(row[2:] for row in found), strict=True)]
    marks = {mark: number for mark, number, *_ in found if number}
    left = Response.objects.filter(run=run).exclude(marks_left="").count()
    return Outputs(marks, with_marks_left=left, **dict(zip(sums, added, strict=True)) if added else {})
