"""Exports people's judgments as files: JSON Lines and CSV, made one row at a time."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils import timezone

from core.files.spreadsheets import csv_chunks
from core.files.writing import json_lines
from core.models import User
from judging.runs.blinding import refuse_names

from ..models import VERDICTS, Saw
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
    # What the reader has then seen, and of which rounds.
    saw: Saw
    of: Q


OF_VERDICTS = Q(questionnaire=VERDICTS)
WHAT: dict[str, Export] = {
    "judgments": Export("Judgments", judgment_rows, lambda: JUDGMENT_COLUMNS, Saw.JUDGMENTS, OF_VERDICTS),
    "final-verdicts": Export(
        "Final verdicts", final_verdict_rows, lambda: FINAL_VERDICT_COLUMNS, Saw.VERDICTS, OF_VERDICTS
    ),
    "answers": Export("Answers to other questionnaires", answer_rows, answer_columns, Saw.JUDGMENTS, ~OF_VERDICTS),
    "final-answers": Export(
        "Final answers to other questionnaires", final_answer_rows, final_answer_columns, Saw.VERDICTS, ~OF_VERDICTS
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
        rounds = rounds_shown_to(person).filter(export.of, is_import=False).filter(within.rounds())
        record_seen(person=person, what=export.saw, rounds=rounds, at=at)
    found = export.rows(person=person, names=names, at=at, within=within)
    return csv_chunks(export.columns(), map(_as_cells, found)) if kind == "csv" else json_lines(found)


def _as_cells(row: dict[str, object]) -> dict[str, object]:
    """A row whose answers are JSON in one cell."""
    if not row.get("answers"):
        return row
    return row | {"answers": json.dumps(row["answers"], ensure_ascii=False)}
