"""The ratio of facts that each model believes rightly, from counts."""

from collections import Counter

from review.reports.entries import Entry
from review.reports.layout import Cell, Column, Report, Section, Table
from review.reports.scope import Scope

from .items import CODE


def ratios(scope: Scope) -> Report:
    """By model: readable answers, those that are right, and their ratio."""
    right, read = Counter[str](), Counter[str]()
    readings = scope.readings("facts-each").filter(problem="")
    for model, is_right in readings.values_list("response__model__name", "scores__is_right"):
        read[model] += 1
        right[model] += bool(is_right)
    records = [
        {"model": model, "n": read[model], "right": right[model], "ratio": right[model] / read[model]}
        for model in sorted(read)
    ]
    columns = [Column("Model", words=True), Column("n"), Column("Right"), Column("Ratio")]
    rows = [
        [Cell(each["model"]), Cell(each["n"]), Cell(each["right"]), Cell(f"{each['ratio']:.2f}")] for each in records
    ]
    table = Table("Facts believed rightly", columns, rows)
    lead = [f"{len(records)} models answered."] if records else []
    return Report(
        "Facts: ratios", lead, [Section("By model", table=table)], {"models": records}, records, empty="Ask models."
    )


ABOUT = "How many facts each model believes rightly."
REPORTS = {"facts-ratios": Entry(ratios, "Facts: ratios", ABOUT, ("release", "run"), benchmark=CODE)}
