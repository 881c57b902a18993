"""One person's judgments in closed rounds: agreement with the others before adjudication, verdicts that became final,
check items, seconds.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from core.languages import joined, say, say_count
from core.models import User
from judging.protocol.verdicts import Verdict

from ...models import Judgment, Pair, Round, RoundState
from ...rounds.reviewers.reviewers import Overview, overviews_of
from ...statistics.agreement.agreement import Agreement
from ...statistics.estimates import Undefined
from ...statistics.rounding import half_up
from ..agreement.two_people import TwoAnswers, agreement_of_people
from ..agreement.weeks import FIRST_MONDAY, WeekNumber
from ..layout import Cell, Column, Section, Table, Value, estimate_cells, with_interval
from .quality_parts import Counted, plot_of_shares, record_of

# The pairs of judgments that agreement is computed over, the newest; and the rounds in the table.
MOST_PAIRS, MOST_ROUNDS = 2_000, 20


@dataclass(frozen=True, slots=True)
class Judged:
    """A person's judgments in closed rounds, the newest round first."""

    rounds: Sequence[Overview] = ()
    agreement: Agreement | None = None
    final: Counted = field(default_factory=lambda: Counted(0, 0))
    weeks: Sequence[tuple[date, Counted]] = ()

    @property
    def sentences(self) -> list[str]:
        count = sum(each.judged for each in self.rounds)
        if not count:
            return []
        words = say(
            "{judgments} in {closed}",
            judgments=say_count(count, "{count:,} judgment", "{count:,} judgments"),
            closed=say_count(len(self.rounds), "{count:,} closed round", "{count:,} closed rounds"),
        )
        if self.agreement is None or isinstance(self.agreement.raw, Undefined):
            return [joined([words, "."], "")]
        same = say(
            "the other person gave the same verdict in {percent:f}%",
            percent=half_up(self.agreement.raw.value * 100, 1),
        )
        return [
            say(
                "{words}; {same} of {pairs}.",
                words=words,
                same=same,
                pairs=say_count(self.agreement.n, "{count:,} pair", "{count:,} pairs"),
            )
        ]

    @property
    def data(self) -> Mapping[str, Any]:
        return {
            "rounds": [_round_data(each) for each in self.rounds],
            "agreement": asdict(self.agreement) if self.agreement else None,
            "became_final": {"count": self.final.count, "n": self.final.n},
            "weeks": [{"week": week.isoformat(), "same": of.count, "n": of.n} for week, of in self.weeks],
        }

    @property
    def records(self) -> list[dict[str, Value]]:
        if not self.rounds:
            return []
        found = [record_of("judging", "all", "became_final", self.final.n, self.final.estimate)]
        if self.agreement:
            measures = {"same": self.agreement.raw, "kappa": self.agreement.kappa, "ac1": self.agreement.ac1}
            found += [record_of("judging", "all", name, self.agreement.n, of) for name, of in measures.items()]
        return found + [record_of("judging", str(week), "same", of.n, of.estimate) for week, of in self.weeks]


def closed_rounds(person: User, *, hidden: Collection[Round] = ()) -> QuerySet[Round]:
    """The closed rounds in which this person judged, newest first, without those `hidden` from the reader. An open
    one is never counted, whoever reads.
    """
    rounds = Round.objects.filter(state=RoundState.CLOSED, is_import=False, has_pairs=True, reviewers__person=person)
    return rounds.exclude(pk__in=[each.pk for each in hidden]).order_by("-pk")


def judged_by(person: User, *, hidden: Collection[Round] = ()) -> Judged:
    """This person's judgments in the newest `closed_rounds`."""
    rounds = list(closed_rounds(person, hidden=hidden)[:MOST_ROUNDS])
    if not rounds:
        return Judged()
    pairs = Pair.objects.filter(Q(reviewer_1=person) | Q(reviewer_2=person), round__in=rounds)
    of_both = pairs.exclude(verdict_1="").exclude(verdict_2="").order_by()
    return Judged(
        rounds=overviews_of(person, rounds),
        agreement=_agreement(of_both),
        final=_became_final(person, rounds),
        weeks=_by_week(of_both),
    )


