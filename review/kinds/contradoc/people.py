"""Table 5 of ContraDoc: people and models on the same documents, judging and then finding.

A person who says yes has clicked at most two sentences; they hit the evidence by the rule that models' quotes do.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.kinds.contradoc.item import EVIDENCE, ID, TEXT, Content, group_of, is_positive
from annotation.kinds.contradoc.matching import hit_of
from annotation.kinds.contradoc.sentences import sentences
from core.lists.pages import plural

from ...models import FinalAnswers, Judgment
from ...reports.layout import Cell, Column, Report, Section, Table, Value, as_number, share_data, share_in_words
from ...reports.scope import Scope
from ...statistics.estimates import Estimate, Undefined
from .finding import EVIDENCE as CLICKED
from .finding import FORM
from .finding import JUDGMENT as SAID
from .metrics import JUDGE_THEN_FIND, Scores, Tallies, estimates_of
from .readings import FIND_TASK, Row, rows_of
from .tables import LONG_QUOTES, plot_of, ratio_cell

PEOPLE = "Human"
SHOWN = ("TP rate", "FP rate", "TN rate", "FN rate", "EHR", "R-acc")
RATIOS = {name: JUDGE_THEN_FIND[name] for name in SHOWN}


@dataclass(slots=True)
class Judged:
    """What people, or a model, came to on the documents that people judged."""

    name: str
    scores: Scores
    unreadable: int


def table_5(scope: Scope) -> Report:
    """People, and models on the documents that people judged."""
    people, documents = _people(scope)
    without_round = replace(scope, round=None)  # a round of people has no responses of models
    judged = [people, *(_on_these(row, documents) for row in rows_of(without_round, FIND_TASK))] if documents else []
    judged = [each for each in judged if each.scores.n or each.unreadable]
    estimates = [estimates_of([each.scores], RATIOS)[0] for each in judged]
    columns = ["n", "Unreadable", *SHOWN]
    lines = [
        [Cell(each.name), Cell(each.scores.n), Cell(each.unreadable)]
        + [ratio_cell(ratio, each.scores, found[name]) for name, ratio in RATIOS.items()]
        for each, found in zip(judged, estimates, strict=True)
    ]
    plot = plot_of("R-acc", [(each.name, found["R-acc"]) for each, found in zip(judged, estimates, strict=True)])
    return Report(
        title="People and models on the same documents",
        lead=_lead(judged, estimates, len(documents)),
        sections=[
            Section(
                "",
                plots=[plot],
                table=Table("Judge then find", [Column("Who", words=True), *map(Column, columns)], lines),
            )
        ],
        data={
            "judge_then_find": {each.name: _data(each) for each in judged},
            "documents": len(documents),
            "intervals": {
                each.name: {name: share_data(value)["interval"] for name, value in found.items()}
                for each, found in zip(judged, estimates, strict=True)
            },
        },
        records=[{"who": each.name, **_data(each)} for each in judged],
        notes=scope.notes(),
        about="Of finished and current rounds in which people judge and find, one person a document, with nothing "
        "marked; models on the same documents. A person who could not judge counts as unreadable. EHR: hits in "
        f"percent of TP. R-acc: yes and a hit, in percent of positives. {LONG_QUOTES}",
        empty="No document has been judged by people yet. Deal a round of the form “People judge and find” on a "
        "release of ContraDoc; what people say then stands here beside the models on the same documents.",
    )


def _people(scope: Scope) -> tuple[Judged, set[int]]:
    """What people said, and of which documents; not in rounds that are hidden from the reader."""
    here: dict[str, Any] = {"round__form": FORM}
    if scope.round:
        here["round"] = scope.round
    if scope.release:
        here["item__instance__in"] = scope.released
    hidden = {"round__in": [each.pk for each in scope.hidden]}
    aside = {"item__instance__in": scope.set_aside}
    given = FinalAnswers.objects.filter(**here).exclude(**hidden).exclude(**aside)
    said = given.values_list("item__instance", "item__instance__content", "answers")
    found = [
        (instance, group_of(content[ID]), is_positive(content), *_came_to(content, answers))
        for instance, content, answers in said.order_by("pk").iterator(chunk_size=100)
    ]
    unable = Judgment.objects.given().filter(**here).exclude(cannot_judge="").exclude(**hidden).exclude(**aside)
    return Judged(PEOPLE, Scores.judged(Tallies.of(found)), unable.count()), {document for document, *_ in found}


def _came_to(content: Content, answers: Mapping[str, Any]) -> tuple[bool, bool, int, bool]:
    """Whether a person said yes; whether and at which rank what they clicked hits; and without long quotes."""
    said_yes, clicked = answers[SAID] == "yes", answers.get(CLICKED) or ()
    if not said_yes or not is_positive(content):
        return said_yes, False, 0, False
    text = content[TEXT]
    spans = sentences(text)
    quotes = [spans[number].of(text) for number in clicked if number < len(spans)]
    hit, strict = (hit_of(quotes, content[EVIDENCE], without_long=without) for without in (False, True))
    return True, hit is not None, hit.rank if hit else 0, strict is not None


def _on_these(row: Row, documents: Iterable[int]) -> Judged:
    """A model's readings of these documents, and how many replies to them cannot be read."""
    wanted = np.array(sorted(documents))
    mine = row.tallies.where(np.isin(row.tallies.document, wanted))
    return Judged(row.name, Scores.judged(mine), int(np.isin(row.unread, wanted).sum()))


def _data(judged: Judged) -> dict[str, Value]:
    counts = judged.scores.counts
    kept = {name: counts[name] for name in ("TP", "FP", "TN", "FN", "hits")}
    rates = {name: as_number(judged.scores.number(ratio)) for name, ratio in RATIOS.items()}
    return {"n": judged.scores.n, "unreadable": judged.unreadable, **kept, **rates}


def _lead(judged: list[Judged], estimates: list[dict[str, Estimate | Undefined]], documents: int) -> list[str]:
    if not judged:
        return []
    said = [
        f"People judged {plural(documents, 'document')}, and find the contradiction of "
        f"{share_in_words(estimates[0]['R-acc'])} of the positive ones."
    ]
    models = [
        (found["R-acc"].value, each.name, found["R-acc"])
        for each, found in zip(judged[1:], estimates[1:], strict=True)
        if isinstance(found["R-acc"], Estimate)
    ]
    if models:
        _, name, share = max(models, key=lambda each: each[0])
        said.append(f"Of the models, {name} finds most there: {share_in_words(share)}.")
    return said
