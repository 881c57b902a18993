"""Prompt templates, and variants of instances that some of them ask about."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.kinds.registry import annotated
from annotation.models import Instance
from core.languages import say
from core.models import VisibleManager, WrittenInBatches

from ..protocol import prompts
from ..protocol.tasks import Task, task_of, tasks
from ..protocol.verdicts import Verdict


class PromptTemplateQuerySet(models.QuerySet["PromptTemplate"]):
    def current(self, benchmark: str = "") -> "PromptTemplateQuerySet":
        """The newest version of each code, among the templates for a benchmark: by default the one annotated here."""
        return self.newest().filter(benchmark=benchmark or annotated().code)

    def newest(self) -> "PromptTemplateQuerySet":
        """The newest version of each code."""
        newer = PromptTemplate.objects.filter(code=models.OuterRef("code"), version__gt=models.OuterRef("version"))
        return self.filter(~models.Exists(newer))

    def offered(self) -> "PromptTemplateQuerySet":
        """The templates that new runs may use, of all benchmarks: the newest versions, and every published
        wording.
        """
        every = [task.code for task in tasks() if task.offers_all_versions]
        return self.filter(models.Q(pk__in=self.newest().values("pk")) | models.Q(task__in=every))


class PromptTemplate(models.Model):
    """One wording of a prompt. The database freezes it once a run has used it; a new wording is a new version."""

    code = models.CharField(max_length=80)
    version = models.PositiveIntegerField(default=1)
    # Its task: `judging.protocol.tasks` defines how it is filled and how replies to it are read.
    task = models.CharField(max_length=40)
    # The benchmark of its task: triggers compare it with the benchmark of the instances that it asks about.
    benchmark = models.CharField(max_length=40, editable=False)
    name = models.CharField(max_length=100)
    source = models.TextField(blank=True)
    system = models.TextField(blank=True)
    text = models.TextField()
    other_text = models.TextField(
        blank=True,
        help_text=say("In place of the text for some instances, as its task says. Empty: the text for all."),
    )
    # The instances that it is asked about, and the content of a good response, by the codes of its task.
    applies_to = models.CharField(max_length=20, default=prompts.ALL)
    verdicts = models.JSONField(default=list)
    expects = models.CharField(max_length=20, default=prompts.ANSWERS)
    correct_answers = models.JSONField(default=list)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    objects = PromptTemplateQuerySet.as_manager()

    class Meta:
        ordering = ["code", "version"]
        constraints = [
            models.UniqueConstraint(fields=["code", "version"], name="one_template_per_version"),
            models.CheckConstraint(condition=Q(version__gte=1), name="versions_count_from_one"),
        ]

    def __str__(self) -> str:
        return self.label

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.benchmark = self.what.benchmark
        super().save(*args, **kwargs)

    @property
    def label(self) -> str:
        return self.code if self.version == 1 else f"{self.code} v{self.version}"

    @property
    def what(self) -> Task:
        """Its task."""
        return task_of(self.task)

    @property
    def is_of_another(self) -> bool:
        """Return whether its benchmark is another one than that annotated here."""
        return self.benchmark != annotated().code

    @property
    def asked_of(self) -> str:
        """The instances that it is asked about, in words."""
        return self.what.applies_to.get(self.applies_to, self.applies_to)

    @property
    def takes_variant(self) -> bool:
        """Return whether it is about variants of instances."""
        return bool(self.applies_to) and self.applies_to == self.what.on_variants

    @property
    def offered_verdicts(self) -> tuple[Verdict, ...]:
        return tuple(Verdict(value) for value in self.verdicts)

    def as_template(self) -> prompts.Template:
        return prompts.Template(
            id=self.code,
            name=self.name,
            source=self.source,
            system=self.system,
            text=self.text,
            other_text=self.other_text,
            applies_to=self.applies_to,
            verdicts=self.offered_verdicts,
            expects=self.expects,
            correct_answers=tuple(self.correct_answers),
        )


class InstanceVariantQuerySet(models.QuerySet["InstanceVariant"]):
    def current(self) -> "InstanceVariantQuerySet":
        """The newest version for each instance."""
        newer = InstanceVariant.objects.filter(
            instance=models.OuterRef("instance"), version__gt=models.OuterRef("version")
        )
        return self.filter(~models.Exists(newer))


class InstanceVariant(WrittenInBatches):
    """Content that a person wrote in place of an instance's own, for the prompts that are about such variants.

    A row never changes; a correction is the next version.
    """

    instance = models.ForeignKey(Instance, models.PROTECT, related_name="variants")
    version = models.PositiveIntegerField(default=1)
    content = models.JSONField(help_text=say("An object in the shape of the instance's benchmark."))
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager.from_queryset(InstanceVariantQuerySet)()
    everything = InstanceVariantQuerySet.as_manager()

    class Meta:
        ordering = ["instance_id", "version"]
        constraints = [
            models.UniqueConstraint(fields=["instance", "version"], name="one_variant_per_version"),
            models.CheckConstraint(condition=~Q(content={}), name="a_variant_has_content"),
        ]

    def __str__(self) -> str:
        return f"variant of {self.instance_id}, version {self.version}"
