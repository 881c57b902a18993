"""Table 5 of the paper: people's rates and the judge model's on the same responses, by answering model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from core.languages import in_sentence, joined, say
from core.words import plural
from judging.protocol.verdicts import Verdict
from review.reports.counting.judged import (
    LEFT_OUT,
    NOT_BOTH,
    ModelRow,
    judge_notes,
    judged_columns,
    judged_responses,
    no_judged,
    offered_tables,
)
from review.reports.drawing.plots import Bars, Share, bar
from review.reports.kinds import LABELS, nested, ranked, share_intervals, share_records, shares, verdict_column
from review.reports.layout import (
    Cell,
    Column,
    Report,
    Section,
    Table,
    Value,
    in_record,
    number_cell,
    share_cell,
    share_in_words,
    share_record,
    share_whisker,
)
from review.reports.links import ResponseFilter, response_list
from review.reports.scope import Scope
from review.statistics.estimates import Estimate, Undefined
from review.statistics.rounding import percent
from review.statistics.scores import Scores, scores
from review.statistics.shares import is_too_close, share_difference, share_estimates


@dataclass(frozen=True)
class Side(ModelRow):
    """One answerer with one template: people's final verdicts (rows of `table`) and the judge's (columns)."""

    scores: Scores
    table: np.ndarray
    # The same for each cluster of instances, and the shares that follow from them: people's, then the judge's.
    clusters: np.ndarray
    estimates: Sequence[Sequence[Estimate | Undefined]]

    @property
    def n(self) -> int:
        return self.scores.n

    @property
    def people(self) -> list[int]:
        return [int(count) for count in self.table.sum(axis=1)]

    @property
    def machine(self) -> list[int]:
        return [int(count) for count in self.table.sum(axis=0)]

    @property
    def apart(self) -> float:
        """The distance between the two shares of correct responses."""
        return abs(self.people[0] - self.machine[0]) / self.n


def table_5(scope: Scope) -> Report:
    """People's and the judge's rates on the same responses, by model."""
    found = judged_responses(scope)
    sides = [_side(row) for row in found.by_model()]
    known = ranked(sides, lambda side: side.n)
    table = _table(scope, sides)
    return Report(
        title=say("People and judge models side by side"),
        lead=[_sentence(max(known, key=lambda side: side.apart))] if known else (),
        sections=[Section("", plots=[_plot(scope, known)], table=table)],
        data={"table5": nested((side.path, _data(side)) for side in sides)},
        records=[_record(side) for side in sides],
        notes=judge_notes(scope, found),
        about=say(
            "Both on the same responses: those that have people's final verdict and a readable verdict of the "
            "judge. C correct, P partially correct, I incorrect, in percent of n."
        ),
        empty=no_judged(NOT_BOTH, say("the verdicts of both on each model")),
    )


def _side(row: ModelRow) -> Side:
    tables, _ = offered_tables(row)
    clusters = row.judged.final_tables()
    estimates = share_estimates(np.stack([clusters.sum(axis=2), clusters.sum(axis=1)], axis=1))
    return Side(
        **vars(row), scores=scores(tables), table=clusters.sum(axis=0), clusters=clusters, estimates=estimates
    )


def _sentence(side: Side) -> str:
    people, machine = (share_in_words(of[0]) for of in side.estimates)
    difference = share_difference(side.clusters.sum(axis=2), side.clusters.sum(axis=1))
    said = say(
        "People and {judge} differ most about {model} at prompt {prompt}: of {responses} the judge calls {machine} "
        "correct, people {people}.",
        judge=side.judge,
        model=side.model,
        prompt=side.template.label,
        responses=plural(side.n, "response"),
        machine=machine,
        people=people,
    )
    return joined([said, say("The difference is too close to call.")]) if is_too_close(difference) else said


def _plot(scope: Scope, known: Sequence[Side]) -> Bars:
    bars = []
    for side in known:
        chosen = side.responses(scope)
        for who, counts in ((say("People"), side.people), (side.judge.name, side.machine)):
            by_people = who == "People"
            shares = [
                Share(
                    verdict.value,
                    count,
                    say(
                        "{model}, {who}: {verdict}, {count:,} of {n:,}",
                        model=side.model,
                        who=who,
                        verdict=in_sentence(LABELS[verdict.value]),
                        count=count,
                        n=side.n,
                    ),
                    response_list(chosen, verdict=verdict.value)
                    if by_people
                    else response_list(chosen, verdict="any", said=verdict.value),
                )
                for verdict, count in zip(Verdict, counts, strict=True)
            ]
            heading = (
                say("{model}, prompt {prompt}", model=side.model, prompt=side.template.label) if by_people else ""
            )
            whisker = share_whisker(
                side.estimates[0 if by_people else 1][0], say("{model}, {who}: correct", model=side.model, who=who)
            )
            bars.append(bar(who, shares, aside=f"n {side.n:,}", group=heading if by_people else "", whisker=whisker))
    return Bars(say("Verdicts of people and judge"), bars)


def _table(scope: Scope, sides: Sequence[Side]) -> Table:
    columns = [
        *judged_columns(),
        Column("n", title=say("Responses with a verdict of both")),
        *LEFT_OUT,
    ]
    columns += [verdict_column(verdict, who) for who in (say("People"), say("Judge")) for verdict in Verdict]
    columns += [Column(say("Same, %"), title=say("Responses with the same verdict of both")), Column(say("Macro-F"))]
    return Table(say("People and judge models by model"), columns, [_row(scope, side) for side in sides])


def _row(scope: Scope, side: Side) -> list[Cell]:
    chosen = side.responses(scope)
    both = replace(chosen, verdict="any")
    title = say("Of {responses} with a verdict of both", responses=plural(side.n, "response"))

    def share(count: int, number: Estimate | Undefined, chosen: ResponseFilter) -> Cell:
        title = say("{count:,} of {n:,}", count=count, n=side.n)
        of = (int(count), side.n)
        return share_cell(percent(*of), number, title=title, href=response_list(chosen), of=of)

    by_people, by_judge = side.estimates
    return [
        *side.cells,
        Cell(side.n, title, response_list(both)),
        *side.left_out(scope),
        *(
            share(count, number, replace(chosen, verdict=verdict.value))
            for verdict, count, number in zip(Verdict, side.people, by_people, strict=True)
        ),
        *(
            share(count, number, replace(both, said=verdict.value))
            for verdict, count, number in zip(Verdict, side.machine, by_judge, strict=True)
        ),
        share_cell(
            number_cell(side.scores.accuracy, as_percent=True).value,
            side.scores.accuracy,
            title=title,
            href=response_list(both),
        ),
        number_cell(side.scores.macro_f, title=title, href=response_list(both), as_percent=True),
    ]


def _data(side: Side) -> dict[str, object]:
    by_people, by_judge = side.estimates
    return {
        "readers": sorted(side.judged.readers),
        "n": side.n,
        "unlabelled": side.unlabelled,
        "unreadable": side.judged.unreadable_with_final,
        "people": shares(side.people),
        "judge": shares(side.machine),
        "intervals": {"people": share_intervals(by_people), "judge": share_intervals(by_judge)},
        "table": side.table.astype(int).tolist(),
        "accuracy": asdict(side.scores.accuracy),
        "macro_f": side.scores.macro_f,
        "macro_f_interval": asdict(side.scores.macro_f_interval),
    }


def _record(side: Side) -> dict[str, Value]:
    by_people, by_judge = side.estimates
    counts = {
        f"{who}_{verdict.value}": count
        for who, of in (("people", side.people), ("judge", side.machine))
        for verdict, count in zip(Verdict, of, strict=True)
    }
    return {
        **side.names,
        "n": side.n,
        "unlabelled": side.unlabelled,
        "unreadable": side.judged.unreadable_with_final,
        **counts,
        "accuracy": in_record(side.scores.accuracy),
        "macro_f": in_record(side.scores.macro_f),
        **share_records(by_people, "people_{}"),
        **share_records(by_judge, "judge_{}"),
        **share_record("accuracy", side.scores.accuracy),
    }
