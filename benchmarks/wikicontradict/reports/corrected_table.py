"""Table 6 of the paper: judge models on all instances, raw and corrected by the responses with a final verdict.

A judge model is wrong more often about one answerer than about another. With the paper's own data its raw rates rank
Mistral first, and the rates corrected by each answerer's responses with a final verdict do not: see
`review.statistics.corrected_rates`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from core.languages import joined, say
from core.words import joined_names, plural
from judging.models import PromptTemplate
from judging.protocol.verdicts import Verdict
from review.reports.clusters import ORDER, K
from review.reports.counting.judged import (
    JudgedResponses,
    ModelRow,
    judge_notes,
    judged_columns,
    judged_responses,
    no_judged,
)
from review.reports.drawing.plots import SHARES, Intervals, Point, intervals
from review.reports.kinds import (
    LABELS,
    SHORT,
    SUBSETS,
    headline,
    nested,
    ranked,
    share_intervals,
    share_records,
    shares,
    verdict_column,
)
from review.reports.layout import (
    Cell,
    Column,
    Report,
    Section,
    Table,
    Value,
    ends_in_record,
    estimate_cells,
    estimate_point,
    in_record,
    share_cell,
    share_in_words,
    with_interval,
)
from review.reports.links import response_list
from review.reports.scope import Scope
from review.statistics.corrected_rates import CorrectedRate, corrected_difference, corrected_rates
from review.statistics.estimates import Estimate, Undefined
from review.statistics.rounding import percent
from review.statistics.shares import is_too_close, share_difference, share_estimates

CORRECT = 0


@dataclass(frozen=True)
class Rated(ModelRow):
    """One answerer with one template and one judge. `raw` are the judge's counts by kind of conflict."""

    raw: dict[str, np.ndarray]
    # The judge's shares of the verdicts by kind of conflict, with their intervals.
    shares: dict[str, list[Estimate | Undefined]]
    # For each cluster of instances, by its name: a row for each final verdict and one for none.
    clusters: dict[int, np.ndarray]
    unreadable: dict[str, int]
    rates: tuple[CorrectedRate, ...]

    @property
    def correct(self) -> CorrectedRate:
        return self.rates[CORRECT]

    @property
    def raw_share(self) -> float:
        return self.correct.judge_count / self.correct.judged if self.correct.judged else 0.0

    def offers(self, verdict: Verdict) -> bool:
        offered = self.template.offered_verdicts or tuple(Verdict)
        rate = self.rates[list(Verdict).index(verdict)]
        return verdict in offered or bool(rate.judge_count or rate.human_count)


def table_6(scope: Scope) -> Report:
    """Judge models on every response that they judged: raw rates beside corrected ones."""
    found = judged_responses(scope)
    rated = [_rated(found, row) for row in found.by_model()]
    corrected, raw = _corrected(scope, rated), _raw(scope, rated)
    return Report(
        title=say("Judge models on all instances"),
        lead=_sentences(rated),
        sections=[
            Section(say("Raw and corrected share of correct responses"), plots=[_plot(rated)], table=corrected),
            Section(say("The judge's verdicts, by kind of conflict"), table=raw),
        ],
        data={"table6": nested((each.path, _data(each)) for each in rated)},
        records=[_record(each) for each in rated],
        notes=judge_notes(scope, found),
        about=say(
            "Raw: the judge model's verdicts on all responses. Corrected: the same without the judge's "
            "error on this model's responses, as measured by those with a final verdict. This is right on "
            "average for any judge, if these responses are a random draw. With few final verdicts the "
            "interval is wide; if they show no error of the judge, it is too narrow."
        ),
        empty=no_judged(
            say("No judge model has judged a response yet."),
            say("its verdicts on each model, raw and corrected by people's verdicts,"),
        ),
    )


def _rated(found: JudgedResponses, row: ModelRow) -> Rated:
    judged = {subset: found.of(row.judge, row.template, row.model, subset) for subset in SUBSETS}
    tables = row.judged.tables()
    raw = {subset: each.tables().sum(axis=1) for subset, each in judged.items()}
    return Rated(
        **vars(row),
        raw={subset: counts.sum(axis=0).astype(int) for subset, counts in raw.items()},
        shares={subset: share_estimates(counts[:, None])[0] for subset, counts in raw.items()},
        clusters=dict(zip(row.judged.clusters, tables, strict=True)),
        unreadable={subset: each.unreadable for subset, each in judged.items()},
        rates=corrected_rates(tables),
    )


