"""Exports people's judgments as files: JSON Lines and CSV, made one row at a time."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils import timezone

from core.files.spreadsheets import csv_chunks
from core.files.writing import json_lines
from core.languages import say
from core.models import User
from judging.runs.blinding import refuse_names

from ..models import Saw
from ..rounds.keeping.registered import kept_by
from ..rounds.keeping.verdicts import VERDICT
from ..rounds.turns.seen import record_seen
from .answer_exports import answer_columns, answer_rows, final_answer_columns, final_answer_rows
from .judgment_exports import (
    EVERYTHING,
    FINAL_VERDICT_COLUMNS,
    JUDGMENT_COLUMNS,
    Within,
    final_verdict_rows,
    judgment_rows,
    rounds_shown_to,
)

FORMATS = ("jsonl", "csv")


@dataclass(frozen=True, slots=True)
class Export:
    label: str
    rows: Callable[..., Iterator[dict[str, Any]]]
    columns: Callable[[], tuple[str, ...]]
    # The kind of judgments that the reader has then seen, and their rounds.
    saw: Saw
    of: Callable[[], Q]


def _of_verdicts() -> Q:
    """The condition for rounds whose judgments are verdicts."""
    return Q(questionnaire__in=kept_by(VERDICT))


def _of_answers() -> Q:
    return ~_of_verdicts()


WHAT: dict[str, Export] = {
    "judgments": Export(say("Judgments"), judgment_rows, lambda: JUDGMENT_COLUMNS, Saw.JUDGMENTS, _of_verdicts),
    "final-verdicts": Export(
        say("Final verdicts"), final_verdict_rows, lambda: FINAL_VERDICT_COLUMNS, Saw.VERDICTS, _of_verdicts
    ),
    "answers": Export(
        say("Answers to other questionnaires"), answer_rows, answer_columns, Saw.JUDGMENTS, _of_answers
    ),
    "final-answers": Export(
        say("Final answers to other questionnaires"),
        final_answer_rows,
        final_answer_columns,
        Saw.VERDICTS,
        _of_answers,
    ),
}


def export_chunks(
    what: str, kind: str, *, person: User | None = None, names: bool = False, within: Within = EVERYTHING
) -> Iterator[str]:
    """The file, piece by piece. `what` is a key of WHAT, `kind` one of FORMATS. Records the reader.

    Raises Forbidden for a person who must not learn which model wrote a response: the models judged in other rounds
    reveal the remaining ones.
    """
    refuse_names(person)
    export, at = WHAT[what], timezone.now()
    if person is not None:
        rounds = rounds_shown_to(person).filter(export.of(), is_import=False).filter(within.rounds())
        record_seen(person=person, what=export.saw, rounds=rounds, at=at)
    found = export.rows(person=person, names=names, at=at, within=within)
    return csv_chunks(export.columns(), map(_as_cells, found)) if kind == "csv" else json_lines(found)


def _as_cells(row: dict[str, object]) -> dict[str, object]:
    """A row whose answers are JSON in one cell."""
    if not row.get("answers"):
        return row
    return row | {"answers": json.dumps(row["answers"], ensure_ascii=False)}
