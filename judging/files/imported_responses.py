"""Responses of a released human evaluation as rows: a run of imported responses, its models and instances."""

from collections.abc import Iterable, Iterator

from django.utils import timezone

from annotation.content.instances import instance_key
from annotation.models import Instance

from ..models import LanguageModel, Mark, ModelKind, PromptTemplate, Response, Run, RunKind, RunState
from .human_evaluation import Evaluated, EvaluatedAnswer

RUN_NAME = "Human evaluation"
KEYS_AT_A_TIME = 500


def human_evaluation_run() -> Run:
    """The run that all responses of human evaluations belong to; unsaved if this is the first import."""
    run = Run.objects.filter(kind=RunKind.IMPORT, name=RUN_NAME).order_by("pk").first()
    now = timezone.now()
    return run or Run(name=RUN_NAME, kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=now, finished_at=now)


def evaluated_models(names: Iterable[str]) -> dict[str, LanguageModel]:
    """The models with these names; an unknown one becomes an unsaved model that cannot be asked."""
    here = {model.name: model for model in LanguageModel.objects.all()}
    return {
        name: here.get(name) or LanguageModel(name=name, kind=ModelKind.IMPORTED, decoding={})
        for name in dict.fromkeys(names)
    }


def evaluated_instances(records: Iterable[Evaluated]) -> dict[str, Instance]:
    """The instances of these records by key. One released here with the same content is the same instance; new ones
    are unsaved."""
    wanted = {instance_key(record.instance): record.instance for record in records}
    keys, found = list(wanted), dict[str, Instance]()
    for start in range(0, len(keys), KEYS_AT_A_TIME):
        found |= {row.key: row for row in Instance.objects.filter(key__in=keys[start : start + KEYS_AT_A_TIME])}
    return {key: found.get(key) or Instance(key=key, **values) for key, values in wanted.items()}


class Answers:
    """Answers of evaluated records as rows.

    An answer to an unknown template has no row; the caller keeps the record.
    """

    def __init__(self, run: Run):
        self.run = run
        templates = PromptTemplate.objects.order_by("-version")
        self.templates: dict[str, PromptTemplate] = {template.label: template for template in templates}

    def of(
        self, record: Evaluated, *, model: LanguageModel, instance: Instance, repetition: int
    ) -> Iterator[tuple[EvaluatedAnswer, Response]]:
        """Each answer with its unsaved response."""
        for answer in record.answers:
            if answer.template in self.templates:
                yield (
                    answer,
                    Response(
                        run=self.run,
                        instance=instance,
                        model=model,
                        template=self.templates[answer.template],
                        repetition=repetition,
                        text=answer.text,
                        mark=Mark.COMPLETE if answer.text.strip() else Mark.EMPTY,
                        imported={"messages": [{"role": "user", "content": answer.prompt}] if answer.prompt else []},
                    ),
                )
