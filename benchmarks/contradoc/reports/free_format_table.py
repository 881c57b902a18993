"""People's findings in free-format replies, by model (ContraDoc, section 5), and their agreement."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from core.languages import say
from core.words import plural
from review.models import FinalAnswers, Round
from review.reports.layout import Cell, Column, Report, Section, Table, Value, share_data
from review.reports.scope import Scope
from review.statistics.agreement.agreement import Agreement
from review.statistics.rounding import percent
from review.statistics.shares import share_estimates

from ..questionnaires.free_format import FINDING, OPTIONS, QUESTIONNAIRE
from .agreement import (
    Compared,
    agreement_on,
    complete_judgments,
    pairs_of,
    record_of_agreement,
    rounds_of,
    scope_notes,
)
from .agreement import data_of_agreement as agreement_data
from .agreement import table_of_agreements as agreement_table

NAMES = {option.value: option.label for option in OPTIONS}


def free_format_report(scope: Scope) -> Report:
    """Final findings by model, and the agreement of the two people."""
    rounds, notes = rounds_of(scope, QUESTIONNAIRE), scope_notes(scope)
    counts = findings_by_model(scope, rounds)
    judgments = complete_judgments(rounds).filter(item__response__in=scope.responses().values("pk"))
    pairs = pairs_of(judgments, "item__instance" if scope.by_instance else "item__instance__group")
    found = Compared(FINDING, say("What does the reply say?"), agreement_on(pairs, list(NAMES), itemgetter(FINDING)))
    return Report(
        title=say("ContraDoc: free format"),
        lead=[_sentence(model, each) for model, each in counts.items()],
        sections=[
            Section("", table=_table(counts)),
            Section(
                say("Agreement"),
                table=agreement_table(say("Agreement before adjudication"), say("Question"), [found]),
            ),
        ],
        data={
            "models": {model: _data(each) for model, each in counts.items()},
            "intervals": intervals_by_model(scope, rounds),
            "agreement": agreement_data(found.found),
        },
        records=_records(counts, found.found),
        notes=notes,
        about=say("Final findings: what both people said, or the adjudicator."),
        empty=say(
            "Nothing is judged yet. Run the free-format prompt, begin a round of its replies, and have two "
            "people judge each."
        ),
    )


def findings_by_model(scope: Scope, rounds: Sequence[Round]) -> dict[str, Counter[str]]:
    """The final findings of each model's replies in this scope, by model."""
    finals = FinalAnswers.objects.filter(round__in=rounds, item__response__in=scope.responses().values("pk"))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for model, outcome in finals.order_by("item__response__model__name").values_list(
        "item__response__model__name", "outcome"
    ):
        counts[model][outcome] += 1
    return dict(counts)


def intervals_by_model(scope: Scope, rounds: Sequence[Round]) -> dict[str, dict[str, object]]:
    """The intervals of each finding's share, by model, in percent."""
    finals = FinalAnswers.objects.filter(round__in=rounds, item__response__in=scope.responses().values("pk"))
    unit = "item__instance" if scope.by_instance else "item__instance__group"
    rows = list(finals.values_list("item__response__model__name", unit, "outcome"))
    found: dict[str, dict[str, Any]] = {}
    for model in sorted({model for model, *_ in rows}):
        own = [(unit, outcome) for of, unit, outcome in rows if of == model]
        units = {each: at for at, each in enumerate(sorted({each for each, _ in own}))}
        counts = np.zeros((len(units), 1, len(NAMES)))
        for each, outcome in own:
            counts[units[each], 0, list(NAMES).index(outcome)] += 1
        found[model] = {
            name: share_data(share) for name, share in zip(NAMES, share_estimates(counts)[0], strict=True)
        }
    return found


def _sentence(model: str, counts: Counter[str]) -> str:
    n = counts.total()
    return say(
        "{model} gives the right evidence in {share:f}% of {replies}.",
        model=model,
        share=percent(counts["right"], n),
        replies=plural(n, "reply", "replies"),
    )


def _table(counts: Mapping[str, Counter[str]]) -> Table:
    columns = [
        Column(say("Model"), words=True),
        Column("n"),
        *(Column(name, title=say("Percent")) for name in NAMES.values()),
    ]
    rows = [
        [
            Cell(model),
            Cell(each.total()),
            *(
                Cell(percent(each[name], each.total()), say("{count} of {n}", count=each[name], n=each.total()))
                for name in NAMES
            ),
        ]
        for model, each in counts.items()
    ]
    return Table(say("Free-format replies in percent"), columns, rows)


def _data(counts: Counter[str]) -> dict[str, object]:
    n = counts.total()
    shares = {name: {"count": counts[name], "pct": float(percent(counts[name], n) or 0)} for name in NAMES}
    return {"n": n, **shares}


def _record(model: str, counts: Counter[str]) -> dict[str, Value]:
    return {"kind": "model", "model": model, "n": counts.total(), **{name: counts[name] for name in NAMES}}


def _records(counts: Mapping[str, Counter[str]], found: Agreement) -> list[dict[str, Value]]:
    """A row for each model, then one for the agreement of both people; fields of the other kind are empty."""
    agreement = {"kind": "agreement", **record_of_agreement(found)}
    rows = [*(_record(model, each) for model, each in counts.items()), agreement]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]
