"""Responses of rounds that ask for three or more judgments, with each person's verdict."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import QuerySet

from core.languages import say
from judging.models import PromptTemplate
from judging.protocol.verdicts import Verdict

from ...models import FinalVerdict, Pair, Round
from ..clusters import ORDER, K
from ..kinds import in_order
from ..scope import Scope

# With more, the estimate takes too long for a page, and the report asks to narrow it: some 33,000 responses with
# three judgments, or 10,000 with five.
MOST_PAIRS = 100_000


@dataclass(slots=True)
class ManyJudged:
    """One response: each person's verdict, "" for "cannot judge", and the final one, "" if there is none."""

    response: int
    instance: int
    template: int
    model: int
    said: dict[int, str] = field(default_factory=dict)
    final: str = ""

    @property
    def verdicts(self) -> dict[int, int]:
        """By person, the number of the verdict; without people who could not judge."""
        return {person: ORDER[verdict] for person, verdict in self.said.items() if verdict}

    @property
    def counts(self) -> list[int]:
        """The number of people who gave each verdict."""
        given = list(self.verdicts.values())
        return [given.count(number) for number in range(K)]


def pairs_of_many(scope: Scope) -> QuerySet[Pair]:
    """Pairs in rounds that ask for more than two judgments of a response. Most projects have no such round, and then
    no pair is read.
    """
    rounds = list(Round.objects.filter(judgments_each__gt=2).order_by().values_list("pk", flat=True))
    return scope.pairs().filter(round__in=rounds)


def are_too_many(pairs: QuerySet[Pair]) -> bool:
    return pairs[: MOST_PAIRS + 1].count() > MOST_PAIRS


def read_judged(scope: Scope) -> list[ManyJudged]:
    """All of these responses, in their order."""
    found: dict[int, ManyJudged] = {}
    for response, instance, template, model, one, first, other, second in pairs_of_many(scope).values_list(
        "response", "instance", "template", "model", "reviewer_1", "verdict_1", "reviewer_2", "verdict_2"
    ):
        judged = found.setdefault(response, ManyJudged(response, instance, template, model))
        judged.said |= {one: first, other: second}
    rounds = pairs_of_many(scope).values("round").distinct()
    final = FinalVerdict.objects.filter(item__round__in=rounds).order_by()
    for response, verdict in final.values_list("response", "verdict"):
        if response in found:
            found[response].final = verdict
    return [found[response] for response in sorted(found)]


@dataclass(frozen=True, slots=True)
class Choices:
    """Templates that offer the same verdicts, and the responses to them."""

    verdicts: tuple[Verdict, ...]
    templates: tuple[PromptTemplate, ...]
    judged: list[ManyJudged]

    @property
    def label(self) -> str:
        codes = [template.label for template in self.templates]
        return (
            say("prompt {prompt}", prompt=codes[0])
            if len(codes) == 1
            else say("prompts {others} and {last}", others=", ".join(codes[:-1]), last=codes[-1])
        )

    def of(self, template: PromptTemplate) -> list[ManyJudged]:
        return [each for each in self.judged if each.template == template.pk]


def by_choices(judged: Iterable[ManyJudged]) -> Iterator[Choices]:
    """The responses by the verdicts that people could choose from, or gave nevertheless in imported data; those with
    the most responses first. Responses with two and with three offered verdicts share no coefficient.
    """
    rows = list(judged)
    templates = PromptTemplate.objects.in_bulk({each.template for each in rows})
    given: dict[int, set[Verdict]] = {pk: set(row.offered_verdicts or Verdict) for pk, row in templates.items()}
    for each in rows:
        given[each.template] |= {Verdict(verdict) for verdict in each.said.values() if verdict}
    groups: dict[tuple[Verdict, ...], list[ManyJudged]] = {}
    for each in rows:
        offered = tuple(verdict for verdict in Verdict if verdict in given[each.template])
        groups.setdefault(offered, []).append(each)
    for offered, mine in sorted(groups.items(), key=lambda group: -len(group[1])):
        used = in_order(templates[pk] for pk in {each.template for each in mine})
        yield Choices(offered, tuple(used), mine)
