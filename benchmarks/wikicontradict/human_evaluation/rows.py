"""Responses of a released human evaluation as rows: a run of imported responses, its models and instances."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils import timezone

from annotation.models import Instance
from core.engine.writing.inserts import Insert
from judging.files.imported_rows import Instances, Models
from judging.models import Mark, PromptTemplate, Response, Run, RunKind, RunState

from .shape import EvaluatedAnswer

RUN_NAME = "Human evaluation"


def human_evaluation_run() -> Run:
    """The run of all responses of human evaluations; unsaved if this is the first import."""
    run = Run.objects.filter(kind=RunKind.IMPORT, name=RUN_NAME).order_by("pk").first()
    now = timezone.now()
    return run or Run(name=RUN_NAME, kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=now, finished_at=now)


class EvaluatedRows:
    """The rows that evaluated records refer to: templates, models, and instances. One released here with the same
    content is the same instance. An answer to an unknown template has no row; the caller keeps the record.
    """

    def __init__(self) -> None:
        templates = PromptTemplate.objects.order_by("-version")
        self.templates = {template.label: template.pk for template in templates}
        self.models, self.instances = Models(), Instances()

    def look_up(self, wanted: dict[str, dict[str, Any]]) -> Iterator[Insert]:
        """Find the instances with these keys and contents; missing ones are created."""
        unknown = [key for key in wanted if key not in self.instances.made]
        here = dict(Instance.objects.filter(key__in=unknown).values_list("key", "pk"))
        self.instances.made |= here
        yield from self.instances.rows({key: wanted[key] for key in unknown if key not in here})

    def look_up_models(self, names: Sequence[str]) -> Iterator[Insert]:
        yield from self.models.rows([(name, "") for name in names])

    def response(self, answer: EvaluatedAnswer, *, pk: int, **belongs: object) -> Insert:
        """The row of an answer to a known template."""
        return Insert.of(
            Response,
            id=pk,
            template_id=self.templates[answer.template],
            text=answer.text,
            mark=(Mark.COMPLETE if answer.text.strip() else Mark.EMPTY).value,
            imported={"messages": [{"role": "user", "content": answer.prompt}] if answer.prompt else []},
            **belongs,
        )
