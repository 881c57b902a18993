"""Verdicts of judge models as rows, without calls."""

from typing import Any

from django.utils import timezone

from judging.models import (
    Attempt,
    AttemptOutcome,
    Call,
    CallState,
    LanguageModel,
    ModelJudgment,
    Response,
    Run,
    RunKind,
    RunState,
)


def make_judge_run() -> Run:
    return Run.objects.create(kind=RunKind.JUDGE, state=RunState.FINISHED, started_at=timezone.now())


def say(
    response: Response, verdict: str, *, judge: str = "Judge", run: Run | None = None, **values: Any
) -> ModelJudgment:
    """The judge model's verdict on the response; "" for a reply that cannot be read."""
    run = run or Run.objects.filter(kind=RunKind.JUDGE).first() or make_judge_run()
    model = LanguageModel.objects.get_or_create(
        name=judge, defaults={"base_url": "http://127.0.0.1:1/v1", "endpoint_name": "judge"}
    )[0]
    now = timezone.now()
    call = Call.objects.create(
        run=run,
        model=model,
        purpose="judgment",
        judged_response=response,
        state=CallState.DONE,
        attempts_made=1,
        ended_at=now,
    )
    attempt = Attempt.objects.create(
        call=call, number=1, model=model, request={}, outcome=AttemptOutcome.ANSWERED, ended_at=now, raw=b"{}"
    )
    return ModelJudgment.objects.create(
        run=run,
        response=response,
        model=model,
        attempt=attempt,
        verdict=verdict,
        unreadable_reason="" if verdict else "empty",
        assembly="test",
        **values,
    )
