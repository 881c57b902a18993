"""The plots of Tables 2 and 3, from their rows."""

from collections.abc import Sequence

from core.languages import in_sentence, say
from review.reports.drawing.plots import Bar, Bars, Grid, GridField, Plot, Share, bar, share_field
from review.reports.kinds import LABELS, ranked
from review.reports.layout import share_cell, share_whisker
from review.statistics.shares import FEW

from .layout import LaidOut, LaidRow
from .numbers import Row
from .query import Model


def plots_of(models: Sequence[Model], laid_out: LaidOut) -> list[Plot]:
    """Bars of all verdicts, and the shares of correct responses of these models by template."""
    return [_bars(laid_out.rows), _grid(models, laid_out.rows)]


def _bars(rows: Sequence[LaidRow]) -> Bars:
    bars: list[Bar] = []
    heading = ""
    for each in ranked(rows, lambda each: each.row.all.n):
        row = each.row
        shares = [
            Share(
                of.share.verdict.value,
                of.share.count,
                say(
                    "{row}: {verdict}, {words}",
                    row=_name(row),
                    verdict=in_sentence(LABELS[of.share.verdict.value]),
                    words=of.words,
                ),
                of.cell.href,
            )
            for of in each.shares
        ]
        whisker = share_whisker(row.all.correct.estimate, f"{_name(row)}: correct")
        before, heading = heading, say("Prompt {prompt}: {name}", prompt=row.prompt.label, name=row.prompt.name)
        group = heading if heading != before else ""
        bars.append(bar(row.model.name, shares, aside=f"n {row.all.n:,}", group=group, whisker=whisker))
    return Bars(say("Shares of verdicts"), bars)


def _grid(models: Sequence[Model], rows: Sequence[LaidRow]) -> Grid:
    """The share of correct responses by model and template."""
    fields = {(each.row.model, each.row.prompt): _field(each) for each in rows}
    prompts = list(dict.fromkeys(each.row.prompt for each in rows))
    return Grid(
        name=say("Correct, in percent, by model and prompt"),
        columns=[prompt.label for prompt in prompts],
        lines=[(model.name, [fields.get((model, prompt), GridField("")) for prompt in prompts]) for model in models],
        about=say(
            "The darker, the more responses are correct. In brackets and not shaded: fewer than {few} responses. "
            "Columns are prompts.",
            few=FEW,
        ),
    )


def _field(each: LaidRow) -> GridField:
    correct, n = each.row.all.correct, each.row.all.n
    laid = each.shares[0]
    title = share_cell(correct.percent, correct.estimate, title=laid.words).title
    return share_field(correct.count, n, f"{_name(each.row)}: {title}", laid.cell.href)


def _name(row: Row) -> str:
    return say("{model}, prompt {prompt}", model=row.model.name, prompt=row.prompt.label)
