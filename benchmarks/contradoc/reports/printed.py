"""The numbers in ContraDoc's paper, cell by cell beside ours, each difference with its known reason. They enter none
of our numbers.

`printed.json` has the printed values, the location of each table, its number of documents, and its errors.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from core.languages import changed, say
from review.reports.layout import Cell, Column, Report, Table
from review.reports.printed import Compared, beside_printed, crossed, leaves, plain_name, summary
from review.statistics.rounding import half_up

from ..content.statistics import labelled

OTHER_REPLIES = say("These are other replies: those of the paper were not released.")
OTHER_DOCUMENTS = say("These are other documents than the released ones.")
# The report's numbers by model, in its JSON.
BY_MODEL = {
    "table2": "binary",
    "table3": "topk",
    "table4": "judge_then_find",
    "table5": "judge_then_find",
    "given-sentence": "given",
}
MODELS = ("GPT3.5", "GPT4")
# How the paper divides documents in Table 6.
WORDS = {"overall": "All", "by doc_type": "Document", "by tokens": "Tokens", "by scope": "Scope", "by type": "Type"}
FINDINGS = {"no": "Answers no", "wrong": "Incorrect evidence", "right": "Correct evidence"}
EMOTION = "Emotion/Mood/Feeling"
Known = Mapping[str, Any]


@cache
def _everything() -> Known:
    return json.loads(Path(__file__).with_name("printed.json").read_text("utf-8"), parse_float=Decimal)


def with_printed(name: str, report: Report) -> Report:
    """The report with a section of the printed values: `name` is a key of `printed.json`."""
    known = _everything()[name]
    compare, table = SHAPES.get(name, (_by_model, _model_table))
    compared = list(compare(name, known, report.data))
    about = {"where": known["where"], "source": _everything()["source"], "about": known["slips"]}
    said = [f"{known['where']}.", *summary(compared), *known["slips"]]
    return beside_printed(
        report, compared, table(say("{where}, as printed", where=known["where"]), compared), about, said
    )


def titled(name: str) -> str:
    """The name of a number as the head of a column."""
    return changed(name, lambda text: text[:1].upper() + text[1:])


# --- Compared -------------------------------------------------------------------------------------------------------


def _cell(where: tuple[str, ...], printed: Decimal | int, ours: float | None, *reasons: str) -> Compared:
    """A printed number beside ours, to the decimals that both have; with the reasons where they differ."""
    if ours is None:
        return Compared(where, printed, None)
    here = Decimal(str(ours))
    decimals = min(_decimals(printed), _decimals(here))
    if half_up(here, decimals) == half_up(Decimal(printed), decimals):
        return Compared(where, printed, here)
    return Compared(where, printed, here, " ".join(filter(None, reasons)))


def _decimals(number: Decimal | int) -> int:
    return max(-int(Decimal(number).as_tuple().exponent), 0)


def _of_model(found: Known, model: str) -> Known:
    """Our results for a model in the paper, matched by alias, with the first template; empty if it has none."""
    names = {plain_name(name) for name in (model, *_everything()["models"].get(model, ()))}
    # With several templates, the name of one stands behind the model's.
    there = (row for name, row in found.items() if {plain_name(name), plain_name(name.rpartition(", ")[0])} & names)
    return next(there, {})


def _other_n(here: int | None, printed: int | None) -> str:
    """The reason why numbers from different counts differ."""
    if here is None or printed is None or here == printed:
        return ""
    return say("Of {here:,} here, and of {printed:,} in the paper.", here=here, printed=printed)


def _by_model(name: str, known: Known, data: Known) -> Iterator[Compared]:
    """Tables with a row for each model."""
    found = data.get(BY_MODEL[name], {})
    for model, columns in known["rows"].items():
        row = data.get("chance", {}) if model == "Chance" else _of_model(found, model)
        size = _other_n(row.get("n"), known["n"])
        for column, printed in columns.items():
            slip = known.get("reasons", {}).get(model, {}).get(column, "")
            yield _cell((model, column), printed, row.get(column), size or ("" if slip else OTHER_REPLIES), slip)


def _by_group(name: str, known: Known, data: Known) -> Iterator[Compared]:
    """Table 6: groups of documents, and the hits of each model."""
    found = data.get("topk", {})
    every: Known = next(iter(found.values()), {})
    for kind, groups in known["groups"].items():
        for group, values in groups.items():
            yield _cell((kind, group, "", "n"), values["n"], _in_group(every, kind, group).get("n"), OTHER_DOCUMENTS)
            for model in MODELS:
                row = _in_group(_of_model(found, model), kind, group)
                reason = _other_n(row.get("n"), values["n"]) or OTHER_REPLIES
                for what, printed in values[model].items():
                    yield _cell((kind, group, model, what), printed, row.get(what), reason)


def _in_group(row: Known, kind: str, group: str) -> Known:
    return row if kind == "overall" else row.get(kind, {}).get(group, {})


def _counts(name: str, known: Known, data: Known) -> Iterator[Compared]:
    """The documents of a release in numbers."""
    for where, printed in leaves(known["counts"]):
        here: Any = data
        for key in where:
            here = here.get(key, {})
        yield _cell(where, printed, here if isinstance(here, int) else None, OTHER_DOCUMENTS)


def _given(name: str, known: Known, data: Known) -> Iterator[Compared]:
    """The shares named in the text about Figure 2."""
    for kind, printed in known["given"]["doc_type"].items():
        ours = data.get("given", {}).get(kind, {}).get(EMOTION)
        size = _other_n(data.get("documents", {}).get(kind), known["n"][kind])
        yield _cell((kind,), printed, ours, size or OTHER_DOCUMENTS)


def _findings(name: str, known: Known, data: Known) -> Iterator[Compared]:
    """The outcomes of free-format replies."""
    for model, findings in known["rows"].items():
        row = _of_model(data.get("models", {}), model)
        for finding, printed in findings.items():
            ours = row.get(finding, {}).get("pct")
            yield _cell((model, finding), printed, ours, _other_n(row.get("n"), known["n"]) or OTHER_REPLIES)


# --- As tables ------------------------------------------------------------------------------------------------------


def _model_table(caption: str, compared: Sequence[Compared]) -> Table:
    return crossed(caption, compared, [say("Model")], lambda tail: Column(FINDINGS.get(tail[0], titled(tail[0]))))


def _group_table(caption: str, compared: Sequence[Compared]) -> Table:
    cells = {each.where: each.cell for each in compared}
    columns = [Column(say("Attribute"), words=True), Column(say("Group"), words=True), Column("n")]
    columns += [Column(titled(what), model) for model in MODELS for what in ("hits", "EHR")]
    rows = [
        [
            Cell(WORDS[kind]),
            Cell(group),
            cells[kind, group, "", "n"],
            *(cells[kind, group, model, what] for model in MODELS for what in ("hits", "EHR")),
        ]
        for kind, group in dict.fromkeys(each.where[:2] for each in compared)
    ]
    return Table(caption, columns, rows)


def _count_table(caption: str, compared: Sequence[Compared]) -> Table:
    words = [words for words, _ in labelled(_everything()["statistics"]["counts"])]
    rows = [[Cell(name), each.cell] for name, each in zip(words, compared, strict=True)]
    return Table(caption, [Column(say("Statistic"), words=True), Column(say("Printed"))], rows)


def _given_table(caption: str, compared: Sequence[Compared]) -> Table:
    rows = [[Cell(each.where[0]), each.cell] for each in compared]
    return Table(caption, [Column(say("Given"), words=True), Column(EMOTION)], rows)


Compare = Callable[[str, Known, Known], Iterator[Compared]]
SHAPES: dict[str, tuple[Compare, Callable[[str, Sequence[Compared]], Table]]] = {
    "table6": (_by_group, _group_table),
    "statistics": (_counts, _count_table),
    "figure2": (_given, _given_table),
    "free-format": (_findings, _model_table),
}
