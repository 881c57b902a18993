"""Checks of something made: their outcomes, and the measurements that they wait for.

Each benchmark has tables of its own, which say what is checked and of which texts; these are their common columns.
"""

from datetime import datetime

from django.db import models
from django.utils import timezone

from core.languages import say
from core.outside import storable

from .language_models import LanguageModel
from .runs import Run

SAID_LENGTH = 200


class CheckOutcome(models.TextChoices):
    WAITING = "waiting", say("Waiting")
    PASSED = "passed", say("Passed")
    FAILED = "failed", say("Failed")
    NOT_CHECKED = "not_checked", say("Not checked")


class MeasuredState(models.TextChoices):
    WAITING = "waiting", say("Waiting")
    MEASURED = "measured", say("Measured")
    UNREADABLE = "unreadable", say("Unreadable")


class CheckOfMade(models.Model):
    """One check of something made: its value against the threshold. Without a component it was not checked, which is
    neither passed nor failed. The table adds what is checked, `component` and `reason`.
    """

    outcome = models.CharField(max_length=12, choices=CheckOutcome, default=CheckOutcome.WAITING)
    value = models.FloatField(null=True, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    component: "models.CharField[str, str]"
    reason: "models.TextField[str, str]"

    class Meta:
        abstract = True

    @property
    def is_unreadable(self) -> bool:
        """Return whether a component was asked and could not tell: it has to be asked again."""
        return self.outcome == CheckOutcome.NOT_CHECKED and bool(self.component)

    def decide(
        self,
        outcome: CheckOutcome,
        *,
        reason: str = "",
        value: float | None = None,
        threshold: float | None = None,
    ) -> None:
        """Save the outcome, with the value and its threshold, or the reason for having none."""
        self.outcome, self.reason, self.value, self.threshold = outcome, reason, value, threshold
        self.decided_at = timezone.now()
        self.save()

    def wait(self) -> None:
        """Have the check wait for measurements; does not save it."""
        self.outcome, self.reason, self.value, self.threshold = CheckOutcome.WAITING, "", None, None
        self.decided_at = None


class MeasuredOnce(models.Model):
    """A measurement of texts by a component. Checks that need the same share it, so that it is paid for once. The
    table adds the texts, `component`, `run`, `attempt`, `said` and `lease_expires_at`.
    """

    digest = models.CharField(max_length=64, help_text="The same for equal texts: a SHA-256.")
    model = models.ForeignKey(LanguageModel, models.PROTECT, null=True, blank=True, related_name="+")
    state = models.CharField(max_length=10, choices=MeasuredState, default=MeasuredState.WAITING)
    value = models.FloatField(null=True, blank=True)
    measured_at = models.DateTimeField(null=True, blank=True)

    run: "models.ForeignKey[Run | None, Run | None]"
    attempt: "models.OneToOneField[models.Model | None, models.Model | None]"
    said: "models.CharField[str, str]"
    lease_expires_at: "models.DateTimeField[datetime | None, datetime | None]"

    class Meta:
        abstract = True

    def is_left(self, run: Run | None) -> bool:
        """Return whether an earlier run than this one could not read the value, or ended before reaching it."""
        if self.state != MeasuredState.WAITING:
            return self.state == MeasuredState.UNREADABLE
        return self.run is not None and self.run != run and self.run.is_over

    def ask_again(self, run: Run | None) -> None:
        """Save that this waits again: for a call of the run, or for the worker if no model is asked."""
        self.state, self.said, self.measured_at = MeasuredState.WAITING, "", None
        self.run, self.attempt = run if self.model_id else None, None
        self.save()

    def note(self, value: float | None, said: str, *, now: datetime) -> None:
        """Save the value, or that none can be told and why."""
        self.value = value
        self.state = MeasuredState.UNREADABLE if value is None else MeasuredState.MEASURED
        self.said, self.measured_at, self.lease_expires_at = storable(said)[:SAID_LENGTH], now, None
        self.save()
