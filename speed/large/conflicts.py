"""Files of ConflictBank's items and facts, and answers under twelve conditions, generated to a given size. Everything
is computed, not drawn at random, so every execution makes the same.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from speed.laboratory import analyse, new_uuid
from speed.large.queue import fill, first, references_checked_at_once

SENTENCE = "The register of that year names {subject} among those who lived in {object} by the river."
SENTENCES = 13  # so that an item has 6 kB
STYLES = ("wikipedia", "book", "new")
OBJECTS_OF_A_RELATION = 500
# The option of answer i, one of ten: seven keep to the default.
CHOICES = "CASE i * 79 % 10 WHEN 0 THEN 'replaced' WHEN 1 THEN 'uncertain' WHEN 2 THEN 'other' ELSE 'default' END"
BITS = "(i % 20000 * 7919 % 20000) / 10000.0"
VALUE = """'{"letter": "A", "form": " A", "logprobs": {"A": -0.25, "B": -1.75, "C": -3.5, "D": -4.5}, "bits": '"""


def item(number: int) -> dict[str, Any]:
    """An item of the released shape, as long as a released one."""
    subject, object, replaced = f"Person {number}", f"Town {number % 997}", f"Town {number % 997 + 1_000}"
    said = " ".join([SENTENCE] * SENTENCES).format(subject=subject, object=object)
    letters = "ABC"[number % 3 :] + "ABC"[: number % 3]
    options = dict(zip(letters, (object, replaced, "Town 3000"), strict=True))
    found: dict[str, Any] = {
        "relation": f"P{number % 60}",
        "subject": subject,
        "subject_description": "person",
        "semantic_description": "street",
        "object": object,
        "object_description": "town",
        "replaced_object": replaced,
        "replaced_description": "town",
    }
    for at, kind in enumerate(("default", "misinformation_conflict", "temporal_conflict", "semantic_conflict")):
        claim = f"{subject} resides in {replaced if at else object}."
        found[f"{kind}_claim"] = claim
        found[f"{kind}_evidence_category"] = STYLES[(number + at) % len(STYLES)]
        found[f"{kind}_evidence" + ("_evidence" if at == 1 else "")] = f"{claim} {said}"
    return found | {
        "temporal_conflict_time_span": ["2040"],
        "question": f"Where does {subject} reside?",
        "options": [*(options[letter] for letter in "ABC"), "uncertain"],
        "correct_option": letters[0],
        "replace_option": letters[1],
        "uncertain_option": "D",
    }


def fact(number: int, relations: Sequence[str]) -> dict[str, str]:
    """A record of a table of facts."""
    return {
        "relation": relations[number % len(relations)],
        "subject": f"Person {number}",
        "subject_description": f"person with the number {number}",
        "object": f"Town {number // len(relations) % OBJECTS_OF_A_RELATION}",
        "object_description": "town by the river",
    }


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """A file of JSON Lines."""
    with path.open("w") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


@references_checked_at_once("judging")
def make_answers(release: Any, conditions: Sequence[str]) -> Any:
    """A finished run with an answer of one model to each item of the release under each condition, and its reading;
    returns the run.
    """
    from django.db import connection
    from django.utils import timezone

    from annotation.models import Instance
    from benchmarks.conflictbank.tasks import OPTION_TASK
    from judging.models import LanguageModel, ModelKind, PromptTemplate, Reading, Response, Run, RunKind, RunState

    items, began = release.released_instances.count(), {"started_at": timezone.now(), "finished_at": timezone.now()}
    run = Run.objects.create(kind=RunKind.IMPORT, state=RunState.FINISHED, **began)
    model = LanguageModel.objects.create(name="Large", kind=ModelKind.IMPORTED)
    codes = (f"conflictbank-{OPTION_TASK.protocol}-{condition}".replace("_", "-") for condition in conditions)
    templates = [PromptTemplate.objects.get(code=code, version=1).pk for code in codes]
    template = " ".join(f"WHEN {at} THEN {pk}" for at, pk in enumerate(templates))
    as_json = "CAST({} AS jsonb)" if connection.vendor == "postgresql" else "{}"
    fill(
        Response,
        items * len(templates),
        run_id=str(run.pk),
        instance_id=f"{first(Instance)} + i % {items}",
        template_id=f"CASE i / {items} {template} END",
        model_id=str(model.pk),
        key=new_uuid(),
        text="' A'",
        imported=as_json.format("'{}'"),
    )
    fill(
        Reading,
        items * len(templates),
        response_id=f"{first(Response)} + i",
        task=f"'{OPTION_TASK.code}'",
        reader=f"'{OPTION_TASK.reader.code}'",
        version="1",
        value=as_json.format(f"{VALUE} || {BITS} || '}}'"),
        scores=as_json.format(f"""'{{"choice": "' || {CHOICES} || '"}}'"""),
    )
    analyse()
    return run
