"""The costs of runs: responses and judgments of models, tokens, money and time, by run and model."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Avg, Count, Q, QuerySet, Sum
from django.urls import reverse

from core.languages import say, say_count
from core.words import in_currency, money
from judging.models import Attempt, AttemptOutcome, CallState, LanguageModel, ModelJudgment, Response, Run, RunKind
from judging.runs.visibility import hidden_calls

from ..statistics.estimates import Undefined
from ..statistics.rounding import half_up
from .drawing.plots import amounts
from .layout import Cell, Column, Note, Report, Section, Table, Value, undefined_cell
from .scope import Scope

NOTHING = Decimal(0)
NO_TIME = Undefined(say("no reply says how long it took"))
CURRENCY = {"currency": settings.CURRENCY}
# The work of a model in a run, in words for pages.
DONE = {"answered": say("answered"), "judged": say("judged"), "in doubt": say("in doubt")}
COUNTED = ("replies", "tokens_in", "tokens_out", "tokens_cached", "cost", "without_cost", "in_doubt", "mean_seconds")


@dataclass(frozen=True, slots=True)
class Cost:
    """One model in one run. `cost` is the sum of the known costs; `without_cost` counts replies without a cost."""

    run: Run
    model: LanguageModel
    did: str
    replies: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost: Decimal
    without_cost: int
    mean_seconds: float | None
    in_doubt: Decimal

    @property
    def each(self) -> Decimal | None:
        known = self.replies - self.without_cost
        return self.cost / known if known else None


def cost_report(scope: Scope) -> Report:
    """The costs. A round costs nothing, so only release and run narrow it."""
    costs = _costs(scope)
    total = sum((each.cost for each in costs), NOTHING)
    doubt = sum((each.in_doubt for each in costs), NOTHING)
    notes = []
    if doubt:
        notes.append(
            Note(
                say(
                    "Calls in doubt may have cost up to {doubt} more; that is not in any total here.",
                    doubt=money(doubt),
                )
            )
        )
    if any(each.without_cost for each in costs if each.model.is_priced):
        notes.append(
            Note(say("Some replies of models with a price did not report their tokens; they are not in any cost."))
        )
    return Report(
        title=say("Costs"),
        lead=_sentences(costs, total),
        sections=[
            Section(
                "",
                plots=[
                    amounts(
                        say("Costs by run and model"),
                        [(f"{each.run}, {each.model}", each.cost, money(each.cost)) for each in costs if each.cost],
                    )
                ]
                if total
                else [],
                table=_table(costs),
            )
        ],
        data={"costs": [_data(each) for each in costs], "total": float(total), "in_doubt": float(doubt)} | CURRENCY,
        records=[_record(each) for each in costs],
        notes=notes,
        empty=say("No model was called yet. Start a run; its costs by model then appear here."),
    )


def _costs(scope: Scope) -> list[Cost]:
    doubtful = _in_doubt(scope)
    found: list[Cost] = []
    runs, models = Run.objects.in_bulk(), LanguageModel.objects.in_bulk()
    # Imported responses were paid for elsewhere.
    judged = ModelJudgment.objects.exclude(attempt=None)
    for did, rows in (("answered", Response.objects.all()), ("judged", judged)):
        for row in _sums(scope, rows):
            run, model, cost = row.pop("run"), row.pop("model"), row.pop("known_cost") or NOTHING
            doubt = doubtful.pop((run, model), NOTHING)
            found.append(Cost(run=runs[run], model=models[model], did=did, cost=cost, in_doubt=doubt, **row))
    for (run, model), cost in doubtful.items():
        found.append(Cost(runs[run], models[model], "in doubt", 0, 0, 0, 0, NOTHING, 0, None, cost))
    return sorted(found, key=lambda each: (-each.run.pk, each.model.name, each.did))


def _sums(scope: Scope, rows: QuerySet) -> QuerySet:
    rows = rows.exclude(run__kind=RunKind.IMPORT)
    if scope.run:
        rows = rows.filter(run=scope.run)
    if scope.release:
        rows = rows.filter(Q(run__release=scope.release) | Q(run__source_runs__release=scope.release)).distinct()
    return (
        rows.order_by()
        .values("run", "model")
        .annotate(
            replies=Count("pk"),
            # Reused replies are counted in the earlier run.
            tokens_in=Sum("prompt_tokens", filter=Q(reused=False), default=0),
            tokens_out=Sum("completion_tokens", filter=Q(reused=False), default=0),
            tokens_cached=Sum("cached_tokens", filter=Q(reused=False), default=0),
            known_cost=Sum("cost"),
            without_cost=Count("pk", filter=Q(cost=None)),
            mean_seconds=Avg("seconds"),
        )
    )


def _in_doubt(scope: Scope) -> dict[tuple[int, int], Decimal]:
    attempts = Attempt.objects.filter(outcome=AttemptOutcome.IN_DOUBT).order_by()
    if scope.reader:
        attempts = attempts.exclude(call__in=hidden_calls(scope.reader))
    if scope.run:
        attempts = attempts.filter(call__run=scope.run)
    if scope.release:
        attempts = attempts.filter(call__run__release=scope.release)
    sums = attempts.values_list("call__run", "model").annotate(cost=Sum("possible_cost"))
    return {(run, model): cost for run, model, cost in sums if cost}


def _sentences(costs: Sequence[Cost], total: Decimal) -> list[str]:
    if not costs:
        return []
    replies = say_count(sum(each.replies for each in costs), "{count:,} reply", "{count:,} replies")
    if not total:
        return [say("{replies} of models without a price: nothing was paid.", replies=replies)]
    dearest = max(costs, key=lambda each: each.cost)
    return [
        say(
            "{replies} cost {total} in all; the most, {cost}, went to {model} in {run}.",
            replies=replies,
            total=money(total),
            cost=money(dearest.cost),
            model=dearest.model,
            run=dearest.run,
        )
    ]


def _table(costs: Sequence[Cost]) -> Table:
    columns = [
        Column(say("Run"), words=True),
        Column(say("Model"), words=True),
        Column(say("Purpose"), words=True),
        Column(say("Replies")),
        Column(say("Tokens in")),
        Column(say("Cached"), title=say("Of the tokens in, those from the provider's cache")),
        Column(say("Tokens out")),
        Column(in_currency(say("Cost"))),
        Column(say("A reply"), title=in_currency(say("Cost of a reply"))),
        Column(say("In doubt"), title=say("Possible cost of calls in doubt")),
        Column(say("Seconds"), title=say("Mean time of a reply")),
    ]
    rows = [
        [
            Cell(str(each.run)),
            Cell(each.model.name),
            Cell(DONE[each.did]),
            Cell(each.replies, href=href),
            Cell(each.tokens_in, href=href),
            Cell(each.tokens_cached, href=href),
            Cell(each.tokens_out, href=href),
            Cell(
                money(each.cost) if each.cost or each.model.is_priced else None,
                say("{without_cost:,} replies without a cost", without_cost=each.without_cost)
                if each.without_cost
                else "",
                href,
            ),
            Cell(money(each.each) if each.each else None, href=href),
            Cell(money(each.in_doubt) if each.in_doubt else None, href=_calls_in_doubt(each)),
            undefined_cell(NO_TIME) if each.mean_seconds is None else Cell(half_up(each.mean_seconds, 2), href=href),
        ]
        for each in costs
        for href in [_replies(each)]
    ]
    return Table(say("Costs by run and model"), columns, rows)


def _replies(each: Cost) -> str:
    """The address of the list of the counted replies."""
    match each.did:
        case "answered":
            return f"{reverse('responses')}?{urlencode({'run': each.run.pk, 'model': each.model.pk})}"
        case "judged":
            return reverse("run_judgments", args=[each.run.pk])
    return _calls_in_doubt(each)


def _calls_in_doubt(each: Cost) -> str:
    return f"{reverse('run_calls', args=[each.run.pk])}?{urlencode({'state': CallState.IN_DOUBT.value})}"


def _record(each: Cost) -> dict[str, Value]:
    return {
        "run": each.run.pk,
        "model": each.model.name,
        "what": each.did,
        **{name: getattr(each, name) for name in COUNTED},
        **CURRENCY,
        "mean_seconds": NO_TIME if each.mean_seconds is None else each.mean_seconds,
    }


def _data(each: Cost) -> dict[str, object]:
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in _record(each).items()}
