"""A run's progress, from its rows: calls by state, money, tokens, speed, failures and their reasons."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from core.models import User
from core.navigation import counted
from core.words import plural

from ...endpoints.reasons import reason_in_words
from ...models import (
    Attempt,
    AttemptOutcome,
    BatchState,
    Call,
    CallBatch,
    CallState,
    LanguageModel,
    Mark,
    ModelJudgment,
    Run,
    RunKind,
    RunState,
    Throttle,
)
from ..visibility import known_calls
from .sums import Counts, Money, add, outputs_of, sums_of

MINUTE = timedelta(minutes=1)
# A speed over a shorter time would be a guess.
SHORTEST = timedelta(seconds=1)
# A run that has been silent for this long, with calls that may go out, has no worker.
SILENCE = timedelta(seconds=30)
MANY_CALLS = 3000
MOST_GROUPS = 50
MOST_BATCHES = 50


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """One model's share of a run. `waits_until` and `waits_because` are set if its endpoint asked for a pause."""

    model: LanguageModel
    counts: Counts
    money: Decimal
    waits_until: datetime | None = None
    waits_because: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Calls that failed or are in doubt: same model, same kind, same message."""

    key: str
    reason: str
    calls: int
    model: str
    example: str

    @property
    def words(self) -> str:
        return reason_in_words(self.reason)


@dataclass(frozen=True, slots=True)
class Progress:
    run: Run
    calls: QuerySet[Call]
    counts: Counts
    models: list[ModelProgress]
    marks: dict[str, int]
    # The cost of answered calls, the money reserved for calls in flight, and the possible cost of calls in doubt.
    spent: Decimal
    held: Decimal
    perhaps_spent: Decimal
    # The most that repeating the calls in doubt could cost, on top.
    doubt_costs: Decimal
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    reused: int  # replies reused from earlier runs; their tokens are not counted
    with_marks_left: int  # responses with marks as around thoughts, of a form that is not known
    speed: float  # calls per minute
    last_ended_at: datetime | None
    failed: list[Group]
    in_doubt: list[Group]

    @property
    def has_prices(self) -> bool:
        return any(each.model.is_priced for each in self.models)

    @property
    def calls_a_minute(self) -> int:
        return round(self.speed)

    @property
    def time_left(self) -> timedelta | None:
        """The remaining time at the speed of the last minute; None if that says nothing, for example while an
        endpoint makes us pause.
        """
        if self.run.state != RunState.RUNNING or not self.speed or not self.counts.open:
            return None
        if self.run.in_batches or any(each.waits_until and each.counts.open for each in self.models):
            return None
        return timedelta(minutes=self.counts.open / self.speed)

    @property
    def failed_elsewhere(self) -> int:
        """Failed calls in groups too small to be listed."""
        return self.counts.failed - sum(group.calls for group in self.failed)

    @property
    def seconds_to_refresh(self) -> int:
        """Seconds between refreshes: sums over a large run take a while, and little changes in two seconds."""
        return 2 if self.counts.total < MANY_CALLS else 6

    @property
    def is_silent(self) -> bool:
        """Return whether calls could be sent but nobody takes them: most likely no worker is running."""
        now = timezone.now()
        if self.run.state != RunState.RUNNING or self.counts.sent or not self.counts.left:
            return False
        if any(each.waits_until and each.waits_until > now for each in self.models):
            return False
        heard = max(filter(None, [self.last_ended_at, self.run.started_at]), default=now)
        due = self.calls.filter(state=CallState.PENDING, not_before__lt=now - SILENCE)
        return now - heard > SILENCE and due.exists()

    @property
    def replies(self) -> int:
        return sum(self.marks.values())

    @property
    def marked(self) -> list[tuple[str, str, int]]:
        """Replies that are not answers: (mark, label, count)."""
        return [
            (mark.value, str(mark.label), self.marks[mark])
            for mark in Mark
            if mark != Mark.COMPLETE and self.marks.get(mark)
        ]


REUSED = Attempt.objects.filter(call=OuterRef("pk"), outcome=AttemptOutcome.REUSED)


def progress_of(run: Run, *, reader: User | None = None) -> Progress:
    """The run's progress, from the calls that `reader` may know of; None is a command, which may know of all."""
    calls = known_calls(run, reader)
    sums = sums_of(run, reader)
    by_model = {} if run.is_starting else {model: each.counts for model, each in sums.items()}
    counts = Counts.of(add(by_model.values()))
    money = [each.money for each in sums.values()]
    asked = calls.exclude(Exists(REUSED)) if run.reuses_replies else calls
    return Progress(
        run=run,
        calls=calls,
        counts=counts,
        models=models_of(run, by_model, {model: each.money for model, each in sums.items()}),
        spent=sum((each.spent for each in money), Decimal(0)),
        held=sum((each.held for each in money), Decimal(0)),
        perhaps_spent=sum((each.perhaps for each in money), Decimal(0)),
        doubt_costs=cost_of_repeating(calls),
        **asdict(outputs_of(run)),
        speed=speed_of(asked, now=timezone.now()),
        last_ended_at=calls.filter(ended_at__isnull=False).aggregate(at=Max("ended_at"))["at"],
        failed=kept_groups(run, calls, CallState.FAILED, counts.failed, reader),
        in_doubt=kept_groups(run, calls, CallState.IN_DOUBT, counts.in_doubt, reader),
    )


