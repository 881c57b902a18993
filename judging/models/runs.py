"""A run: release x models x templates x repetitions, or judge models over responses."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Release
from core.languages import joined, say
from core.models import VisibleManager, WrittenInBatches

from ..protocol.tasks import first_reader, verdict_readers
from .language_models import LanguageModel
from .templates import PromptTemplate

# Money, in the currency of the prices. A token can cost a ten-millionth of a cent.
MONEY: dict[str, Any] = {"max_digits": 20, "decimal_places": 10}


class RunKind(models.TextChoices):
    ANSWER = "answer", say("Models answer")
    JUDGE = "judge", say("Models judge")
    IMPORT = "import", say("Imported responses")
    SUGGESTION = "suggestion", say("Suggestions for annotators")
    GENERATION = "generation", say("Models make items")
    CHECKS = "checks", say("Checks of what was made")


class RunState(models.TextChoices):
    PLANNED = "planned", say("Planned")
    # Its calls are being written. None goes out, and none is counted, before all are there.
    STARTING = "starting", say("Being started")
    RUNNING = "running", say("Running")
    PAUSED = "paused", say("Paused")
    STOPPED = "stopped", say("Stopped at its budget")
    FINISHED = "finished", say("Finished")
    CANCELLED = "cancelled", say("Cancelled")


class Run(WrittenInBatches):
    """The models of a run, and their questions. A planned run may still change; starting it creates its calls."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=10, choices=RunKind, default=RunKind.ANSWER)
    state = models.CharField(max_length=10, choices=RunState, default=RunState.PLANNED)
    language_models = models.ManyToManyField(LanguageModel, related_name="runs")
    budget = models.DecimalField(
        **MONEY, null=True, blank=True, help_text="The run stops before the next call could exceed it."
    )
    # Money spent, and the possible cost of attempts in flight or in doubt: the sum over the run's attempts, kept here
    # so that all workers can draw on the budget with one conditional UPDATE.
    committed = models.DecimalField(**MONEY, default=0)

    # Models answer:
    release = models.ForeignKey(Release, models.PROTECT, null=True, blank=True, related_name="runs")
    templates = models.ManyToManyField(PromptTemplate, blank=True, related_name="runs")
    repetitions = models.PositiveSmallIntegerField(default=1)
    include_left_out = models.BooleanField(
        default=False, help_text="Also ask about instances that the task of a prompt usually leaves out."
    )
    only_missing = models.BooleanField(
        default=False, help_text="Leave out requests that a model answered in an earlier run."
    )

    # Models judge: all responses of the source runs, or those selected.
    source_runs = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="judge_runs")
    selected_responses: models.ManyToManyField = models.ManyToManyField("Response", blank=True, related_name="+")
    reader = models.CharField(max_length=20, default=first_reader, help_text="The reader of the judges' replies.")
    # Whether that reader reads a verdict by a JSON schema: its benchmark says so.
    reads_json = models.BooleanField(default=False, editable=False)
    as_json_schema = models.BooleanField(default=False, help_text="Request the verdict by a JSON schema.")
    include_marked = models.BooleanField(
        default=False,
        help_text="Also judge responses that were not complete (cut, empty, refused, filtered, interrupted).",
    )

    # Items are made or checked, in the way of a benchmark:
    purpose = models.CharField(
        max_length=20, blank=True, help_text="The purpose of its calls, by its code, where its kind has several."
    )
    # Further options of the purpose.
    options = models.JSONField(default=dict, blank=True)

    in_batches = models.BooleanField(
        default=False, help_text="Send calls to endpoints in batches: cheaper, within a day."
    )
    reuses_replies = models.BooleanField(
        default=False,
        help_text="At temperature 0, reuse the reply to exactly the same request from an earlier run.",
    )

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    # The process that writes the calls renews this; once it has passed, another one continues.
    starting_until = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["planned", "cancelled"]) | Q(started_at__isnull=False),
                name="a_started_run_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(state="starting", starting_until__isnull=False)
                | (~Q(state="starting") & Q(starting_until=None)),
                name="exactly_a_starting_run_has_a_lease",
            ),
            models.CheckConstraint(
                condition=Q(as_json_schema=False) | Q(kind="judge", reads_json=True),
                name="a_verdict_as_json_is_read_as_json",
            ),
            models.CheckConstraint(condition=Q(repetitions__gte=1), name="at_least_one_repetition"),
            models.CheckConstraint(
                condition=(Q(kind__in=["generation", "checks"]) & ~Q(purpose=""))
                | (~Q(kind__in=["generation", "checks"]) & Q(purpose="")),
                name="a_run_for_a_benchmark_names_its_purpose",
            ),
            models.CheckConstraint(condition=Q(budget=None) | Q(budget__gte=0), name="no_budget_below_nothing"),
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(kind="suggestion") & ~Q(state="cancelled"),
                name="one_open_run_of_suggestions",
            ),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        if reader := verdict_readers().get(self.reader):
            self.reads_json = reader.reads_json
        super().save(*args, **kwargs)

    def __str__(self) -> str:
        numbered = say("run {number}", number=self.pk)
        return joined([numbered, f"({self.name})"]) if self.name else numbered

    @property
    def title(self) -> str:
        numbered = say("Run {number}", number=self.pk)
        return joined([numbered, self.name], ": ") if self.name else numbered

    @property
    def reader_name(self) -> str:
        """The way in which its judges' replies are read, in words."""
        found = verdict_readers().get(self.reader)
        return found.label if found else self.reader

    @property
    def is_starting(self) -> bool:
        """Return whether its calls are being written: existing ones are not shown or counted yet."""
        return self.state == RunState.STARTING

    @property
    def is_over(self) -> bool:
        return self.state in (RunState.FINISHED, RunState.CANCELLED)
