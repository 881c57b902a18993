"""The layout of Tables 2 and 3: sentences, notes, cells with their links, and the same numbers for files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.languages import joined, say
from core.words import joined_names, plural
from judging.protocol.verdicts import Verdict
from review.reports.kinds import LABELS, SHORT, SUBSETS, nested, share_intervals, share_records, verdict_column
from review.reports.layout import (
    Cell,
    Column,
    Note,
    Table,
    Value,
    as_number,
    in_record,
    share_cell,
    share_in_words,
)
from review.reports.links import ResponseFilter, response_list
from review.reports.scope import Scope
from review.statistics.estimates import Estimate, Undefined
from review.statistics.shares import FEWEST_IN_PERCENT

from .numbers import Best, Counts, Numbers, Row, VerdictShare

ABOUT = say(
    "C correct, P partially correct, I incorrect, in percent of the responses with a final verdict; "
    "of fewer than {fewest}, as a count. Hatched cells have no number: their tooltip says "
    "why. “No verdict” counts responses that have none yet; they are excluded from all percentages. "
    "The line below a bar is the 95% interval of correct, from resampling, where there are enough responses; each "
    "number's is in its tooltip, with Wilson's.",
    fewest=FEWEST_IN_PERCENT,
)
EMPTY = say(
    "No response here has a final verdict. Judge a run in a round, or import a human evaluation with manage.py "
    "import_human_evaluation FILE; the shares of correct, partially correct and incorrect responses then "
    "appear here by model and prompt."
)


@dataclass(frozen=True, slots=True)
class LaidShare:
    """The share of a verdict: its cell, with the link to its responses, and the counts behind it in words."""

    share: VerdictShare
    cell: Cell
    words: str


@dataclass(frozen=True, slots=True)
class LaidRow:
    """A row of the table; `shares` are those over all kinds of conflict."""

    row: Row
    cells: Sequence[Cell]
    shares: Sequence[LaidShare]


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The parts of the report. `data` has the shape of the numbers published with the benchmark; `more_data` has
    fields that it lacks.
    """

    rows: Sequence[LaidRow]
    table: Table
    lead: Sequence[str]
    notes: Sequence[Note]
    data: Mapping[str, object]
    more_data: Mapping[str, object]
    records: Sequence[Mapping[str, Value]]


def lay_out(scope: Scope, numbers: Numbers, caption: str) -> LaidOut:
    """The numbers as a table, sentences, notes and records, with links to the responses of the scope."""
    rows = [_row(scope, row) for row in numbers.rows]
    named = [
        ((row.prompt.key, row.model.name, subset), counts)
        for row in numbers.rows
        for subset, counts in row.counts.items()
    ]
    return LaidOut(
        rows=rows,
        table=Table(caption, _columns(), [each.cells for each in rows]),
        lead=_sentences(numbers.best) if numbers.best else (),
        notes=list(_notes(numbers)),
        data=nested((names, _data(counts)) for names, counts in named),
        more_data={
            "unlabelled": nested((names, counts.unlabelled) for names, counts in named),
            "intervals": nested((names, share_intervals(_estimates(counts))) for names, counts in named),
        },
        records=[_record(row, subset) for row in numbers.rows for subset in SUBSETS],
    )


# --- Sentences and notes --------------------------------------------------------------------------------------------


def _sentences(best: Best) -> list[str]:
    """The best and the worst model at one template, and the effect of implicit conflicts."""
    first, last = best.first, best.last
    parts = [
        say(
            "With prompt {prompt} ({name}), {model} is correct in {share} of {responses}",
            prompt=first.prompt.label,
            name=first.prompt.name,
            model=first.model.name,
            share=_correct_in_words(first),
            responses=plural(first.all.n, "response"),
        )
    ]
    if best.models > 1 and best.is_ahead:
        parts.append(say(", the most of {models} models", models=best.models))
    if best.models > 1:
        share = _correct_in_words(last)
        parts.append(say("; {model} in {share} of {n:,}", model=last.model.name, share=share, n=last.all.n))
    sentences: list[str] = [joined([*parts, "."], "")]
    if best.close:
        others = joined_names(best.close)
        sentences.append(
            say("Between {best} and {others} it is too close to call.", best=first.model.name, others=others)
        )
    if best.explicit is not None and best.implicit is not None:
        sentences.append(_of_conflicts(best))
    return sentences