def speed_of(calls: QuerySet[Call], *, now: datetime) -> float:
    """Calls completed per minute, over the last minute; at the beginning, and after a pause, over the time since the
    first call went out."""
    ended = Q(ended_at__gt=now - MINUTE) & ~Q(state=CallState.CANCELLED)
    count = calls.filter(ended).count()
    if not count:
        return 0.0
    under_way = calls.filter(ended | Q(state=CallState.SENT), attempts__number=F("attempts_made"))
    first_sent = under_way.aggregate(at=Min("attempts__sent_at"))["at"] or now - MINUTE
    minutes = (now - max(first_sent, now - MINUTE)) / MINUTE
    return count / max(minutes, SHORTEST / MINUTE)


def models_of(run: Run, counts: dict[int, dict[str, int]], money: dict[int, Money]) -> list[ModelProgress]:
    throttles = {each.model_id: each for each in Throttle.objects.filter(model__runs=run)}
    now = timezone.now()
    rows = []
    for model in run.language_models.all():
        throttle = throttles.get(model.pk) or Throttle(model=model)
        pause = throttle.pause_at(now)
        rows.append(
            ModelProgress(
                model=model,
                counts=Counts.of(counts.get(model.pk, {})),
                money=money.get(model.pk, Money()).spent,
                waits_until=pause,
                waits_because=throttle.reason if pause else "",
            )
        )
    return rows


def kept_groups(run: Run, calls: QuerySet[Call], state: CallState, number: int, reader: User | None) -> list[Group]:
    """The groups of this number of calls in this state. For very many calls, they may be slightly out of date."""
    key = "groups of calls", run.pk, state, number, reader and reader.pk
    return counted(key, lambda: groups_of(calls, state))


def groups_of(calls: QuerySet[Call], state: CallState) -> list[Group]:
    """The largest groups of the calls in this state, the most frequent first."""
    rows = calls.filter(state=state).values("failure_group", "model__name")
    rows = rows.annotate(count=Count("pk"), kind=Max("reason"), example=Max("error")).order_by(
        "-count", "failure_group"
    )
    return [
        Group(
            key=row["failure_group"],
            reason=row["kind"],
            calls=row["count"],
            model=row["model__name"],
            example=row["example"],
        )
        for row in rows[:MOST_GROUPS]
    ]


def cost_of_repeating(calls: QuerySet[Call]) -> Decimal:
    """The maximum cost of repeating each call now in doubt once."""
    doubtful = calls.filter(state=CallState.IN_DOUBT)
    last = Attempt.objects.filter(call__in=doubtful).values("call").annotate(cost=Max("possible_cost")).order_by()
    return sum((row["cost"] for row in last), Decimal(0))


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A batch of the run with the number of its calls still in flight."""

    batch: CallBatch
    number: int
    on_their_way: int

    @property
    def is_creation_unknown(self) -> bool:
        return self.batch.state == BatchState.CREATING and self.batch.asked_at is not None


def batches_of(run: Run) -> list[BatchProgress]:
    """The latest batches of a run, the newest first."""
    count = run.call_batches.count()
    newest = list(run.call_batches.select_related("model").order_by("-pk")[:MOST_BATCHES])
    sent = Attempt.objects.filter(call_batch__in=newest, outcome=AttemptOutcome.SENT).order_by()
    on_their_way = dict(sent.values_list("call_batch").annotate(n=Count("pk")))
    return [BatchProgress(each, count - n, on_their_way.get(each.pk, 0)) for n, each in enumerate(newest)]


def judge_runs_of(run: Run, *, is_blind: bool) -> QuerySet[Run]:
    """Judge runs over responses of this run. Those over selected responses are left out for an admin who judges in an
    unfinished round: their names may say which response, and this page would tell its run.
    """
    if is_blind:
        return Run.objects.filter(source_runs=run, kind=RunKind.JUDGE).order_by("-pk")
    judged = Exists(ModelJudgment.objects.filter(run=OuterRef("pk"), response__run=run))
    # One of source runs judges nothing else.
    found = Run.objects.filter(Q(source_runs=run) | (Q(source_runs=None) & judged), kind=RunKind.JUDGE)
    return found.distinct().order_by("-pk")


def calls_in_flight() -> list[str]:
    """The number of calls that a worker waits for, in words; empty if there are none."""
    number = Call.objects.filter(state=CallState.SENT, call_batch=None).count()
    return [plural(number, "call in flight", "calls in flight")] if number else []
