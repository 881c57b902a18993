"""The numbers that the paper prints in its Tables 1 to 6, beside ours, with the known reason for each difference.

`printed.json` has the printed values and the location of each table. They enter none of our numbers.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from annotation.releases.datasheets.statistics import LABELS
from core.languages import say
from core.words import plural
from judging.protocol.verdicts import Verdict
from review.reports.kinds import SHORT, SUBSETS
from review.reports.layout import Cell, Column, Report, Table
from review.reports.printed import Compared, beside_printed, crossed, leaves, plain_name, summary
from review.statistics.rounding import half_up

TABLES = tuple(f"table{number}" for number in range(1, 7))
SCORES = {"P": "precision", "R": "recall", "F": "f"}
WORDS = {
    **SUBSETS,
    **{SHORT[verdict]: str(verdict.label) for verdict in Verdict},
    "people": say("People"),
    "judge": say("Judge"),
    "accuracy": say("Accuracy"),
    "macro_f": say("Macro-F"),
}
OTHER_RESPONSES = say("These are other responses, or other verdicts.")


@dataclass(frozen=True, slots=True)
class Ours:
    """Our number for a printed cell, in percent and not rounded, and the n of both."""

    value: Fraction
    n: int
    printed_n: int


def with_printed(name: str, report: Report) -> Report:
    """The report of one of `TABLES` with a section that has the printed numbers."""
    known = _printed()[name]
    compared = COMPARED[name](known, report.data)
    about = {"where": known["where"], "source": _printed()["source"], "about": known["about"]}
    return beside_printed(report, compared, _table(name, compared), about, [*summary(compared), *known["about"]])


@cache
def _printed() -> dict[str, Any]:
    return json.loads(Path(__file__).with_name("printed.json").read_text(), parse_float=Decimal)


# --- Table 1 ------------------------------------------------------------------------------------------------------


def _of_table_1(known: Mapping[str, Any], counts: Mapping[str, int]) -> list[Compared]:
    instances = known["counts"]["annotated_instances"]
    other = (
        say(
            "This set has {here}, and the paper’s {there:,}.",
            here=plural(counts["annotated_instances"], "instance"),
            there=instances,
        )
        if counts["annotated_instances"] != instances
        else say("These are other instances than the released ones.")
    )
    reasons = {} if counts["annotated_instances"] != instances else known["reasons"]
    return [
        Compared((name,), printed, counts[name], "" if printed == counts[name] else reasons.get(name, other))
        for name, printed in known["counts"].items()
    ]


# --- Tables 2 to 6: percentages -----------------------------------------------------------------------------------


def _of_table_2(known: Mapping[str, Any], data: Mapping[str, Any], *, name: str = "table2") -> list[Compared]:
    def ours(template: str, model: str, subset: str, verdict: str) -> Ours | None:
        of_subset = _of_model(data[name].get(f"template_{template}", {}), model).get(subset)
        return _share(of_subset, verdict, known["n"][template][subset])

    def reason(template: str, model: str, *_: str) -> str:
        cells = known.get("otherwise", {}).get(template, {}).get(model)
        if not cells:
            return OTHER_RESPONSES
        return say(
            "The released labels count otherwise: {cells} of prompt {prompt} and {model}.",
            cells=plural(cells, "cell"),
            prompt=template,
            model=model,
        )

    return _compared(known, ours, reason)


def _of_table_3(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    return _of_table_2(known, data, name="table3")


def _of_table_4(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    def ours(judge: str, what: str, score: str = "") -> Ours | None:
        scores = _of_model(data["table4"], judge).get(f"template_{known['template']}")
        if not scores or not scores["n"]:
            return None
        number = scores["accuracy"]["value"] if what == "accuracy" else scores["macro_f"]
        if score:
            verdict = next(verdict for verdict in Verdict if SHORT[verdict] == what)
            number = scores["verdicts"].get(verdict.value, {}).get(SCORES[score])
        # An undefined value is not a number.
        return Ours(100 * Fraction(number), scores["n"], known["n"]) if isinstance(number, float) else None

    return _compared(known, ours)


def _of_table_5(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    def ours(model: str, who: str, verdict: str) -> Ours | None:
        side = _of_model(_of_judge(known, data["table5"]), model)
        return _share({"n": side["n"], **side[who]} if side else None, verdict, known["n"])

    return _compared(known, ours)


def _of_table_6(known: Mapping[str, Any], data: Mapping[str, Any]) -> list[Compared]:
    def ours(model: str, subset: str, verdict: str) -> Ours | None:
        of_subset = _of_model(_of_judge(known, data["table6"]), model).get("raw", {}).get(subset)
        return _share(of_subset, verdict, known["n"][subset])

    return _compared(known, ours)


COMPARED: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], list[Compared]]] = dict(
    zip(TABLES, (_of_table_1, _of_table_2, _of_table_3, _of_table_4, _of_table_5, _of_table_6), strict=True)
)


def _of_judge(known: Mapping[str, Any], table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our table's values for the judge and template of the printed one, by model."""
    return _of_model(table, known["judge"]).get(f"template_{known['template']}", {})


def _of_model(table: Mapping[str, Any], model: str) -> Mapping[str, Any]:
    """Our table's values for a printed model, matched by alias; empty if it is missing."""
    names = {plain_name(name) for name in (model, *_printed()["models"].get(model, ()))}
    return next((found for name, found in table.items() if plain_name(name) in names), {})


def _share(counts: Mapping[str, Any] | None, verdict: str, printed_n: int) -> Ours | None:
    if not counts or not counts["n"]:
        return None
    return Ours(Fraction(100 * counts[verdict]["count"], counts["n"]), counts["n"], printed_n)


def _compared(
    known: Mapping[str, Any],
    ours: Callable[..., Ours | None],
    reason: Callable[..., str] = lambda *_: OTHER_RESPONSES,
) -> list[Compared]:
    return [_cell(where, printed, ours(*where), reason(*where)) for where, printed in leaves(known["percent"])]


def _cell(where: tuple[str, ...], printed: Decimal | int, ours: Ours | None, reason: str) -> Compared:
    """A cell beside the printed one. Numbers are equal if ours rounds to the printed one; a half may have been
    rounded up or down.
    """
    if ours is None:
        return Compared(where, printed, None)
    decimals = 0 if isinstance(printed, int) else 1
    here = half_up(Decimal(ours.value.numerator) / ours.value.denominator, decimals)
    if abs(ours.value - Fraction(printed)) <= Fraction(1, 2 * 10**decimals):
        return Compared(where, printed, here)
    if ours.n != ours.printed_n:
        reason = say("Other responses count here: n is not that of the paper.")
    return Compared(where, printed, here, reason)


# --- The tables as printed ----------------------------------------------------------------------------------------


def _table(name: str, compared: Sequence[Compared]) -> Table:
    caption = say("Table {number} as printed", number=name[-1])
    if name == "table1":
        rows = [[Cell(LABELS[each.where[0]]), each.cell] for each in compared]
        return Table(caption, [Column(say("Statistic"), words=True), Column(say("Printed"))], rows)
    heads = {
        "table2": (say("Prompt"), say("Model")),
        "table3": (say("Prompt"), say("Model")),
        "table4": (say("Judge"),),
    }
    return crossed(caption, compared, heads.get(name, (say("Model"),)), _column)


def _column(tail: tuple[str, ...]) -> Column:
    """A column named by its last word, below the word before it."""
    return Column(tail[-1], WORDS[tail[0]]) if len(tail) > 1 else Column(WORDS[tail[0]])
