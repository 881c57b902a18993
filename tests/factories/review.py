"""Responses of two models, a dealt round, and judgments."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from annotation.models import Instance
from core.models import User
from judging.models import LanguageModel, ModelKind, Response, Run, RunKind, RunState
from review.models import Item, Judgment, KnownVerdict, Round, RoundReviewer
from review.rounds.dealing.dealing import deal_round
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.rounds import create_round
from review.rounds.setting_aside import set_aside
from tests.factories.judging import make_instance, templates


def make_named_model(name: str) -> LanguageModel:
    return LanguageModel.objects.get_or_create(name=name, defaults={"kind": ModelKind.IMPORTED})[0]


def make_response(run: Run, instance: Instance, *, model: str = "Mist", code: str = "4", **values: Any) -> Response:
    defaults = {"text": "{answer_1}, or {answer_2}.".format(**instance.content), "imported": {}}
    return Response.objects.create(
        run=run, instance=instance, model=make_named_model(model), template=templates(code)[0], **defaults | values
    )


def make_imported_run(
    instances: int = 3, *, models: Sequence[str] = ("Mist", "Llam"), codes: Sequence[str] = ("4",), **values: Any
) -> Run:
    """An imported run with a response by each model to each instance and template."""
    run = Run.objects.create(
        **{"name": "first", "kind": RunKind.IMPORT, "state": RunState.FINISHED, "started_at": timezone.now()} | values
    )
    for number in range(1, instances + 1):
        instance = make_instance(number)
        for model in models:
            for code in codes:
                make_response(run, instance, model=model, code=code)
    return run


def make_known(run: Run, *, use: str, verdict: str = "correct", **values: Any) -> KnownVerdict:
    response = make_response(run, make_instance(KnownVerdict.objects.count() + 1001), **values)
    return KnownVerdict.objects.create(
        response=response, use=use, verdict=verdict, explanation="It names both years and prefers none."
    )


def make_round(admin: User, reviewers: Sequence[User], run: Run | None = None, **values: Any) -> Round:
    """A round that is dealt and open."""
    run = run or make_imported_run()
    name = f"Round {Round.objects.count() + 1}"
    round = create_round(**{"admin": admin, "name": name, "runs": [run], "reviewers": reviewers} | values)
    deal_round(round.pk)
    round.refresh_from_db()
    return round


def slot_of(item: Item, person: User) -> Judgment:
    return Judgment.objects.get(item=item, reviewer=person)


def give(slot: Judgment, verdict: str = "correct", *, at: datetime | None = None, **values: Any) -> Judgment:
    """Record a judgment by the slot's reviewer; by default long enough ago to count."""
    assert slot.reviewer is not None
    at = at or timezone.now() - timedelta(days=1)
    return record_judgment(slot=slot, reviewer=slot.reviewer, verdict=verdict, at=at, **values)


def give_all(item: Item, *verdicts: str) -> None:
    """Record judgments by all reviewers, which count. An empty verdict is "cannot judge"."""
    for slot, verdict in zip(item.judgments.order_by("number"), verdicts, strict=True):
        give(slot, verdict, cannot_judge="" if verdict else "the response breaks off")
    complete_pairs(round=item.round)


def reviewer_in(round: Round, person: User) -> RoundReviewer:
    return RoundReviewer.objects.select_related("round", "person").get(round=round, person=person)


def rows_of_review(admin: User, reviewer: User, other: User) -> dict[str, Any]:
    """One row of each kind, under names for addresses: a round with a disagreement that the two may adjudicate."""
    run = make_imported_run(3, models=("Mist",))
    known = make_known(run, use="check")
    round = make_round(admin, [reviewer, other], run, adjudicate_among_two=True)
    disputed, agreed, left = round.items.order_by("pk")
    give_all(disputed, "correct", "incorrect")
    give_all(agreed, "correct", "correct")
    return {
        "round": round.pk,
        "round_key": round.key,
        "round_person": reviewer.pk,
        "judgment": slot_of(left, reviewer).key,
        "given_judgment": slot_of(agreed, reviewer).pk,
        "adjudication": disputed.adjudication.key,
        "set_aside": set_aside(instance=agreed.instance, person=admin, reason="ambiguous").pk,
        "known": known.pk,
        "exported": "judgments",
        "form": "contradoc-verification",
    }
