"""The tables of the agreement report, and the lists of responses behind their numbers."""

from collections.abc import Sequence

from core.words import plural
from judging.protocol.verdicts import Verdict

from ...models import CATEGORY_NUMBERS
from ..drawing.plots import LETTERS, HeatMap, heat_map
from ..kinds import FEW, LABELS
from ..layout import Cell, Column, Section, Table, estimate_cells, interval_cell, number_cell, with_interval
from ..links import OF_SUBSET, ResponseFilter, response_list
from ..scope import Scope
from .double_judged import Breakdown, DoubleJudged, ReviewerMatrix, Together

# The coefficients of agreement, and the heads of their columns.
COEFFICIENTS = {
    "Cohen's kappa": "Kappa",
    "Weighted kappa": "Kappa",
    "Gwet's AC1": "AC1",
    "Krippendorff's alpha": "Alpha",
}
PARAMETERS = {"template": ("template",), "model": ("model",), "reviewers": ("person", "other")}
# The subsets by the number of their category.
SUBSETS = {CATEGORY_NUMBERS[code]: name for name, code in OF_SUBSET.items()}


def filter_of(scope: Scope, by: str, group: DoubleJudged | Together) -> ResponseFilter:
    if by == "reasoning":
        return ResponseFilter(scope=scope, pairs="both", subset=SUBSETS[group.key[0]])
    return ResponseFilter(scope=scope, pairs="both", **dict(zip(PARAMETERS.get(by, ()), group.key, strict=True)))


def table_of_both(scope: Scope, by: str, group: DoubleJudged) -> HeatMap:
    chosen = filter_of(scope, by, group)
    kinds = [verdict.value for verdict in group.verdicts]
    hrefs = [[response_list(chosen, first=row, second=column) for column in kinds] for row in kinds]
    one, other = group.label.split(" and ", 1) if by == "reviewers" else ("one", "the other")
    return heat_map(
        group.label if by else "All responses",
        group.agreement.table,
        kinds,
        rows_are=one,
        columns_are=other,
        hrefs=hrefs,
        labels=LABELS,
    )


def agreement_table(scope: Scope, by: str, name: str, groups: Sequence[DoubleJudged]) -> Table:
    columns = [
        Column(name, words=True),
        Column("n", title="Responses with two verdicts"),
        Column("Instances", title="Instances that these are responses to"),
        Column("Cannot judge", title="Pairs in which a reviewer gave no verdict; in no coefficient"),
        *with_interval(Column("Same, %", "Raw agreement")),
    ]
    for coefficient, short in COEFFICIENTS.items():
        columns += with_interval(Column(short, coefficient, title="Within strata"))
    rows = []
    for group in groups:
        found, chosen = group.agreement, filter_of(scope, by, group)
        href = response_list(chosen)
        n = f"Of {plural(found.n, 'response')} with two verdicts"
        row = [
            Cell(group.label),
            Cell(found.n, f"{n}; {group.cannot_judge:,} further pairs, in which a reviewer could not judge", href),
            Cell(found.instances, "" if found.instances is not None else "Not counted for a large review"),
            Cell(group.cannot_judge, href=response_list(chosen, pairs="", first="cannot_judge")),
            *estimate_cells(found.raw, title=n, href=href, as_percent=True),
        ]
        within = group.stratified
        for number in (within.kappa, within.weighted_kappa, within.ac1, within.alpha):
            row += estimate_cells(number, title=f"{n}, {_strata_in_words(group)}", href=href)
        rows.append(row)
    return Table(f"Agreement by {name.lower()}" if by else "Agreement over all responses", columns, rows)


def _strata_in_words(group: DoubleJudged) -> str:
    words = f"in {plural(group.stratified.strata, 'stratum', 'strata')}"
    left_out = group.stratified.left_out
    return f"{words}; kappa is not defined in those of {left_out:,}" if left_out else words


