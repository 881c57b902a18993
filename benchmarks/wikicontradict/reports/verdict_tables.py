"""Tables 2 and 3 of the paper: final verdicts by model, prompt template, and kind of conflict.

The paper's rules: templates with one passage (2 and 3) are reported over instances whose two passages differ; an
instance whose reasoning type is not known counts in "all" only; percentages are of the responses with a final
verdict, half up to one decimal. A response without one is counted beside them and is never "incorrect".
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.words import joined_names, plural
from judging.models import LanguageModel, PromptTemplate
from judging.protocol.verdicts import Verdict
from review.reports.counting.verdict_counts import VerdictCounts, Verdicts, added_up, count_verdicts
from review.reports.drawing.plots import Bar, Bars, Grid, GridField, Share, bar, share_field
from review.reports.kinds import (
    REASONING_TYPES,
    SHORT,
    SUBSETS,
    headline,
    nested,
    ranked,
    share_intervals,
    share_records,
    shares,
    template_key,
    wants_different_passages,
)
from review.reports.layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    in_record,
    share_cell,
    share_in_words,
    share_whisker,
)
from review.reports.links import ResponseFilter, response_list
from review.reports.scope import Scope
from review.statistics.shares import is_too_close, share_difference, share_differences

TABLE_3 = ("5.1", "5.2", "5.3", "5.4")
CORRECT = Verdict.CORRECT


def table_2(scope: Scope) -> Report:
    """Final verdicts by model and template; the variants of template 5 are in Table 3."""
    return _report(scope, "Final verdicts by model and prompt template", "table2", lambda code: code not in TABLE_3)


def table_3(scope: Scope) -> Report:
    return _report(scope, "Final verdicts for the variants of template 5", "table3", lambda code: code in TABLE_3)


def _report(scope: Scope, title: str, name: str, belongs: Callable[[str], bool]) -> Report:
    verdicts = count_verdicts(scope, wanted=lambda template: belongs(template.code))
    labelled = any(counts.n for counts in verdicts.counts.values())
    return Report(
        title=title,
        lead=_sentences(verdicts) if labelled else (),
        sections=[
            Section("", plots=[_plot(scope, verdicts), _grid(scope, verdicts)], table=_table(scope, verdicts, title))
        ],
        data=_data(verdicts, name) | {"set_aside": [aside.reason for aside in scope.set_aside_with_reasons()]},
        records=_records(verdicts),
        notes=[*_notes(verdicts), *scope.notes()],
        about="C correct, P partially correct, I incorrect, in percent of the responses with a final verdict. "
        "“No verdict” counts responses that have none yet; they are excluded from all percentages. The line below "
        "a bar is the 95% interval of correct, from resampling; each number's is in its tooltip, with Wilson's.",
        empty="No response here has a final verdict. Judge a run in a round, or import a human evaluation with "
        "manage.py import_human_evaluation FILE; the shares of correct, partially correct and incorrect responses "
        "then appear here by model and template.",
    )


def _sentences(verdicts: Verdicts) -> list[str]:
    """The best and the worst model at one template, and the effect of implicit conflicts."""
    final = {
        template: sum(verdicts.of(template, model, "all").n for model in verdicts.models)
        for template in verdicts.templates
    }
    template = headline(final)
    rated = [(verdicts.of(template, model, "all"), model) for model in verdicts.answered(template)]
    rated = ranked(rated, lambda pair: pair[0].n)
    rated.sort(key=lambda pair: (-pair[0].verdicts[CORRECT] / pair[0].n, pair[1].name))
    (best, first), (worst, last) = rated[0], rated[-1]
    share = share_in_words(best.shares[CORRECT])
    sentence = (
        f"With template {template.label} ({template.name}), {first} is correct in {share} of "
        f"{plural(best.n, 'response')}"
    )
    if len(rated) > 1:
        sentence += (
            f", the most of {len(rated)} models; {last} in {share_in_words(worst.shares[CORRECT])} of {worst.n:,}"
        )
    sentences = [f"{sentence}."]
    close = _too_close(best, rated[1:])
    if close:
        others = joined_names(close)
        sentences.append(f"Between {first} and {others} it is too close to call.")
    kinds = {
        kind: added_up(verdicts.of(template, model, kind) for model in verdicts.answered(template))
        for kind in REASONING_TYPES
    }
    if all(counts.n for counts in kinds.values()):
        difference = share_difference(kinds["exp"].clusters, kinds["imp"].clusters)
        close_call = ", too close to call" if is_too_close(difference) else ""
        sentences.append(
            f"Over all models, {kinds['exp'].percent(CORRECT)}% are correct where the conflict is explicit and "
            f"{kinds['imp'].percent(CORRECT)}% where it is implicit{close_call}."
        )
    return sentences


def _too_close(best: VerdictCounts, others: Sequence[tuple[VerdictCounts, LanguageModel]]) -> list[str]:
    """The names of the models that the data do not show to be worse."""
    if not others:
        return []
    differences = share_differences(best.clusters, np.stack([counts.clusters for counts, _ in others], axis=1))
    return [model.name for (_, model), each in zip(others, differences, strict=True) if is_too_close(each)]


def _notes(verdicts: Verdicts) -> list[Note]:
    notes = []
    total = added_up(counts for (_, _, subset), counts in verdicts.counts.items() if subset == "all")
    if total.unlabelled:
        words = plural(total.unlabelled, "response has", "responses have")
        notes.append(Note(f"{words} no final verdict, of {total.responses:,}; excluded from all percentages."))
    if verdicts.several_runs:
        notes.append(
            Note("Responses of several runs of one model are counted together; choose a run to separate them.")
        )
    if verdicts.same_passage:
        words = plural(verdicts.same_passage, "response")
        notes.append(
            Note(
                f"{words} to templates with one passage are left out, as both passages of the instance are the same."
            )
        )
    return notes


def _filter(scope: Scope, template: PromptTemplate, model: LanguageModel, subset: str) -> ResponseFilter:
    return ResponseFilter(
        scope=scope,
        template=template.pk,
        model=model.pk,
        subset="" if subset == "all" else subset,
        passages="different" if wants_different_passages(template) else "",
    )


def _plot(scope: Scope, verdicts: Verdicts) -> Bars:
    bars: list[Bar] = []
    heading = ""
    for template, model in ranked(verdicts.rows, lambda row: verdicts.of(*row, "all").n):
        counts = verdicts.of(template, model, "all")
        chosen = _filter(scope, template, model, "all")
        shares = [
            Share(
                verdict.value,
                counts.verdicts[verdict],
                f"{model}, template {template.label}: {verdict.label.lower()}, {counts.title(verdict)}",
                response_list(chosen, verdict=verdict.value),
            )
            for verdict in Verdict
        ]
        whisker = share_whisker(counts.shares[CORRECT], f"{model}, template {template.label}: correct")
        before, heading = heading, f"Template {template.label}: {template.name}"
        group = heading if heading != before else ""
        bars.append(bar(model.name, shares, aside=f"n {counts.n:,}", group=group, whisker=whisker))
    return Bars("Shares of verdicts", bars)


def _grid(scope: Scope, verdicts: Verdicts) -> Grid:
    """The share of correct responses by model and template."""

    def field(template: PromptTemplate, model: LanguageModel) -> GridField:
        counts = verdicts.of(template, model, "all")
        title = share_cell(counts.percent(CORRECT), counts.shares[CORRECT], title=counts.title(CORRECT)).title
        href = response_list(_filter(scope, template, model, "all"), verdict=CORRECT.value)
        said = f"{model}, template {template.label}: {title}"
        return share_field(counts.verdicts[CORRECT], counts.n, said, href)

    models = [
        model for model in verdicts.models if any(model in verdicts.answered(each) for each in verdicts.templates)
    ]
    return Grid(
        name="Correct, in percent, by model and template",
        columns=[template.label for template in verdicts.templates],
        lines=[(model.name, [field(template, model) for template in verdicts.templates]) for model in models],
        about="The darker, the more responses are correct. Columns are prompt templates.",
    )


def _table(scope: Scope, verdicts: Verdicts, title: str) -> Table:
    columns = [Column("Template", words=True), Column("Model", words=True)]
    for name in SUBSETS.values():
        columns += [
            Column("n", name, title="Responses with a final verdict"),
            Column("No verdict", name, title="Responses without a final verdict; excluded from all percentages"),
            *(Column(SHORT[verdict], name, title=f"{verdict.label}, in percent of n") for verdict in Verdict),
        ]
    rows = []
    for template, model in verdicts.rows:
        row = [Cell(template.label, title=template.name), Cell(model.name)]
        for subset in SUBSETS:
            row += _cells(template, verdicts.of(template, model, subset), _filter(scope, template, model, subset))
        rows.append(row)
    return Table(title, columns, rows)


def _cells(template: PromptTemplate, counts: VerdictCounts, chosen: ResponseFilter) -> list[Cell]:
    """n, without verdict, and the share of each verdict; a verdict that was neither offered nor given has none."""
    offered = template.offered_verdicts or tuple(Verdict)
    return [
        Cell(counts.n, f"Of {counts.responses:,} responses", response_list(chosen, verdict="any")),
        Cell(counts.unlabelled, counts.beside.strip("; "), response_list(chosen, verdict="none")),
        *(
            share_cell(
                counts.percent(verdict) if verdict in offered or counts.verdicts[verdict] else None,
                counts.shares[verdict],
                title=counts.title(verdict),
                href=response_list(chosen, verdict=verdict.value),
            )
            for verdict in Verdict
        ),
    ]


def _data(verdicts: Verdicts, name: str) -> dict[str, object]:
    """The data in the shape of the numbers published with the benchmark; fields that it lacks are given
    separately.
    """

    def table(of: Callable[[VerdictCounts], Any]) -> dict[str, Any]:
        return nested(
            ((template_key(template), model.name, subset), of(verdicts.of(template, model, subset)))
            for template, model in verdicts.rows
            for subset in SUBSETS
        )

    return {
        name: table(lambda counts: {"n": counts.n, **shares(counts.verdicts.values())}),
        "unlabelled": table(lambda counts: counts.unlabelled),
        "intervals": table(lambda counts: share_intervals(counts.shares.values())),
    }


def _records(verdicts: Verdicts) -> list[dict[str, Value]]:
    return [
        {
            "template": template.label,
            "model": model.name,
            "instances": subset,
            "n": counts.n,
            "unlabelled": counts.unlabelled,
            **{verdict.value: counts.verdicts[verdict] for verdict in Verdict},
            **{
                f"{verdict.value}_percent": counts.percent(verdict) if counts.n else in_record(counts.shares[verdict])
                for verdict in Verdict
            },
            **share_records(counts.shares.values()),
        }
        for template, model in verdicts.rows
        for subset in SUBSETS
        for counts in [verdicts.of(template, model, subset)]
    ]
