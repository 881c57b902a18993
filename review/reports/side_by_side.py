"""Table 5 of the paper: people's rates and the judge model's on the same responses, by answering model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from core.lists.pages import plural
from judging.models import LanguageModel, PromptTemplate
from judging.protocol.verdicts import Verdict

from ..statistics.estimates import Estimate, Undefined
from ..statistics.rounding import percent
from ..statistics.scores import Scores, scores
from ..statistics.shares import is_too_close, share_difference, share_estimates
from .judged import (
    Judged,
    judge_filter,
    judge_notes,
    judged_cells,
    judged_columns,
    judged_responses,
    no_judged,
    offered_tables,
)
from .kinds import SHORT, ranked, shares, template_key
from .layout import (
    Cell,
    Column,
    Report,
    Section,
    Table,
    Value,
    number_cell,
    share_cell,
    share_data,
    share_in_words,
    share_record,
    share_whisker,
)
from .links import ResponseFilter, response_list
from .plots import Bars, Share, bar
from .scope import Scope


@dataclass(frozen=True, slots=True)
class Side:
    """One answerer at one template: people's final verdicts (rows of `table`) and the judge's (columns)."""

    judge: LanguageModel
    template: PromptTemplate
    model: LanguageModel
    judged: Judged
    scores: Scores
    table: np.ndarray
    # The same for each cluster of instances, and the shares that follow from them: people's, then the judge's.
    clusters: np.ndarray
    estimates: Sequence[Sequence[Estimate | Undefined]]

    @property
    def n(self) -> int:
        return self.scores.n

    @property
    def unlabelled(self) -> int:
        return int(self.judged.tables()[:, -1].sum())

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
    sides = []
    for judge, template in found.pairs():
        for model in found.answered(judge, template):
            sides.append(_side(judge, template, model, found.of(judge, template, model)))
    known = ranked(sides, lambda side: side.n)
    return Report(
        title="People and judge models side by side",
        lead=[_sentence(max(known, key=lambda side: side.apart))] if known else (),
        sections=[Section("", plots=[_plot(scope, known)], table=_table(scope, sides))],
        data={"table5": _data(sides)},
        records=[_record(side) for side in sides],
        notes=judge_notes(scope, found),
        about="Both on the same responses: those that have people's final verdict and a readable verdict of the "
        "judge. C correct, PC partially correct, IC incorrect, in percent of n.",
        empty=no_judged("has people's final verdict, too", "what both say of each model"),
    )


def _side(judge: LanguageModel, template: PromptTemplate, model: LanguageModel, judged: Judged) -> Side:
    tables, _ = offered_tables(judged, template, final_only=True)
    clusters = judged.final_tables()
    estimates = share_estimates(np.stack([clusters.sum(axis=2), clusters.sum(axis=1)], axis=1))
    return Side(judge, template, model, judged, scores(tables), clusters.sum(axis=0), clusters, estimates)


def _sentence(side: Side) -> str:
    people, machine = (share_in_words(of[0]) for of in side.estimates)
    difference = share_difference(side.clusters.sum(axis=2), side.clusters.sum(axis=1))
    close = " The difference is too close to call." if is_too_close(difference) else ""
    return (
        f"People and {side.judge} differ most about {side.model} at template {side.template.label}: of "
        f"{plural(side.n, 'response')} the judge calls {machine} correct, people {people}.{close}"
    )


def _plot(scope: Scope, known: Sequence[Side]) -> Bars:
    bars = []
    for side in known:
        chosen = judge_filter(scope, side.judge, side.template, side.model)
        for who, counts in (("People", side.people), (side.judge.name, side.machine)):
            by_people = who == "People"
            shares = [
                Share(
                    verdict.value,
                    count,
                    f"{side.model}, {who}: {verdict.label.lower()}, {count:,} of {side.n:,}",
                    response_list(chosen, verdict=verdict.value)
                    if by_people
                    else response_list(chosen, verdict="any", said=verdict.value),
                )
                for verdict, count in zip(Verdict, counts, strict=True)
            ]
            heading = f"{side.model}, template {side.template.label}" if by_people else ""
            whisker = share_whisker(side.estimates[0 if by_people else 1][0], f"{side.model}, {who}: correct")
            bars.append(bar(who, shares, aside=f"n {side.n:,}", group=heading, whisker=whisker))
    return Bars("Verdicts of people and judge", bars)


def _table(scope: Scope, sides: Sequence[Side]) -> Table:
    columns = [
        *judged_columns(),
        Column("n", title="Responses with a verdict of both"),
        Column("No verdict", title="Judged responses without people's final verdict"),
        Column("Unreadable", title="Responses with a final verdict whose judge's reply cannot be read"),
    ]
    columns += [Column(SHORT[verdict], who) for who in ("People", "Judge") for verdict in Verdict]
    columns += [Column("Same, %", title="Responses with the same verdict of both"), Column("Macro-F")]
    return Table("People and judge models by model", columns, [_row(scope, side) for side in sides])


def _row(scope: Scope, side: Side) -> list[Cell]:
    chosen = judge_filter(scope, side.judge, side.template, side.model)
    both = replace(chosen, verdict="any")
    title = f"Of {plural(side.n, 'response')} with a verdict of both"

    def share(count: int, number: Estimate | Undefined, chosen: ResponseFilter) -> Cell:
        title = f"{count:,} of {side.n:,}"
        return share_cell(percent(count, side.n), number, title=title, href=response_list(chosen))

    by_people, by_judge = side.estimates
    return [
        *judged_cells(side.judge, side.judged.read_by, side.template, side.model),
        Cell(side.n, title, response_list(both)),
        Cell(side.unlabelled, href=response_list(chosen, verdict="none")),
        Cell(side.judged.unreadable_with_final, href=response_list(both, said="unreadable")),
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


def _data(sides: Sequence[Side]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for side in sides:
        of_template = data.setdefault(side.judge.name, {}).setdefault(template_key(side.template), {})
        of_template[side.model.name] = {
            "readers": sorted(side.judged.readers),
            "n": side.n,
            "unlabelled": side.unlabelled,
            "unreadable": side.judged.unreadable_with_final,
            "people": shares(side.people),
            "judge": shares(side.machine),
            "intervals": {
                who: {SHORT[verdict]: share_data(number) for verdict, number in zip(Verdict, of, strict=True)}
                for who, of in zip(("people", "judge"), side.estimates, strict=True)
            },
            "table": side.table.astype(int).tolist(),
            "accuracy": asdict(side.scores.accuracy),
            "macro_f": side.scores.macro_f if isinstance(side.scores.macro_f, float) else None,
            "macro_f_interval": asdict(side.scores.macro_f_interval),
        }
    return data


def _record(side: Side) -> dict[str, Value]:
    intervals = {
        name: value
        for who, of in zip(("people", "judge"), side.estimates, strict=True)
        for verdict, number in zip(Verdict, of, strict=True)
        for name, value in share_record(f"{who}_{verdict.value}", number).items()
    }
    intervals |= share_record("accuracy", side.scores.accuracy)
    counts = {
        f"{who}_{verdict.value}": count
        for who, of in (("people", side.people), ("judge", side.machine))
        for verdict, count in zip(Verdict, of, strict=True)
    }
    return {
        "judge": side.judge.name,
        "reader": side.judged.read_by,
        "template": side.template.label,
        "model": side.model.name,
        "n": side.n,
        "unlabelled": side.unlabelled,
        "unreadable": side.judged.unreadable_with_final,
        **counts,
        "accuracy": side.scores.accuracy.value,
        "macro_f": side.scores.macro_f if isinstance(side.scores.macro_f, float) else None,
        **intervals,
    }