def pooled_table(scope: Scope, each: Breakdown, name: str) -> Table:
    columns = [
        Column(name, words=True),
        Column("n", title="Responses with two verdicts"),
        Column("Strata"),
        Column("In strata", "By chance, %", title="Equal verdicts that kappa expects by chance within strata"),
        Column("In one table", "By chance, %", title="Equal verdicts that kappa expects by chance in one table"),
        Column("In strata", "Cohen's kappa"),
        Column("In one table", "Cohen's kappa"),
        Column("95%", "Cohen's kappa", title="In one table, by resampling"),
        Column("Analytic 95%", "Cohen's kappa", title="In one table, taking responses as independent"),
    ]
    for coefficient, short in list(COEFFICIENTS.items())[1:]:
        columns += with_interval(Column(short, coefficient, title="In one table"))
    rows = []
    for by, group in [("", each.overall), *((each.by, group) for group in each.groups)]:
        found, href = group.agreement, response_list(filter_of(scope, by, group))
        title = f"Of {plural(found.n, 'response')}"
        row = [
            Cell(group.label),
            Cell(found.n, href=href),
            Cell(group.stratified.strata),
            number_cell(group.stratified.chance, title=title, href=href, as_percent=True),
            number_cell(found.chance, title=title, href=href, as_percent=True),
            number_cell(group.stratified.kappa, title=title, href=href),
            number_cell(found.kappa, title=title, href=href),
            interval_cell(found.kappa),
            interval_cell(found.kappa, analytic=True),
        ]
        for number in (found.weighted_kappa, found.ac1, found.alpha):
            row += estimate_cells(number, title=title, href=href)
        rows.append(row)
    return Table(f"All strata in one table, by {name.lower()}", columns, rows)


def matrix_section(scope: Scope, matrix: ReviewerMatrix) -> Section:
    names = [str(person) for person in matrix.people]
    rows = []
    for number, name in enumerate(names):
        cells = [
            _matrix_cell(scope, matrix.of.get((min(number, other), max(number, other))))
            for other in range(len(names))
        ]
        rows.append([Cell(name), *cells])
    return Section(
        "Reviewer by reviewer",
        about="Kappa within strata of those who judged the most responses; a dash where two judged none together, or "
        f"fewer than {FEW}. The tooltip has n.",
        table=Table("Kappa of each two reviewers", [Column("Reviewer", words=True), *map(Column, names)], rows),
    )


def _matrix_cell(scope: Scope, pair: Together | None) -> Cell:
    if pair is None:
        return Cell(None, "No response in common")
    n = f"{pair.label}: n {pair.n:,}"
    if pair.is_small:
        return Cell(None, f"{n}, too few")
    return number_cell(pair.kappa, title=n, href=response_list(filter_of(scope, "reviewers", pair)))


def indices_table(scope: Scope, by: str, name: str, groups: Sequence[DoubleJudged]) -> Table:
    columns = [Column(name, words=True), Column("n")]
    columns += [Column(LETTERS[verdict], kind) for kind in ("Prevalence", "Bias") for verdict in Verdict]
    rows = []
    for group in groups:
        by_verdict = dict(zip(group.verdicts, group.agreement.indices, strict=True))
        href = response_list(filter_of(scope, by, group))
        row = [Cell(group.label), Cell(group.agreement.n, href=href)]
        for kind in ("prevalence", "bias"):
            for verdict in Verdict:
                index = by_verdict.get(verdict)
                row.append(
                    number_cell(getattr(index, kind), href=href)
                    if index
                    else Cell(None, "This verdict is not offered.")
                )
        rows.append(row)
    return Table(f"Prevalence and bias by {name.lower()}", columns, rows)


def matrix_data(matrix: ReviewerMatrix) -> dict[str, object]:
    """The matrix for JSON: only the pairs that judged any response together."""
    pairs = [
        {
            "reviewers": [str(matrix.people[one]), str(matrix.people[other])],
            "n": pair.n,
            "kappa": pair.kappa,
        }
        for (one, other), pair in sorted(matrix.of.items())
    ]
    return {"people": [str(person) for person in matrix.people], "pairs": pairs}
