"""Table 5 of ContraDoc: people and models on the same documents, judging and then finding.

A person who says yes has clicked at most two sentences; they hit the evidence by the same rule as models' quotes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from annotation.reading.sentences import sentences
from core.languages import say
from core.words import plural
from review.models import FinalAnswers, Judgment
from review.reports.layout import Cell, Column, Report, Section, Table, share_in_words
from review.reports.scope import Scope

from ..content.matching import hit_of
from ..items import EVIDENCE, ID, TEXT, Content, group_of, is_positive
from ..questionnaires.finding import EVIDENCE as CLICKED
from ..questionnaires.finding import JUDGMENT as SAID
from ..questionnaires.finding import QUESTIONNAIRE
from .metrics import JUDGE_THEN_FIND, Scores, Tallies, estimates_of
from .readings import FIND_TASK, Row, rows_of
from .tables import LONG_QUOTES, Rated, best_of, intervals_data, named, plot_of, rated_data, rated_record, ratio_cell

PEOPLE = "Human"
SHOWN = ("TP rate", "FP rate", "TN rate", "FN rate", "EHR", "R-acc")
RATIOS = {name: JUDGE_THEN_FIND[name] for name in SHOWN}


def table_5(scope: Scope) -> Report:
    """People, and models on the documents that people judged."""
    people, documents = _people(scope)
    without_round = replace(scope, round=None)  # a round of people has no responses of models
    judged = [people, *(_on_these(row, documents) for row in rows_of(without_round, FIND_TASK))] if documents else []
    judged = [each for each in judged if each.scores.n or each.unreadable]
    notes = scope.notes()
    columns = ["n", say("Unreadable"), *SHOWN]
    lines = [
        [Cell(each.name), Cell(each.scores.n), Cell(each.unreadable)]
        + [ratio_cell(ratio, each.scores, each.found[name]) for name, ratio in RATIOS.items()]
        for each in judged
    ]
    return Report(
        title=say("People and models on the same documents"),
        lead=_lead(judged, len(documents)),
        sections=[
            Section(
                "",
                plots=[plot_of("R-acc", named(judged, "R-acc", RATIOS["R-acc"]))],
                table=Table(
                    say("Judge then find"), [Column(say("Person or model"), words=True), *map(Column, columns)], lines
                ),
            )
        ],
        data={
            "judge_then_find": {each.name: rated_data(each, RATIOS) for each in judged},
            "documents": len(documents),
            "intervals": intervals_data(judged),
        },
        records=[{"who": each.name, **rated_record(each, RATIOS)} for each in judged],
        notes=notes,
        about=say(
            "Of finished and current rounds in which people judge and find, one person per document, with "
            "nothing marked; models on the same documents. A person who could not judge counts as "
            "unreadable. EHR: hits in percent of TP. R-acc: yes and a hit, in percent of positives. "
            "{long_quotes}",
            long_quotes=LONG_QUOTES,
        ),
        empty=say(
            "No document has been judged by people yet. Deal a round of the questionnaire “People judge and find” "
            "on a release of ContraDoc; people's judgments then appear here beside the models on the same documents."
        ),
    )


def _people(scope: Scope) -> tuple[Rated, set[int]]:
    """People's answers, and their documents; without rounds hidden from the reader."""
    here: dict[str, Any] = {"round__questionnaire": QUESTIONNAIRE}
    if scope.round:
        here["round"] = scope.round
    if scope.release:
        here["item__instance__in"] = scope.released
    hidden = {"round__in": [each.pk for each in scope.hidden]}
    aside = {"item__instance__in": scope.set_aside}
    given = FinalAnswers.objects.filter(**here).exclude(**hidden).exclude(**aside)
    said = given.values_list("item__instance", "item__instance__content", "answers")
    found = [
        (
            instance,
            str(instance) if scope.by_instance else group_of(content[ID]),
            is_positive(content),
            *_came_to(content, answers),
        )
        for instance, content, answers in said.order_by("pk").iterator(chunk_size=100)
    ]
    unable = Judgment.objects.given().filter(**here).exclude(cannot_judge="").exclude(**hidden).exclude(**aside)
    return _rated(PEOPLE, Tallies.of(found), unable.count()), {document for document, *_ in found}


def _rated(name: str, tallies: Tallies, unreadable: int) -> Rated:
    scores = Scores.judged(tallies)
    return Rated(name, unreadable, scores, estimates_of([scores], RATIOS)[0])


def _came_to(content: Content, answers: Mapping[str, Any]) -> tuple[bool, bool, int, bool]:
    """A person's answer: whether it was yes; whether and at which rank their clicks hit; and the same without long
    quotes.
    """
    said_yes, clicked = answers[SAID] == "yes", answers.get(CLICKED) or ()
    if not said_yes or not is_positive(content):
        return said_yes, False, 0, False
    text = content[TEXT]
    spans = sentences(text)
    quotes = [spans[number].of(text) for number in clicked if number < len(spans)]
    hit, strict = (hit_of(quotes, content[EVIDENCE], without_long=without) for without in (False, True))
    return True, hit is not None, hit.rank if hit else 0, strict is not None


def _on_these(row: Row, documents: Iterable[int]) -> Rated:
    """A model's readings of these documents, and the number of unreadable replies to them."""
    wanted = np.array(sorted(documents))
    mine = row.tallies.where(np.isin(row.tallies.document, wanted))
    return _rated(row.name, mine, int(np.isin(row.unread, wanted).sum()))


def _lead(judged: list[Rated], documents: int) -> list[str]:
    if not judged:
        return []
    said: list[str] = [
        say(
            "People judged {documents}, and find the contradiction of {share} of the positive ones.",
            documents=plural(documents, "document"),
            share=share_in_words(judged[0].found["R-acc"]),
        )
    ]
    if best := best_of(judged[1:], "R-acc", RATIOS["R-acc"]):
        said.append(
            say(
                "Of the models, {model} finds most there: {share}.",
                model=best[0].name,
                share=share_in_words(best[1]),
            )
        )
    return said