def _agreement(pairs: QuerySet[Pair]) -> Agreement:
    names = ("instance_id", "reviewer_1_id", "reviewer_2_id", "verdict_1", "verdict_2")
    newest = pairs.order_by("-pk").values_list(*names)[:MOST_PAIRS]
    answers = [TwoAnswers(cluster, (one, other), (first, second)) for cluster, one, other, first, second in newest]
    return agreement_of_people(answers, [verdict.value for verdict in Verdict])


def _became_final(person: User, rounds: Sequence[Round]) -> Counted:
    """The person's verdicts that are the final one of their item, among those of items with a final verdict."""
    given = Judgment.objects.shown().fixed().ordinary().filter(round__in=rounds, reviewer=person).exclude(verdict="")
    final = given.filter(item__final_verdict__isnull=False)
    counts = final.aggregate(n=Count("pk"), same=Count("pk", filter=Q(verdict=F("item__final_verdict__verdict"))))
    return Counted(counts["same"], counts["n"])


def _by_week(pairs: QuerySet[Pair]) -> list[tuple[date, Counted]]:
    by_week = pairs.annotate(week=WeekNumber("completed_at")).values_list("week")
    counted = by_week.annotate(n=Count("pk"), same=Count("pk", filter=Q(verdict_1=F("verdict_2")))).order_by("week")
    return [(FIRST_MONDAY + timedelta(weeks=week), Counted(same, n)) for week, n, same in counted]


def judging_sections(judged: Judged) -> list[Section]:
    """The sections on judging; none where the person judged in no closed round."""
    if not judged.rounds:
        return []
    plots = plot_of_shares(
        say("Same verdict as the other person, before adjudication, with 95% intervals"),
        [(week.isoformat(), of) for week, of in judged.weeks],
    )
    about = say("Only closed rounds. Before a round is closed, nothing of it is counted here.")
    return [
        Section(say("Judging"), about=about, plots=plots, table=_rounds_table(judged.rounds)),
        *([_agreement_section(judged.agreement, judged.final)] if judged.agreement else []),
    ]


def _rounds_table(rounds: Sequence[Overview]) -> Table:
    columns = [
        Column(say("Round"), words=True),
        Column(say("Judged")),
        Column(say("Could not")),
        Column(say("Same as others"), title=say("Pairs with the same verdict, before adjudication")),
        Column(say("Check items"), title=say("Verdicts on hidden check items that are the known ones")),
        Column(say("Median min"), title=say("Minutes per judgment")),
    ]
    rows = [
        [
            Cell(str(each.reviewer.round)),
            Cell(each.judged),
            Cell(each.could_not),
            Cell(str(each.with_others), each.with_others.title),
            Cell(str(each.with_checks), each.with_checks.title),
            Cell(each.median_minutes),
        ]
        for each in rounds
    ]
    return Table(say("Judging by closed round"), columns, rows)


def _agreement_section(agreement: Agreement, final: Counted) -> Section:
    columns = [Column(say("Measure"), words=True), Column("n"), *with_interval(Column(say("Value")))]
    rows = [
        [Cell(say("Same verdict, %")), Cell(agreement.n), *estimate_cells(agreement.raw, as_percent=True)],
        [Cell(say("Cohen's kappa")), Cell(agreement.n), *estimate_cells(agreement.kappa)],
        [Cell(say("Gwet's AC1")), Cell(agreement.n), *estimate_cells(agreement.ac1)],
        [Cell(say("Became the final verdict, %")), Cell(final.n), *final.cells()],
    ]
    return Section(
        say("Agreement with other reviewers"), table=Table(say("Agreement with other reviewers"), columns, rows)
    )


def _round_data(each: Overview) -> dict[str, object]:
    return {
        "round": str(each.reviewer.round),
        "judged": each.judged,
        "could_not": each.could_not,
        "same_as_others": {"count": each.with_others.count, "n": each.with_others.n},
        "check_items": {"count": each.with_checks.count, "n": each.with_checks.n},
        "median_seconds": each.median_seconds,
    }
