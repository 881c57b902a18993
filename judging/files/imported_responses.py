"""Responses of a released human evaluation as rows: a run of imported responses, its models and instances."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from annotation.content.instances import instance_key
from annotation.models import Instance
from core.models import Batch

from ..models import LanguageModel, Mark, ModelKind, PromptTemplate, Response, Run, RunKind, RunState
from .human_evaluation import Evaluated, EvaluatedAnswer

RUN_NAME = "Human evaluation"
KEYS_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    answer: EvaluatedAnswer
    response: Response


def human_evaluation_run() -> Run:
    """The run that all responses of human evaluations hang on; not saved where this is the first import."""
    run = Run.objects.filter(kind=RunKind.IMPORT, name=RUN_NAME).order_by("pk").first()
    now = timezone.now()
    return run or Run(name=RUN_NAME, kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=now, finished_at=now)


def evaluated_models(names: Iterable[str]) -> dict[str, LanguageModel]:
    """The models of these names; one that is not here is a model that cannot be asked, and not saved."""
    here = {model.name: model for model in LanguageModel.objects.all()}
    return {
        name: here.get(name) or LanguageModel(name=name, kind=ModelKind.IMPORTED, decoding={})
        for name in dict.fromkeys(names)
    }


def evaluated_instances(records: Iterable[Evaluated]) -> dict[str, Instance]:
    """The instances of these records by key. What was released here with the same content is the same instance;
    others are not saved."""
    wanted = {instance_key(record.instance): record.instance for record in records}
    keys, found = list(wanted), dict[str, Instance]()
    for start in range(0, len(keys), KEYS_AT_A_TIME):
        found |= {row.key: row for row in Instance.objects.filter(key__in=keys[start : start + KEYS_AT_A_TIME])}
    return {key: found.get(key) or Instance(key=key, **values) for key, values in wanted.items()}


def store_responses(
    rows: Iterable[tuple[Evaluated, LanguageModel, Instance, int]], *, run: Run, batch: Batch
) -> dict[int, list[StoredAnswer]]:
    """Store the answers of records that are new as part of a batch, each with its model, instance and repetition:
    by index in `rows`.

    An answer to a template that is not known here has no row; the record that holds it is kept by whoever asks.
    """
    templates: dict[str, PromptTemplate] = {}
    for template in PromptTemplate.objects.order_by("-version"):
        templates[template.label] = template
    stored: dict[int, list[StoredAnswer]] = {}
    for index, (record, model, instance, repetition) in enumerate(rows):
        stored[index] = [
            StoredAnswer(
                answer,
                Response(
                    batch=batch,
                    run=run,
                    instance=instance,
                    model=model,
                    template=templates[answer.template],
                    repetition=repetition,
                    text=answer.text,
                    mark=Mark.COMPLETE if answer.text.strip() else Mark.EMPTY,
                    imported={"messages": [{"role": "user", "content": answer.prompt}] if answer.prompt else []},
                ),
            )
            for answer in record.answers
            if answer.template in templates
        ]
    Response.objects.bulk_create(each.response for answers in stored.values() for each in answers)
    return stored
