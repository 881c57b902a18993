"""Table 5 of ContraDoc: people and models on the same documents, judging and then finding.

A person who says yes has clicked at most two sentences; they hit the evidence by the rule that models' quotes do.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds.contradoc.item import EVIDENCE, ID, TEXT, Content, group_of, is_positive
from annotation.kinds.contradoc.matching import hit_of
from annotation.kinds.contradoc.sentences import sentences
from annotation.models import ReleasedInstance
from core.lists.pages import plural

from ...models import FinalAnswers, Judgment
from ...reports.layout import Cell, Column, Report, Section, Table, Value, share_data, share_in_words
from ...reports.scope import Scope
from ...statistics.estimates import Estimate, Undefined
from .finding import EVIDENCE as CLICKED
from .finding import FORM
from .finding import JUDGMENT as SAID
from .metrics import JUDGE_THEN_FIND, Scores, Tally
from .readings import FIND_TASK, Row, rows_of
from .tables import LONG_QUOTES, plot_of, ratio_cell, ratio_number

PEOPLE = "Human"
SHOWN = ("TP rate", "FP rate", "TN rate", "FN rate", "EHR", "R-acc")
RATIOS = {name: JUDGE_THEN_FIND[name] for name in SHOWN}


@dataclass(slots=True)
class Judged:
    """What people, or a model, came to on the documents that people judged."""

    name: str
    tallies: list[Tally] = field(default_factory=list)
    unreadable: int = 0

    @property
    def scores(self) -> Scores:
        return Scores.judged(self.tallies)


def table_5(scope: Scope) -> Report:
    """People, and models on the documents that people judged."""
    people, documents = _people(scope)
    judged = [people, *(_on_these(row, documents) for row in rows_of(_wider(scope), FIND_TASK))] if documents else []
    judged = [each for each in judged if each.tallies or each.unreadable]
    estimates = [each.scores.estimates(RATIOS) for each in judged]
    columns = ["n", "Unreadable", *SHOWN]
    lines = [
        [Cell(each.name), Cell(each.scores.n), Cell(each.unreadable)]
        + [ratio_cell(ratio, each.scores.counts, found[name]) for name, ratio in RATIOS.items()]
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
            ),
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


def _wider(scope: Scope) -> Scope:
    """The same without its round, which has no responses of models."""
    return Scope(release=scope.release, run=scope.run, hidden=scope.hidden, reader=scope.reader, public=scope.public)


def _people(scope: Scope) -> tuple[Judged, set[int]]:
    """What people said, and of which documents; not in rounds that are hidden from the reader."""
    here: dict[str, Any] = {"round__form": FORM}
    if scope.round:
        here["round"] = scope.round
    if scope.release:
        here["item__instance__in"] = ReleasedInstance.objects.filter(release=scope.release).values("instance")
    hidden = {"round__in": [each.pk for each in scope.hidden]}
    aside = {"item__instance__in": scope.set_aside}
    found = FinalAnswers.objects.filter(**here).exclude(**hidden).exclude(**aside)
    said = found.values_list("item__instance", "item__instance__content", "answers")
    people, documents = Judged(PEOPLE), set()
    for instance, content, answers in said.order_by("pk").iterator(chunk_size=100):
        documents.add(instance)
        people.tallies.append(_tally(content, answers))
    unable = Judgment.objects.given().filter(**here).exclude(cannot_judge="").exclude(**hidden).exclude(**aside)
    people.unreadable = unable.count()
    return people, documents


def _tally(content: Content, answers: Mapping[str, Any]) -> Tally:
    group = group_of(content[ID])
    said, clicked = answers[SAID], answers.get(CLICKED) or ()
    if said != "yes" or not is_positive(content):
        return Tally(group, is_positive(content), said, hit=False, rank=0, strict=False)
    text = content[TEXT]
    spans = sentences(text)
    quotes = [spans[number].of(text) for number in clicked if number < len(spans)]
    hit, strict = (hit_of(quotes, content[EVIDENCE], without_long=without) for without in (False, True))
    return Tally(group, True, said, hit=hit is not None, rank=hit.rank if hit else 0, strict=strict is not None)


def _on_these(row: Row, documents: Iterable[int]) -> Judged:
    """A model's readings of these documents, and how many replies to them cannot be read."""
    wanted = set(documents)
    unreadable = sum(count for instance, count in row.unread.items() if instance in wanted)
    return Judged(row.name, [each.tally for each in row.found if each.instance in wanted], unreadable)


def _data(judged: Judged) -> dict[str, Value]:
    counts = judged.scores.counts
    kept = {name: counts[name] for name in ("TP", "FP", "TN", "FN", "hits")}
    rates = {name: ratio_number(ratio, counts) for name, ratio in RATIOS.items()}
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