def _sentences(rated: Sequence[Rated]) -> list[str]:
    """The best answerer by each judge alone, and whether the correction changes that, at one prompt."""
    sentences: list[str] = []
    for judge in dict.fromkeys(each.judge for each in rated):
        own = [each for each in rated if each.judge == judge and each.correct.judged]
        if not own:
            continue
        answered: Counter[PromptTemplate] = Counter()
        for each in own:
            answered[each.template] += each.correct.judged
        template = headline(answered)
        own = [each for each in own if each.template == template]
        own = ranked(own, lambda each: each.correct.judged)
        first = max(own, key=lambda each: each.raw_share)
        share = share_in_words(first.shares["all"][CORRECT])
        parts = [
            say(
                "{judge} puts {first} first at prompt {prompt}: {share} correct of {responses}",
                judge=judge,
                first=first.model,
                prompt=template.label,
                share=share,
                responses=plural(first.correct.judged, "response"),
            )
        ]
        close = [each.model.name for each in own if each is not first and _too_close_raw(first, each)]
        if close:
            others = joined_names(close)
            parts.append(
                say(", but between {first} and {others} that is too close to call", first=first.model, others=others)
            )
        sentences.append(joined([*parts, _after_correction(own, first), "."], ""))
    return sentences


def _after_correction(own: Sequence[Rated], first: Rated) -> str:
    known = [(each.correct.corrected, each) for each in own if isinstance(each.correct.corrected, Estimate)]
    if not known:
        return say("; none has a final verdict, so nothing can be corrected")
    estimate, best = max(known, key=lambda pair: pair[0].value)
    value = share_in_words(estimate)
    close = [each.model.name for _, each in known if each is not best and _too_close(best, each)]
    if len(known) < len(own):
        said = say(
            "; corrected, {best} has {share}, the most of the {known} with final verdicts",
            best=best.model,
            share=value,
            known=len(known),
        )
    elif best.model == first.model:
        said = say(", and it stays first when corrected, with {share}", share=value)
    else:
        said = say("; corrected by people's verdicts, {best} comes first with {share}", best=best.model, share=value)
    if not close:
        return said
    others = joined_names(close)
    call = say("; between {best} and {others} it is too close to call", best=best.model, others=others)
    return joined([said, call], "")


def _too_close_raw(one: Rated, other: Rated) -> bool:
    """Return whether the data do not show which of two raw rates is larger."""
    names = sorted({*one.clusters, *other.clusters})
    nothing = np.zeros((K + 1, K))
    raw = (np.array([each.clusters.get(name, nothing).sum(axis=0) for name in names]) for each in (one, other))
    return is_too_close(share_difference(*raw))


def _too_close(one: Rated, other: Rated) -> bool:
    """Return whether the data do not show which corrected rate is larger."""
    names = sorted({*one.clusters, *other.clusters})
    nothing = np.zeros((K + 1, K))
    of_one, of_other = (np.array([each.clusters.get(name, nothing) for name in names]) for each in (one, other))
    return is_too_close(corrected_difference(of_one, of_other, verdict=CORRECT))


def _plot(rated: Sequence[Rated]) -> Intervals:
    rows: list[tuple[str, str, list[Point], str]] = []
    before = ""
    for each in rated:
        raw = each.shares["all"][CORRECT]
        points = (
            [estimate_point(raw, say("{model}: raw", model=each.model), "ring")] if isinstance(raw, Estimate) else []
        )
        if isinstance(each.correct.corrected, Estimate):
            points.append(
                estimate_point(each.correct.corrected, say("{model}: corrected", model=each.model), "diamond")
            )
        heading = say("{model}, prompt {prompt}", model=each.judge, prompt=each.template.label)
        aside = say(
            "n {judged:,}, final verdicts {labelled:,}", judged=each.correct.judged, labelled=each.correct.labelled
        )
        rows.append((heading if heading != before else "", each.model.name, points, aside))
        before = heading
    legend = [("ring", say("raw")), ("diamond", say("corrected, both with their 95% intervals"))]
    return intervals(say("Share of correct responses"), rows, ticks=SHARES, legend=legend, as_percent=True)


