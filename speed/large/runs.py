"""Generates two large runs in the database itself: one in which models answer, half of it done, and one in which two
judge models have judged. Everything is computed, not drawn at random, so every execution makes the same rows.

At every size, 100 calls failed and 20 are in doubt, so that pages show the same number; two verdicts of a hundred
cannot be read.
"""

from typing import Any

from speed.laboratory import analyse, new_instance, new_uuid
from speed.large.queue import fill, first, references_checked_at_once

PER_INSTANCE, MODELS, TEMPLATES, JUDGES = 50, 10, ("1", "2", "3", "4", "5"), 2
VERDICTS = "CASE i * 79 % 3 WHEN 0 THEN 'correct' WHEN 1 THEN 'partially_correct' ELSE 'incorrect' END"
UNREADABLE = "i % 100 IN (3, 4)"
ENDED = "CASE WHEN i < 100 THEN 'failed' WHEN i < 120 THEN 'in_doubt' ELSE 'done' END"
REPLY = "'One source says 1903 and another says 1899, so both years have to be named. Reply ' || i"
REQUEST = '{"model": "a-model", "messages": [{"role": "user", "content": "When did the bridge open?"}]}'


@references_checked_at_once("judging")
def make_large_runs(calls: int) -> tuple[Any, Any]:
    """Add both runs, with about this many calls each, to a database without calls; returns them."""
    from django.utils import timezone

    from annotation.models import Instance
    from judging.models import LanguageModel, ModelJudgment, PromptTemplate, Response, Run, RunKind, RunState
    from judging.protocol.verdicts import Unreadable

    priced = {"base_url": "http://127.0.0.1:1/v1", "endpoint_name": "a-model", "price_in": 1, "price_out": 2}
    names = [f"Model {number}" for number in range(MODELS)] + [f"Judge {number}" for number in range(JUDGES)]
    models = LanguageModel.objects.bulk_create(LanguageModel(name=name, **priced) for name in names)
    Instance.objects.bulk_create(
        new_instance(f"{each:064d}", question=f"When did bridge {each} open?", answer_1="1903", answer_2="1899")
        for each in range(max(calls // PER_INSTANCE, 1))
    )
    began = {"started_at": timezone.now()}
    answers = Run.objects.create(kind=RunKind.ANSWER, state=RunState.RUNNING, **began)
    answers.language_models.set(models[:MODELS])
    judged = Run.objects.create(kind=RunKind.JUDGE, state=RunState.FINISHED, **began)
    judged.language_models.set(models[MODELS:])
    template = "CASE i % 5 " + " ".join(
        f"WHEN {at} THEN {PromptTemplate.objects.get(code=code, version=1).pk}" for at, code in enumerate(TEMPLATES)
    )
    asked = {
        "instance_id": f"{first(Instance)} + i / {PER_INSTANCE}",
        "model_id": f"{models[0].pk} + i % {PER_INSTANCE} / {len(TEMPLATES)}",
        "template_id": f"{template} END",
        "repetition": "1",
    }
    state = f"CASE WHEN i >= {calls // 2} THEN 'pending' ELSE {ENDED} END"
    asked_at = _make_calls(answers, calls, state, asked)
    fill(Response, calls // 2, where=f"{ENDED} = 'done'", **_output(answers, asked_at), **asked)
    # Each response has two judges.
    asked = {"model_id": f"{models[MODELS].pk} + i % {JUDGES}"}
    response = f"{first(Response)} + i / {JUDGES}"
    count = Response.objects.count() * JUDGES
    asked_at = _make_calls(judged, count, "'done'", asked | {"purpose": "'judgment'", "judged_response_id": response})
    said = {
        "response_id": response,
        "verdict": f"CASE WHEN {UNREADABLE} THEN '' ELSE {VERDICTS} END",
        "unreadable_reason": f"CASE WHEN {UNREADABLE} THEN '{Unreadable.NOT_STATED}' ELSE '' END",
    }
    fill(ModelJudgment, count, **_output(judged, asked_at), **asked, **said)
    analyse()
    return answers, judged


def _make_calls(run: Any, count: int, state: str, asked: dict[str, str]) -> int:
    """The calls of a run with one attempt at each that is done; returns the number of the first attempt."""
    from django.db import connection
    from django.db.models import Max

    from judging.models import Attempt, Call

    is_over = f"({state}) <> 'pending'"
    failed = f"({state}) IN ('failed', 'in_doubt')"
    fill(
        Call,
        count,
        **asked,
        run_id=str(run.pk),
        key=new_uuid(),
        state=state,
        attempts_made=f"CASE WHEN {is_over} THEN 1 ELSE 0 END",
        ended_at=f"CASE WHEN {is_over} THEN {_ended_at()} END",
        error=f"CASE WHEN {failed} THEN 'No answer in time' ELSE '' END",
        reason=f"CASE WHEN {failed} THEN 'time-out' ELSE '' END",
        failure_group=f"CASE WHEN {failed} THEN 'group' || i % 3 ELSE '' END",
    )
    call = Call.objects.filter(run=run).order_by("pk").values_list("pk", flat=True)[0]
    before = Attempt.objects.aggregate(last=Max("pk"))["last"] or 0
    fill(
        Attempt,
        count,
        where=f"({state}) = 'done'",
        call_id=f"{call} + i",
        number="1",
        model_id=asked["model_id"],
        request=f"'{REQUEST}'",
        outcome="'answered'",
        ended_at=_ended_at(),
        possible_cost="0.002",
        cost="0.001",
        raw="'\\x7b7d'::bytea" if connection.vendor == "postgresql" else "x'7b7d'",
    )
    return Attempt.objects.filter(pk__gt=before).order_by("pk").values_list("pk", flat=True)[0]


def _output(run: Any, attempt: int) -> dict[str, str]:
    """The columns of a call's output. Attempts and outputs are numbered alike, without failed ones."""
    return {
        "key": new_uuid(),
        "run_id": str(run.pk),
        "attempt_id": f"{attempt} - 1 + ROW_NUMBER() OVER (ORDER BY i)",
        "text": REPLY,
        "prompt_tokens": "400",
        "completion_tokens": "100",
        "cost": "0.001",
        "answered_at": _ended_at(),
    }


def _ended_at() -> str:
    """The time of an attempt's end: long ago, as a run's page also counts the calls of the last minute."""
    from django.db import connection

    return "'2026-01-01 12:00:00'" + ("::timestamptz" if connection.vendor == "postgresql" else "")
