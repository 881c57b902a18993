"""The standard content of every installation: the published prompt templates of the tasks, and their baselines."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from django.db.models import Max

from annotation.kinds.registry import annotated
from annotation.models import Release

from ..models import LanguageModel, ModelKind, PromptTemplate
from ..protocol.prompts import Template
from ..protocol.tasks import Task, Wording, judge_baselines, task_of, tasks, tasks_of


def install_standard() -> str:
    """Create the missing content. A protocol template whose wording has changed becomes a new version; people's own
    templates are left alone. Content for another benchmark comes with its first release. Returns "": it prints
    nothing.
    """
    here = annotated().code
    install_tasks(here)
    for benchmark in (
        Release.objects.exclude(benchmark=here).order_by().values_list("benchmark", flat=True).distinct()
    ):
        install_tasks(benchmark)
    return ""


def install_tasks(benchmark: str) -> None:
    """Create the missing content for the tasks of a benchmark: templates, and baselines without a model."""
    for task in tasks():
        if task.benchmark == benchmark:
            for template in task.templates:
                install_template(task, template)
            for code, wordings in task.wordings.items():
                install_wordings(task, code, wordings)
            install_baselines({name: f"Baseline: {name}" for name in task.baselines})
            install_baselines(task.judge.baselines if task.judge else {})


def install_baselines(baselines: Mapping[str, str]) -> None:
    """Create baselines by the names of their functions, with their labels."""
    for name, label in baselines.items():
        LanguageModel.objects.get_or_create(
            name=label,
            defaults={"kind": ModelKind.BASELINE, "endpoint_name": name, "decoding": {}, "concurrent_calls": 64},
        )


def install_template(task: Task, template: Template) -> None:
    versions = list(PromptTemplate.objects.filter(code=template.id).order_by("version"))
    if any(version.as_template() == template for version in versions):
        return
    values = asdict(template)
    version = versions[-1].version + 1 if versions else 1
    PromptTemplate.objects.create(code=values.pop("id"), version=version, task=task.code, **values)


def install_wordings(task: Task, code: str, wordings: Iterable[Wording]) -> None:
    """The published wordings of a task's template as its first versions, in their order."""
    there = set(PromptTemplate.objects.filter(code=code).values_list("system", "text"))
    version = PromptTemplate.objects.filter(code=code).aggregate(last=Max("version"))["last"] or 0
    for wording in wordings:
        if (wording.system, wording.text) not in there:
            version += 1
            PromptTemplate.objects.create(code=code, version=version, task=task.code, **asdict(wording))


def answerer_baselines() -> list[LanguageModel]:
    """The baselines that answer the tasks of the benchmark that is annotated here."""
    names = [name for code in tasks_of(annotated().code) for name in task_of(code).baselines]
    return list(LanguageModel.objects.filter(kind=ModelKind.BASELINE, endpoint_name__in=names))


def judge_baseline() -> LanguageModel:
    """The baseline that judges."""
    return LanguageModel.objects.get(kind=ModelKind.BASELINE, endpoint_name__in=judge_baselines())
