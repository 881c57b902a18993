"""Table 4 of the paper: judge models measured against people's final verdicts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal

from core.languages import say
from core.words import plural
from judging.protocol.verdicts import Verdict
from review.reports.counting.judged import (
    LEFT_OUT,
    NOT_BOTH,
    JudgedRow,
    judge_notes,
    judged_columns,
    judged_responses,
    no_judged,
    offered_tables,
)
from review.reports.drawing.plots import SHARES, HeatMap, Intervals, heat_map, intervals
from review.reports.kinds import LABELS, headline, nested, ranked
from review.reports.layout import (
    Cell,
    Column,
    Report,
    Section,
    Table,
    Value,
    ends_in_record,
    estimate_point,
    in_record,
    interval_cell,
    number_cell,
    share_cell,
    share_in_words,
    undefined_cell,
)
from review.reports.links import response_list
from review.reports.scope import Scope
from review.statistics.estimates import Estimate, Interval, Undefined
from review.statistics.rounding import half_up, percent
from review.statistics.scores import Scores, VerdictScores, scores


def table_4(scope: Scope) -> Report:
    """Judge models measured against people's final verdicts."""
    found = judged_responses(scope)
    measured = []
    for row in found.over_models():
        tables, verdicts = offered_tables(row)
        measured.append(Measured(**vars(row), scores=scores(tables), verdicts=verdicts))
    known = [each for each in measured if each.scores.n]
    table = _score_table(scope, measured)
    return Report(
        title=say("Judge models against people"),
        lead=_sentences(known),
        sections=[
            Section(
                "",
                plots=[_score_plot(ranked(known, lambda each: each.scores.n))],
                table=table,
                about=say(
                    "Precision, recall and F of each verdict, people's final verdict being the truth; macro-F is "
                    "the mean of F over the verdicts that occur."
                ),
            ),
            Section(say("Verdicts of people and judge"), plots=[_score_heat_map(scope, each) for each in known]),
        ],
        data={"table4": nested((each.path, _score_data(each)) for each in measured)},
        records=[_score_record(each) for each in measured],
        notes=judge_notes(scope, found),
        empty=no_judged(NOT_BOTH, say("how far the two agree")),
    )


NO_WILSON = Undefined(say("it is not a share of responses"))


@dataclass(frozen=True)
class Measured(JudgedRow):
    """A judge with one template, measured against people; `verdicts` are those of the scores."""

    scores: Scores
    verdicts: Sequence[Verdict]

    @property
    def by_verdict(self) -> dict[Verdict, VerdictScores]:
        return dict(zip(self.verdicts, self.scores.verdicts, strict=True))


def _sentences(known: Sequence[Measured]) -> list[str]:
    """A sentence for each judge, at one template."""
    sentences: list[str] = []
    for judge in dict.fromkeys(each.judge for each in known):
        of_template = {each.template: each.scores for each in known if each.judge == judge}
        template = headline({template: found.n for template, found in of_template.items()})
        found = of_template[template]
        macro = f", macro-F {half_up(found.macro_f * 100, 1)}" if isinstance(found.macro_f, float) else ""
        sentences.append(
            say(
                "{judge} gives people's verdict to {share} of {responses} to prompt {prompt}{macro}.",
                judge=judge,
                share=share_in_words(found.accuracy),
                responses=plural(found.n, "response"),
                prompt=template.label,
                macro=macro,
            )
        )
    return sentences


def _score_plot(known: Sequence[Measured]) -> Intervals:
    rows = []
    for each in known:
        if isinstance(each.scores.accuracy, Estimate):
            point = estimate_point(each.scores.accuracy, say("{judge}: accuracy", judge=each.judge))
            rows.append(
                (
                    "",
                    say("{model}, prompt {prompt}", model=each.judge, prompt=each.template.label),
                    [point],
                    f"n {each.scores.n:,}",
                )
            )
    return intervals(say("Accuracy with its 95% interval"), rows, ticks=SHARES, as_percent=True)


def _score_heat_map(scope: Scope, each: Measured) -> HeatMap:
    chosen = each.responses(scope)
    kinds = [verdict.value for verdict in each.verdicts]
    return heat_map(
        say("{model}, prompt {prompt}", model=each.judge, prompt=each.template.label),
        each.scores.table,
        kinds,
        rows_are="people",
        columns_are="judge",
        hrefs=[[response_list(chosen, verdict=row, said=column) for column in kinds] for row in kinds],
        labels=LABELS,
    )


