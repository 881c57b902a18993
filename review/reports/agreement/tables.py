"""The tables of the agreement report, and the lists of responses behind their numbers."""

from collections.abc import Sequence

from core.languages import in_sentence, joined, say, say_count
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
    say("Cohen's kappa"): say("Kappa"),
    say("Weighted kappa"): say("Kappa"),
    say("Gwet's AC1"): "AC1",
    say("Krippendorff's alpha"): say("Alpha"),
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
    one, other = group.label.split(" and ", 1) if by == "reviewers" else (say("one"), say("the other"))
    return heat_map(
        group.label if by else say("All responses"),
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
        Column("n", title=say("Responses with two verdicts")),
        Column(say("Instances"), title=say("Instances that these are responses to")),
        Column(say("Cannot judge"), title=say("Pairs in which a reviewer gave no verdict; in no coefficient")),
        *with_interval(Column(say("Same, %"), say("Raw agreement"))),
    ]
    for coefficient, short in COEFFICIENTS.items():
        columns += with_interval(Column(short, coefficient, title=say("Within strata")))
    rows = []
    for group in groups:
        found, chosen = group.agreement, filter_of(scope, by, group)
        href = response_list(chosen)
        n = say(
            "Of {responses} with two verdicts",
            responses=say_count(found.n, "{count:,} response", "{count:,} responses"),
        )
        row = [
            Cell(group.label),
            Cell(
                found.n,
                say(
                    "{n}; {cannot_judge:,} further pairs, in which a reviewer could not judge",
                    n=n,
                    cannot_judge=group.cannot_judge,
                ),
                href,
            ),
            Cell(found.instances, "" if found.instances is not None else say("Not counted for a large review")),
            Cell(group.cannot_judge, href=response_list(chosen, pairs="", first="cannot_judge")),
            *estimate_cells(found.raw, title=n, href=href, as_percent=True),
        ]
        within = group.stratified
        for number in (within.kappa, within.weighted_kappa, within.ac1, within.alpha):
            row += estimate_cells(number, title=joined([n, _strata_in_words(group)], ", "), href=href)
        rows.append(row)
    return Table(
        say("Agreement by {name}", name=in_sentence(name)) if by else say("Agreement over all responses"),
        columns,
        rows,
    )


def _strata_in_words(group: DoubleJudged) -> str:
    words = say("in {strata}", strata=say_count(group.stratified.strata, "{count:,} stratum", "{count:,} strata"))
    left_out = group.stratified.left_out
    return (
        say("{words}; kappa is not defined in those of {left_out:,}", words=words, left_out=left_out)
        if left_out
        else words
    )


def pooled_table(scope: Scope, each: Breakdown, name: str) -> Table:
    columns = [
        Column(name, words=True),
        Column("n", title=say("Responses with two verdicts")),
        Column(say("Strata")),
        Column(
            say("In strata"),
            say("By chance, %"),
            title=say("Equal verdicts that kappa expects by chance within strata"),
        ),
        Column(
            say("In one table"),
            say("By chance, %"),
            title=say("Equal verdicts that kappa expects by chance in one table"),
        ),
        Column(say("In strata"), say("Cohen's kappa")),
        Column(say("In one table"), say("Cohen's kappa")),
        Column(say("95%"), say("Cohen's kappa"), title=say("In one table, by resampling")),
        Column(say("Analytic 95%"), say("Cohen's kappa"), title=say("In one table, taking responses as independent")),
    ]
    for coefficient, short in list(COEFFICIENTS.items())[1:]:
        columns += with_interval(Column(short, coefficient, title=say("In one table")))
    rows = []
    for by, group in [("", each.overall), *((each.by, group) for group in each.groups)]:
        found, href = group.agreement, response_list(filter_of(scope, by, group))
        title = say("Of {responses}", responses=say_count(found.n, "{count:,} response", "{count:,} responses"))
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
    return Table(say("All strata in one table, by {name}", name=in_sentence(name)), columns, rows)


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
        say("Reviewer by reviewer"),
        about=say(
            "Kappa within strata of those who judged the most responses; a dash where two judged none "
            "together, or fewer than {few}. The tooltip has n.",
            few=FEW,
        ),
        table=Table(
            say("Kappa of each two reviewers"), [Column(say("Reviewer"), words=True), *map(Column, names)], rows
        ),
    )


def _matrix_cell(scope: Scope, pair: Together | None) -> Cell:
    if pair is None:
        return Cell(None, say("No response in common"))
    n = say("{label}: n {n:,}", label=pair.label, n=pair.n)
    if pair.is_small:
        return Cell(None, say("{n}, too few", n=n))
    return number_cell(pair.kappa, title=n, href=response_list(filter_of(scope, "reviewers", pair)))


def indices_table(scope: Scope, by: str, name: str, groups: Sequence[DoubleJudged]) -> Table:
    columns = [Column(name, words=True), Column("n")]
    columns += [Column(LETTERS[verdict], kind) for kind in (say("Prevalence"), say("Bias")) for verdict in Verdict]
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
                    else Cell(None, say("This verdict is not offered."))
                )
        rows.append(row)
    return Table(say("Prevalence and bias by {name}", name=in_sentence(name)), columns, rows)


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
