"""Sums that the database maintains for each run (`KeepSums`), because counting a million calls takes seconds."""

from typing import Any

from django.db import models

from core.models.batches import open_batches

from .language_models import LanguageModel
from .responses import Mark
from .runs import MONEY, Run
from .templates import PromptTemplate

AMOUNT: dict[str, Any] = {**MONEY, "default": 0, "db_default": 0}
COUNT: dict[str, Any] = {"default": 0, "db_default": 0}


class OutputSumsQuerySet(models.QuerySet[Any]):
    """Sums of outputs; rows of a batch are summed separately, as an open batch counts nowhere."""

    def visible(self) -> "OutputSumsQuerySet":
        """The sums without those of an unfinished import."""
        return self.exclude(batch__in=open_batches())


class CallSums(models.Model):
    """The calls of one model in a run by state, and the money of their attempts. Code that takes or lands calls
    holds the model's throttle first, so that no deadlock over these rows can occur."""

    run = models.ForeignKey(Run, models.CASCADE, db_index=False, related_name="call_sums")
    model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="call_sums")
    # By `CallState`.
    pending = models.BigIntegerField(**COUNT)
    sent = models.BigIntegerField(**COUNT)
    done = models.BigIntegerField(**COUNT)
    in_doubt = models.BigIntegerField(**COUNT)
    failed = models.BigIntegerField(**COUNT)
    cancelled = models.BigIntegerField(**COUNT)
    # The cost of answered calls, the money reserved for calls in flight, and the possible cost of calls in doubt.
    spent = models.DecimalField(**AMOUNT)
    held = models.DecimalField(**AMOUNT)
    perhaps_spent = models.DecimalField(**AMOUNT)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "model"], name="calls_are_summed_once")]

    def __str__(self) -> str:
        return f"calls of run {self.run_id} to model {self.model_id}"


class OutputSums(models.Model):
    """The number of responses, or judgments, of one model in a run with the same template, mark and, for judgments,
    verdict. Rows of a batch are summed separately, as an open batch counts nowhere.
    """

    run = models.ForeignKey(Run, models.CASCADE, db_index=False, related_name="output_sums")
    model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="+")
    template = models.ForeignKey(PromptTemplate, models.CASCADE, related_name="+")
    mark = models.CharField(max_length=10, choices=Mark)
    verdict = models.CharField(max_length=20, blank=True)
    batch = models.BigIntegerField(help_text="0 outside any batch.")
    count = models.BigIntegerField(**COUNT)
    # The tokens of reused replies are not counted.
    reused = models.BigIntegerField(**COUNT)
    prompt_tokens = models.BigIntegerField(**COUNT)
    completion_tokens = models.BigIntegerField(**COUNT)
    cached_tokens = models.BigIntegerField(**COUNT)

    objects = OutputSumsQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "model", "template", "mark", "verdict", "batch"], name="outputs_are_summed_once"
            )
        ]

    def __str__(self) -> str:
        return f"replies in run {self.run_id} of model {self.model_id}"


class JudgePairSums(models.Model):
    """The number of responses that two judge models judged, in one run or in two, and of their agreements. The one
    with the lower number of the run, or of the model, comes first. Pairs with a judgment of a batch are summed
    separately, as an open batch counts nowhere: only the latest batch can be open.
    """

    run = models.ForeignKey(Run, models.CASCADE, db_index=False, related_name="+")
    model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="+")
    other_run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    other_model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="+")
    batch = models.BigIntegerField(help_text="0 where both came in none.")
    count = models.BigIntegerField(**COUNT)
    # The responses for which both verdicts can be read, and for which they are the same.
    readable = models.BigIntegerField(**COUNT)
    same = models.BigIntegerField(**COUNT)

    objects = OutputSumsQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "model", "other_run", "other_model", "batch"], name="judges_are_paired_once"
            )
        ]

    def __str__(self) -> str:
        return f"model {self.model_id} in run {self.run_id}, model {self.other_model_id} in run {self.other_run_id}"