def _of_conflicts(best: Best) -> str:
    shares = {"explicit": best.explicit, "implicit": best.implicit}
    if best.is_close:
        return say(
            "Over all models, {explicit:f}% are correct where the conflict is explicit and {implicit:f}% where it is "
            "implicit, too close to call.",
            **shares,
        )
    return say(
        "Over all models, {explicit:f}% are correct where the conflict is explicit and {implicit:f}% where it is "
        "implicit.",
        **shares,
    )


def _correct_in_words(row: Row) -> str:
    """The share of correct responses, before its n: "20.0%", or "2" if these are few."""
    if row.all.n < FEWEST_IN_PERCENT:
        return f"{row.all.correct.count}"
    return share_in_words(row.all.correct.estimate)


def _notes(numbers: Numbers) -> Iterator[Note]:
    if numbers.unlabelled:
        yield Note(
            say(
                "{responses} no final verdict, of {n:,}; excluded from all percentages.",
                responses=plural(numbers.unlabelled, "response has", "responses have"),
                n=numbers.responses,
            )
        )
    if numbers.several_runs:
        yield Note(say("Responses of several runs of one model are counted together; choose a run to separate them."))
    if numbers.same_passage:
        yield Note(
            say(
                "{responses} to prompts with one passage are left out, because both passages of the instance are the "
                "same.",
                responses=plural(numbers.same_passage, "response"),
            )
        )


# --- The table ------------------------------------------------------------------------------------------------------


def _columns() -> list[Column]:
    columns = [Column(say("Prompt"), words=True), Column(say("Model"), words=True)]
    for name in SUBSETS.values():
        columns += [
            Column("n", name, title=say("Responses with a final verdict")),
            Column(
                say("No verdict"), name, title=say("Responses without a final verdict; excluded from all percentages")
            ),
            *(
                verdict_column(verdict, name, say("{label}, in percent of n", label=LABELS[verdict.value]))
                for verdict in Verdict
            ),
        ]
    return columns


def _row(scope: Scope, row: Row) -> LaidRow:
    cells = [Cell(row.prompt.label, title=row.prompt.name), Cell(row.model.name)]
    shares = {}
    for subset, counts in row.counts.items():
        chosen = ResponseFilter(
            scope=scope,
            template=row.prompt.pk,
            model=row.model.pk,
            subset="" if subset == "all" else subset,
            passages="different" if row.prompt.wants_different_passages else "",
        )
        beside = _beside(counts)
        shares[subset] = [_share(row, counts, each, beside, chosen) for each in counts.shares]
        cells += [
            Cell(
                counts.n,
                say("Of {responses:,} responses", responses=counts.responses),
                response_list(chosen, verdict="any"),
            ),
            Cell(counts.unlabelled, beside, response_list(chosen, verdict="none")),
            *(each.cell for each in shares[subset]),
        ]
    return LaidRow(row, cells, shares["all"])


def _share(row: Row, counts: Counts, share: VerdictShare, beside: str, chosen: ResponseFilter) -> LaidShare:
    """The share of a verdict; one that was neither offered nor given has none."""
    words = say("{count:,} of {n:,} with a final verdict", count=share.count, n=counts.n)
    if beside:
        words = joined([words, beside], "; ")
    is_shown = share.count or share.verdict in row.prompt.offered
    href = response_list(chosen, verdict=share.verdict.value)
    of = (share.count, counts.n)
    cell = share_cell(share.percent if is_shown else None, share.estimate, title=words, href=href, of=of)
    return LaidShare(share, cell, words)


def _beside(counts: Counts) -> str:
    """The responses without a final verdict, in words; empty if there are none."""
    if not counts.unlabelled:
        return ""
    if not counts.no_answer:
        return say("{count:,} without", count=counts.unlabelled)
    return say("{count:,} without, {none:,} of them no answer", count=counts.unlabelled, none=counts.no_answer)


# --- Files ----------------------------------------------------------------------------------------------------------


def _data(counts: Counts) -> dict[str, object]:
    each = {SHORT[of.verdict]: {"count": of.count, "pct": as_number(of.percent)} for of in counts.shares}
    return {"n": counts.n, **each}


def _estimates(counts: Counts) -> list[Estimate | Undefined]:
    return [each.estimate for each in counts.shares]


def _record(row: Row, subset: str) -> dict[str, Value]:
    counts = row.counts[subset]
    return {
        "template": row.prompt.label,
        "model": row.model.name,
        "instances": subset,
        "n": counts.n,
        "unlabelled": counts.unlabelled,
        **{each.verdict.value: each.count for each in counts.shares},
        **{
            f"{each.verdict.value}_percent": each.percent if counts.n else in_record(each.estimate)
            for each in counts.shares
        },
        **share_records(_estimates(counts)),
    }