def _corrected(scope: Scope, rated: Sequence[Rated]) -> Table:
    columns = [
        *judged_columns(),
        Column("n", title=say("Responses with a readable verdict of the judge")),
        Column(say("Final verdicts"), title=say("Of these, responses with people's final verdict")),
    ]
    for verdict in Verdict:
        group = LABELS[verdict.value]
        columns += [Column(say("Raw"), group), *with_interval(Column(say("Corrected"), group))]
    rows = []
    for each in rated:
        chosen = each.responses(scope)
        row = [
            *each.cells,
            Cell(each.correct.judged, href=response_list(chosen)),
            Cell(each.correct.labelled, href=response_list(chosen, verdict="any")),
        ]
        for verdict, rate in zip(Verdict, each.rates, strict=True):
            if not each.offers(verdict):
                row += [Cell(None, say("This verdict is not offered."))] * 3
                continue
            said = replace(chosen, said=verdict.value)
            both = response_list(said, verdict="any")
            people = say(
                "people gave it to {count:,} of {n:,} responses with a final verdict",
                count=rate.human_count,
                n=rate.labelled,
            )
            row += [
                share_cell(
                    percent(rate.judge_count, rate.judged),
                    each.shares["all"][ORDER[verdict.value]],
                    title=say("{count:,} of {n:,}", count=rate.judge_count, n=rate.judged),
                    href=response_list(said),
                    of=(rate.judge_count, rate.judged),
                ),
                *estimate_cells(rate.corrected, title=people, href=both, as_percent=True),
            ]
        rows.append(row)
    return Table(say("Judge models on all instances, raw and corrected"), columns, rows)


def _raw(scope: Scope, rated: Sequence[Rated]) -> Table:
    columns = judged_columns()
    for name in SUBSETS.values():
        columns += [Column("n", name), Column(say("Unreadable"), name)]
        columns += [verdict_column(verdict, name) for verdict in Verdict]
    rows = []
    for each in rated:
        row = each.cells
        for subset in SUBSETS:
            chosen = replace(each.responses(scope), subset="" if subset == "all" else subset)
            n = int(each.raw[subset].sum())
            row += [
                Cell(n, href=response_list(chosen)),
                Cell(each.unreadable[subset], href=response_list(chosen, said="unreadable")),
            ]
            for verdict, count, number in zip(Verdict, each.raw[subset], each.shares[subset], strict=True):
                value = percent(int(count), n) if each.offers(verdict) else None
                href = response_list(chosen, said=verdict.value)
                of = (int(count), n)
                row.append(
                    share_cell(
                        value, number, title=say("{count:,} of {n:,}", count=int(count), n=n), href=href, of=of
                    )
                )
        rows.append(row)
    return Table(say("Judge models on all instances"), columns, rows)


def _data(each: Rated) -> dict[str, object]:
    return {
        "readers": sorted(each.judged.readers),
        "raw": {
            subset: {"n": int(counts.sum()), "unreadable": each.unreadable[subset], **shares(counts)}
            for subset, counts in each.raw.items()
        },
        "intervals": {subset: share_intervals(of) for subset, of in each.shares.items()},
        "corrected": {SHORT[verdict]: asdict(rate) for verdict, rate in zip(Verdict, each.rates, strict=True)},
    }


def _record(each: Rated) -> dict[str, Value]:
    record = each.names | {
        "n": each.correct.judged,
        "unreadable": each.unreadable["all"],
        "settled": each.correct.labelled,
    }
    for verdict, rate in zip(Verdict, each.rates, strict=True):
        record |= {
            f"{verdict.value}_judge": rate.judge_count,
            f"{verdict.value}_people": rate.human_count,
            f"{verdict.value}_corrected": in_record(rate.corrected),
            **ends_in_record(verdict.value, rate.corrected.interval),
        }
    return record | share_records(each.shares["all"], "{}_judge")
