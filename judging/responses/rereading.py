"""Reads stored responses with the current readers: nothing is asked, so nothing is paid."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Release
from core.engine.writing.pieces import few_at_a_time, in_chunks, in_pieces
from core.models import Event
from core.writing.progress import along

from ..catalogue.readings import whole_answers
from ..models import JudgingAction, PromptTemplate, Reading, Response, Run
from ..protocol.tasks import tasks

# Responses read into memory together.
AT_A_TIME = 20


@dataclass(slots=True)
class ReadAgain:
    """The number of responses read, the number that cannot be read, and the components that scored them."""

    read: int = 0
    unreadable: int = 0
    # The tasks' notes on their scoring.
    said: list[str] = field(default_factory=list)


def unread_responses(release: Release | None = None, *, again: bool = False) -> QuerySet[Response]:
    """The responses that a reader has not read in its current version; with `again` all that can be read."""
    wanted: Any = Q(pk__in=[])
    for task in tasks():
        if task.reader:
            there = Reading.objects.filter(
                response=OuterRef("pk"), reader=task.reader.code, version=task.reader.version
            )
            of_task = Q(template__in=PromptTemplate.objects.filter(task=task.code).values("pk"))
            wanted |= of_task if again else of_task & ~Exists(there)
    # The first part of an answer represents all.
    found = Response.objects.filter(wanted, answer_part=1).order_by("pk")
    return found if release is None else found.filter(instance__releases=release)


def read_responses(*, release: Release | None = None, again: bool = False, check_only: bool = False) -> ReadAgain:
    """Read the responses not read yet by the current version of their reader; the new reading counts from then on,
    the old one is kept. With `again`, also those read by this version: its readings are made again, with the current
    matchers.

    In pieces: if the process dies, its readings are kept, and the rest is read the next time. Raises Refusal if a
    component named in the settings cannot be loaded.
    """
    counts, by_run = ReadAgain(said=load_components(unread_responses(release, again=again))), Counter[int]()

    def readings() -> Iterator[Reading]:
        known = {template.pk: template.what for template in PromptTemplate.objects.all()}
        responses = unread_responses(release, again=again).defer("imported")
        for some in in_chunks(along("Reading responses", few_at_a_time(responses)), AT_A_TIME):
            for answer in whole_answers(some, known):
                if columns := answer.columns:
                    counts.read += 1
                    counts.unreadable += "problem" in columns
                    by_run[answer.first.run_id] += 1
                    yield Reading(response=answer.first, **columns)

    if check_only:
        for _ in readings():
            pass
        return counts
    in_pieces(readings(), write_readings)
    for run in Run.objects.filter(pk__in=by_run):
        Event.record(JudgingAction.READ_RESPONSES, run, after={"responses": by_run[run.pk]})
    return counts


def load_components(responses: QuerySet[Response]) -> list[str]:
    """Load the components that the tasks of these responses score with; returns their notes, each once."""
    codes = set(responses.order_by().values_list("template__task", flat=True).distinct())
    said = [task.load_components() for task in tasks() if task.code in codes]
    return list(dict.fromkeys(filter(None, said)))


def write_readings(piece: list[Reading]) -> None:
    """Store readings as the counting ones. Call it in a transaction."""
    by_reader: dict[tuple[str, int], list[int]] = {}
    for reading in piece:
        by_reader.setdefault((reading.reader, reading.version), []).append(reading.response_id)
    for (reader, version), responses in by_reader.items():
        there = Reading.objects.filter(response__in=responses)
        there.filter(reader=reader, version=version).delete()
        there.filter(is_current=True).update(is_current=False)
    Reading.objects.bulk_create(piece)
