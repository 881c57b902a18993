"""The layout of Tables 2 and 3: sentences, notes, cells with their links, and the same numbers for files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.languages import say
from core.words import joined_names, plural
from judging.protocol.verdicts import Verdict
from review.reports.kinds import SHORT, SUBSETS, nested, share_intervals, share_records, verdict_column
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

ABOUT = (
    "C correct, P partially correct, I incorrect, in percent of the responses with a final verdict; of fewer than "
    f"{FEWEST_IN_PERCENT}, as a count. Hatched cells have no number: their tooltip says why. “No verdict” "
    "counts responses that have none yet; they are excluded from all percentages. The line below a bar is the 95% "
    "interval of correct, from resampling; each number's is in its tooltip, with Wilson's."
)
EMPTY = (
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
    sentence = (
        f"With prompt {first.prompt.label} ({first.prompt.name}), {first.model.name} is correct in "
        f"{_correct_in_words(first)} {plural(first.all.n, 'response')}"
    )
    if best.models > 1:
        ahead = f", the most of {best.models} models" if best.is_ahead else ""
        sentence += f"{ahead}; {last.model.name} in {_correct_in_words(last)} {last.all.n:,}"
    sentences = [f"{sentence}."]
    if best.close:
        sentences.append(f"Between {first.model.name} and {joined_names(best.close)} it is too close to call.")
    if best.explicit is not None and best.implicit is not None:
        sentences.append(
            f"Over all models, {best.explicit}% are correct where the conflict is explicit and {best.implicit}% "
            f"where it is implicit{', too close to call' if best.is_close else ''}."
        )
    return sentences


def _correct_in_words(row: Row) -> str:
    """The share of correct responses before its n: "20.0% of", or "2 of" if these are few."""
    if row.all.n < FEWEST_IN_PERCENT:
        return f"{row.all.correct.count} of"
    return f"{share_in_words(row.all.correct.estimate)} of"


def _notes(numbers: Numbers) -> Iterator[Note]:
    if numbers.unlabelled:
        words = plural(numbers.unlabelled, "response has", "responses have")
        yield Note(f"{words} no final verdict, of {numbers.responses:,}; excluded from all percentages.")
    if numbers.several_runs:
        yield Note("Responses of several runs of one model are counted together; choose a run to separate them.")
    if numbers.same_passage:
        words = plural(numbers.same_passage, "response")
        yield Note(
            f"{words} to prompts with one passage are left out, because both passages of the instance are the same."
        )


# --- The table ------------------------------------------------------------------------------------------------------


def _columns() -> list[Column]:
    columns = [Column("Prompt", words=True), Column("Model", words=True)]
    for name in SUBSETS.values():
        columns += [
            Column("n", name, title=say("Responses with a final verdict")),
            Column("No verdict", name, title=say("Responses without a final verdict; excluded from all percentages")),
            *(verdict_column(verdict, name, f"{verdict.label}, in percent of n") for verdict in Verdict),
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
            Cell(counts.n, f"Of {counts.responses:,} responses", response_list(chosen, verdict="any")),
            Cell(counts.unlabelled, beside.strip("; "), response_list(chosen, verdict="none")),
            *(each.cell for each in shares[subset]),
        ]
    return LaidRow(row, cells, shares["all"])


def _share(row: Row, counts: Counts, share: VerdictShare, beside: str, chosen: ResponseFilter) -> LaidShare:
    """The share of a verdict; one that was neither offered nor given has none."""
    words = f"{share.count:,} of {counts.n:,} with a final verdict{beside}"
    is_shown = share.count or share.verdict in row.prompt.offered
    href = response_list(chosen, verdict=share.verdict.value)
    of = (share.count, counts.n)
    cell = share_cell(share.percent if is_shown else None, share.estimate, title=words, href=href, of=of)
    return LaidShare(share, cell, words)


def _beside(counts: Counts) -> str:
    """The responses without a final verdict, in words; empty if there are none."""
    if not counts.unlabelled:
        return ""
    of_them = f", {counts.no_answer:,} of them no answer" if counts.no_answer else ""
    return f"; {counts.unlabelled:,} without{of_them}"


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
