"""Chooses the responses of given runs that a round can deal, and gives reasons for the others."""

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import Case, Exists, OuterRef, Q, Value, When

from core.languages import say
from judging.models import Mark, PromptTemplate, Response, Run, RunKind
from judging.protocol.tasks import benchmarks_of

from ...models import FinalVerdict, Item, ItemKind, Judgment, KnownVerdict, Round, RoundState, SetAside
from ..questionnaires import Subject, Wanted
from .order import stratified_sample


class LeftOut(models.TextChoices):
    OTHER_TASK = "other_task", say("Replies to another task")
    NO_ANSWER = "no_answer", say("No complete answer: cut, empty, refused, filtered, interrupted or unknown")
    SET_ASIDE = "set_aside", say("The instance is set aside")
    KNOWN = "known", say("The verdict is known: training set or check item")
    DECIDED = "decided", say("Already has a final verdict")
    ELSEWHERE = "elsewhere", say("Judged in another round")
    SEEN = "seen", say("Too few of the reviewers may judge it: the others know it, or a judgment of it")
    NOT_DRAWN = "not_drawn", say("Not drawn for the sample")


def runs_to_judge(tasks: Collection[str]) -> models.QuerySet[Run]:
    """Runs with replies to one of these tasks."""
    of_benchmark = Q(release=None) | Q(release__benchmark__in=benchmarks_of(tasks))
    replies = Response.objects.filter(run=OuterRef("pk"), template__in=_templates(tasks))
    return Run.objects.exclude(kind=RunKind.JUDGE).filter(of_benchmark, Exists(replies))


def _templates(tasks: Collection[str]) -> list[int]:
    return list(PromptTemplate.objects.filter(task__in=tasks).order_by().values_list("pk", flat=True))


def untouched_items() -> models.QuerySet[Item]:
    """Items of closed rounds that nobody has judged: another round may have their responses."""
    given = Judgment.objects.given().filter(item=OuterRef("pk"))
    return Item.objects.filter(~Exists(given), kind=ItemKind.ORDINARY, round__state=RoundState.CLOSED)


def responses_in(runs: Collection[Run], responses: Collection[Response] = ()) -> models.QuerySet[Response]:
    """The responses for a round: the given ones, otherwise all those of the runs. An answer of several calls is
    judged once, at its first part, which has the reading of all.
    """
    if responses:
        return Response.objects.filter(pk__in=[response.pk for response in responses])
    return Response.objects.filter(run__in=runs, answer_part=1)


def responses_of(round: Round) -> models.QuerySet[Response]:
    """The responses of a round, as it was begun."""
    return responses_in(round.runs.all(), round.selected_responses.only("pk"))


def responses_with_reason(responses: models.QuerySet[Response], tasks: Collection[str]) -> Any:
    """These responses, each with `left_out`: the reason why a round that judges replies to these tasks cannot have
    it, or nothing.
    """
    this = {"response": OuterRef("pk")}
    taken = Item.objects.filter(kind=ItemKind.ORDINARY, **this).exclude(pk__in=untouched_items())
    set_aside = list(SetAside.objects.active().values_list("instance", flat=True))
    return responses.annotate(
        left_out=Case(
            When(~Q(template__in=_templates(tasks)), then=Value(LeftOut.OTHER_TASK)),
            When(~Q(mark=Mark.COMPLETE), then=Value(LeftOut.NO_ANSWER)),
            *([When(instance__in=set_aside, then=Value(LeftOut.SET_ASIDE))] if set_aside else []),
            When(Exists(KnownVerdict.objects.filter(**this)), then=Value(LeftOut.KNOWN)),
            # Checked before the final verdict: people who judge in another round must not learn whether it has
            # reached one.
            When(Exists(taken), then=Value(LeftOut.ELSEWHERE)),
            When(Exists(FinalVerdict.objects.filter(**this)), then=Value(LeftOut.DECIDED)),
            default=Value(""),
            output_field=models.CharField(),
        )
    )


def count_left_out(responses: models.QuerySet[Response], tasks: Collection[str]) -> dict[str, int]:
    """The number of responses by reason; under the empty one, those that can be dealt."""
    counted = (
        responses_with_reason(responses, tasks).order_by().values_list("left_out").annotate(count=models.Count("pk"))
    )
    return {"": 0, **dict(counted)}


def choose_responses(wanted: Wanted, tasks: Collection[str]) -> tuple[list[Subject], dict[str, int]]:
    """The replies to these tasks for a round to deal, and the number of responses left out, by reason."""
    round, responses, size = wanted.round, wanted.responses, wanted.round.sample_size
    left_out = count_left_out(responses, tasks)
    del left_out[""]
    rows = list(
        responses_with_reason(responses, tasks)
        .filter(left_out="")
        .order_by("pk")
        .values_list("pk", "instance", "model", "template", "instance__category")
    )
    drawn = list(range(len(rows)))
    if size is not None:
        drawn = stratified_sample([row[2:] for row in rows], size, seed=round.seed)
        left_out |= {LeftOut.NOT_DRAWN: len(rows) - len(drawn)} if len(drawn) < len(rows) else {}
    chosen = [rows[index][:2] for index in drawn]
    return [Subject(response, like=instance, instance=instance) for response, instance in chosen], left_out