def _score_table(scope: Scope, measured: Sequence[Measured]) -> Table:
    columns = [
        *judged_columns(by_model=False),
        Column("n", title=say("Responses with a verdict of both")),
        *LEFT_OUT,
        Column(say("Accuracy")),
        Column("95%", title=say("By resampling")),
        Column(say("Macro-F")),
    ]
    columns += [Column(name, LABELS[verdict.value]) for verdict in Verdict for name in ("P", "R", "F")]
    rows = []
    for each in measured:
        found, chosen = each.scores, each.responses(scope)
        both = say("Of {responses} with a verdict of both", responses=plural(found.n, "response"))
        href = response_list(chosen, verdict="any")
        row = [
            *each.cells,
            Cell(found.n, href=href),
            *each.left_out(scope),
            number_cell(found.accuracy, title=both, href=href, as_percent=True),
            interval_cell(found.accuracy, as_percent=True),
            _macro_f_cell(found, both, href),
        ]
        for verdict in Verdict:
            same = replace(chosen, verdict=verdict.value, said=verdict.value)
            row += _score_cells(each.by_verdict.get(verdict), response_list(same))
        rows.append(row)
    return Table(say("Judge models against people's final verdicts"), columns, rows)


def _score_cells(found: VerdictScores | None, href: str) -> list[Cell]:
    """Precision, recall and F of one verdict; `href` leads to the responses to which both gave it."""
    if found is None:
        return [Cell(None, say("This verdict is not offered."))] * 3
    both, given = f"{found.both:,}", found.judge + found.people
    return [
        _exact_cell(
            _estimate(found.precision, found.precision_interval, found.precision_wilson),
            percent(found.both, found.judge),
            say("{both} of {judge:,} that the judge gave it", both=both, judge=found.judge),
            href,
        ),
        _exact_cell(
            _estimate(found.recall, found.recall_interval, found.recall_wilson),
            percent(found.both, found.people),
            say("{both} of {people:,} that people gave it", both=both, people=found.people),
            href,
        ),
        _exact_cell(
            _estimate(found.f, found.f_interval, NO_WILSON),
            percent(2 * found.both, given),
            say("2 × {both} of {given:,}, those of the judge and of people", both=both, given=given),
            href,
        ),
    ]


def _estimate(
    value: float | Undefined, interval: Interval | Undefined, wilson: Interval | Undefined
) -> Estimate | Undefined:
    return value if isinstance(value, Undefined) else Estimate(value, interval, wilson)


def _exact_cell(number: Estimate | Undefined, value: Decimal | None, title: str, href: str) -> Cell:
    if isinstance(number, Undefined):
        return undefined_cell(number)
    return share_cell(value, number, title=title, href=href)


def _macro_f_cell(found: Scores, title: str, href: str) -> Cell:
    number = _estimate(found.macro_f, found.macro_f_interval, NO_WILSON)
    if isinstance(number, Undefined):
        return number_cell(number, href=href)
    return share_cell(half_up(number.value * 100, 1), number, title=title, href=href)


def _score_data(each: Measured) -> dict[str, object]:
    return {
        "readers": sorted(each.judged.readers),
        **asdict(each.scores),
        "verdicts": {verdict.value: asdict(found) for verdict, found in each.by_verdict.items()},
        "unlabelled": each.unlabelled,
        "unreadable": each.judged.unreadable_with_final,
    }


def _score_record(each: Measured) -> dict[str, Value]:
    found = each.scores
    record = each.names | {
        "n": found.n,
        "unlabelled": each.unlabelled,
        "unreadable": each.judged.unreadable_with_final,
        "accuracy": in_record(found.accuracy),
        "macro_f": in_record(found.macro_f),
        **ends_in_record("accuracy", found.accuracy.interval),
        **ends_in_record("accuracy_wilson", found.accuracy.analytic),
        **ends_in_record("macro_f", found.macro_f_interval),
    }
    for verdict in Verdict:
        of = each.by_verdict.get(verdict)
        for name in ("people", "judge", "both"):
            record[f"{verdict.value}_{name}"] = getattr(of, name) if of else None
        for name in ("precision", "recall", "f"):
            record[f"{verdict.value}_{name}"] = in_record(getattr(of, name)) if of else None
        for name in ("precision", "recall", "f"):
            column = f"{verdict.value}_{name}"
            ends: dict[str, Value] = {f"{column}_low": None, f"{column}_high": None}
            record |= ends_in_record(column, getattr(of, f"{name}_interval")) if of else ends
    return record
