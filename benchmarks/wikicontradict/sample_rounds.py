"""Sample rounds for a first start: a closed one with invented verdicts, disagreements and adjudications, and an open
one of ten responses, which both reviewers get in the same order.

All of it goes through the functions that the pages call. Every verdict is invented by a rule, and round, comments,
reasons and reports say so.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from core.accounts.sample_people import demo_people
from core.languages import say
from core.models import User
from core.words import plural
from judging.models import ModelJudgment, Response, Run
from judging.protocol.verdicts import Verdict
from review.models import Adjudication, Judgment, Round
from review.reports.layout import Note
from review.reports.scope import Scope
from review.rounds.adjudication import adjudicate
from review.rounds.dealing.dealing import deal_round
from review.rounds.judgments import record_judgment
from review.rounds.rounds import close_round, create_round

from .items import CODE

CLOSED, OPEN = "Sample, closed: invented verdicts", "Sample, open: ten responses"
OF_OPEN = 10
# The share of responses about which each reviewer says something else than the baseline judge.
CHANGED = {"reviewer": 0.1, "reviewer2": 0.2}
ADJUDICATOR = "adjudicator"
WAITING = 2
COMMENT = "An invented comment: the other answer is named only in passing."
REASON = "An invented reason: the rule counts what the response says, not what it quotes."
INVENTED = Note(
    say(
        "Verdicts of the sample round are invented: they are those of the baseline judge, some of them changed by a "
        "rule. They say nothing about people, models or judges."
    )
)


def invented_verdicts(scope: Scope) -> Note | None:
    """The note for reports that count verdicts of the sample round."""
    if scope.benchmark not in ("", CODE):
        return None
    round = Round.objects.filter(name=CLOSED).first()
    if round is None or (scope.round and scope.round != round):
        return None
    return INVENTED if scope.final_verdicts().filter(item__round=round).exists() else None


def demonstrate_rounds(run: Run) -> str:
    """Make both rounds over the responses of the sample run; returns a line about them, or "" if there are rounds, or
    people besides the sample's.
    """
    if Round.objects.exists():  # asked first: to check the sample's password takes a quarter of a second
        return ""
    people = {user.username: user for user in demo_people()}
    if not {"admin", ADJUDICATOR, *CHANGED} <= people.keys() or User.objects.count() > len(people):
        return ""
    responses = list(run.responses.select_related("template", "instance", "model").order_by("template__code", "pk"))
    for_newcomers = set(responses[:: max(1, len(responses) // OF_OPEN)][:OF_OPEN])
    with transaction.atomic():
        closed = closed_round([each for each in responses if each not in for_newcomers], people)
        open_round([each for each in responses if each in for_newcomers], people)
    disagreements = Adjudication.objects.filter(round=closed)
    return (
        f"A closed round with invented verdicts: {plural(closed.items.count(), 'response')}, "
        f"{plural(disagreements.count(), 'disagreement')}, {disagreements.open().count()} of them waiting; "
        f"an open round of {plural(len(for_newcomers), 'response')}."
    )


def closed_round(responses: Sequence[Response], people: Mapping[str, User]) -> Round:
    """A round that both reviewers finished; some disagreements are adjudicated, and two wait."""
    round, at = dealt(CLOSED, responses, people), timezone.now()
    verdicts = verdicts_of_judge(responses)
    slots = Judgment.objects.filter(round=round).select_related(
        "round", "reviewer", "item__known", "item__response__template", "item__response__model", "item__instance"
    )
    for slot in slots.order_by("pk"):
        judge(slot, verdicts[slot.item.response_id or 0], at)
    round = close_round(round=round, admin=people["admin"], at=at)
    waiting = Adjudication.objects.open().filter(round=round).order_by("pk")
    for adjudication in list(waiting)[WAITING:]:
        verdict = decided(adjudication)
        adjudicate(adjudication=adjudication, person=people[ADJUDICATOR], verdict=verdict, reason=REASON, at=at)
    return round


def decided(adjudication: Adjudication) -> str:
    """The verdict of one of the reviewers, as drawn for the response."""
    given = adjudication.item.judgments.ordinary().order_by("number").values_list("verdict", flat=True)
    response = adjudication.item.response
    if response is None:
        raise ValueError("an adjudication of the sample is about a response")
    return list(given)[int(2 * fraction(ADJUDICATOR, response))]


def open_round(responses: Sequence[Response], people: Mapping[str, User]) -> Round:
    """A round in which nobody has judged yet. Both reviewers get its responses in one order: who judges a few as each
    of them has judged the same ones twice.
    """
    round = dealt(OPEN, responses, people)
    first, *others = [each.person_id for each in round.reviewers.order_by("pk")]
    position = dict(Judgment.objects.filter(round=round, reviewer=first).values_list("item", "position"))
    for slot in Judgment.objects.filter(round=round, reviewer__in=others):
        Judgment.objects.filter(pk=slot.pk).update(position=position[slot.item_id])
    return round


def dealt(name: str, responses: Sequence[Response], people: Mapping[str, User]) -> Round:
    round = create_round(
        admin=people["admin"],
        name=name,
        responses=responses,
        reviewers=[people[each] for each in CHANGED],
        with_training=False,
    )
    deal_round(round.pk)
    round.refresh_from_db()
    return round


def verdicts_of_judge(responses: Sequence[Response]) -> dict[int, str]:
    """The verdict of the baseline judge on each response; the first one offered where it has none."""
    found = dict(ModelJudgment.objects.filter(response__in=responses).values_list("response", "verdict"))
    return {each.pk: found.get(each.pk) or Verdict(each.template.verdicts[0]).value for each in responses}


def judge(slot: Judgment, verdict: str, at: datetime) -> None:
    """Record the invented verdict of this slot's reviewer: that of the baseline judge, or another one."""
    reviewer, response = slot.reviewer, slot.item.response
    if reviewer is None or response is None:
        raise ValueError("a slot of the sample has a reviewer and a response")
    chance = fraction(reviewer.username, response)
    is_changed = chance < CHANGED[reviewer.username]
    if is_changed:
        offered = [Verdict(each).value for each in response.template.verdicts]
        verdict = offered[(offered.index(verdict) + 1) % len(offered)]
    record_judgment(
        slot=slot,
        reviewer=reviewer,
        verdict=verdict,
        comment=COMMENT if is_changed else "",
        seconds=15 + int(60 * chance),
        at=at,
    )


def fraction(name: str, response: Response) -> float:
    """A number from 0 to 1 that depends only on the reviewer and on the response, the same in every database."""
    about = "/".join((name, response.instance.question, response.template.code, response.model.name))
    return int.from_bytes(hashlib.sha256(about.encode()).digest()[:4]) / 2**32
