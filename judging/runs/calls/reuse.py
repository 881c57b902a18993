"""Reuses replies from earlier runs: at temperature 0, the same request should get the same answer, so it need not
be paid again.

Only if the run was planned this way, and never silently: the attempt, the response or judgment, and their exports
show it. The same request is the same address with its parameters, and the same body: model, messages and decoding
(`judging.endpoints.requests.request_digest`). Only complete answers are reused, of judges only readable verdicts;
never one that was itself reused, and never one of the same run. The n-th repetition reuses an n-th one.

This happens while a run starts, before its first call can go out; later failures are asked again, at their price.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from core.engine.writing.pieces import in_pieces

from ...catalogue.messages import Request, make_request
from ...endpoints.replies import read_reply
from ...models import Attempt, AttemptOutcome, Call, CallState, LanguageModel, Mark, ModelKind, Run
from .calls import read_in_order
from .outputs import store_outputs

AT_A_TIME = 200
WHOLE = Q(response__mark=Mark.COMPLETE) | (Q(judgment__mark=Mark.COMPLETE) & ~Q(judgment__verdict=""))


class Asked(NamedTuple):
    """The key of a question: the request's digest, the repetition (None for a judgment), the part of the answer."""

    digest: str
    repetition: int | None
    part: int


def can_reuse(run: Run, model: LanguageModel) -> bool:
    """Return whether the run reuses replies of this model, if there are any."""
    return run.reuses_replies and model.kind == ModelKind.ENDPOINT and model.is_at_zero_temperature


def earlier_replies(run: Run, asked: Collection[Asked]) -> dict[Asked, int]:
    """The attempts whose replies this run can reuse, by question: the earliest of each."""
    answered = Attempt.objects.filter(
        WHOLE, outcome=AttemptOutcome.ANSWERED, request_digest__in={each.digest for each in asked}
    ).exclude(call__run=run.pk)
    found = answered.order_by("-pk").values_list("request_digest", "call__repetition", "call__answer_part", "pk")
    return {Asked(digest, repetition, part): pk for digest, repetition, part, pk in found}


class Reused(NamedTuple):
    """A call with the earlier attempt whose reply it reuses."""

    call: Call
    request: Request
    source: int


def take_over_replies(run: Run, *, renew: Callable[[], object]) -> None:
    """Answer the run's pending calls for which earlier runs have a reply. `renew` is called in each piece's
    transaction; its exceptions end this.
    """
    models = {model.pk: model for model in run.language_models.all() if can_reuse(run, model)}

    def write(piece: list[Reused]) -> None:
        renew()
        write_reused(piece)

    in_pieces(reusable(run, models), write, most=AT_A_TIME)


def reusable(run: Run, models: dict[int, LanguageModel]) -> Iterator[Reused]:
    """The calls that can reuse a reply."""
    calls = run.calls.filter(state=CallState.PENDING, attempts_made=0, model__in=models)
    for some in read_in_order(calls):
        requests = dict(requests_of(run, models, some))
        asked = {
            call.pk: Asked(request.digest, call.repetition, call.answer_part) for call, request in requests.items()
        }
        sources = earlier_replies(run, asked.values())
        for call, request in requests.items():
            if source := sources.get(asked[call.pk]):
                yield Reused(call, request, source)


def requests_of(run: Run, models: dict[int, LanguageModel], calls: Iterable[Call]) -> Iterator[tuple[Call, Request]]:
    for call in calls:
        call.run, call.model = run, models[call.model_id]
        try:
            yield call, make_request(call)
        except ValueError:
            continue  # it fails when it is to go out, and says why


def write_reused(piece: list[Reused]) -> None:
    """Answer these calls with their earlier replies. Call it in a transaction."""
    now = timezone.now()
    sources = Attempt.objects.select_related("call").in_bulk([each.source for each in piece])
    attempts = Attempt.objects.bulk_create(
        Attempt(
            call=each.call,
            number=1,
            model=each.call.model,
            request=each.request.body,
            request_digest=each.request.digest,
            reused_from=sources[each.source],
            outcome=AttemptOutcome.REUSED,
            message=f"Reused from run {sources[each.source].call.run_id}, which had sent the same request. "
            "Nothing was sent.",
            raw=sources[each.source].raw,
            cost=0,
            sent_at=now,
            ended_at=now,
        )
        for each in piece
    )
    Call.objects.filter(pk__in=[each.call.pk for each in piece]).update(
        state=CallState.DONE, attempts_made=1, ended_at=now
    )
    for each in piece:
        each.call.attempts_made = 1
    replies = [read_reply(bytes(attempt.raw or b""), seconds=None) for attempt in attempts]
    store_outputs(list(zip((each.call for each in piece), attempts, replies, strict=True)), now=now)
