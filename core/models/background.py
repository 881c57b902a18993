"""Work that people ask for on a page and that is too long for a request: a worker does it."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..languages import say


class WorkState(models.TextChoices):
    WAITING = "waiting", say("Waiting for a worker")
    RUNNING = "running", say("In progress")
    DONE = "done", say("Done")
    REFUSED = "refused", say("Refused")
    FAILED = "failed", say("Stopped by an error")
    CANCELLED = "cancelled", say("Cancelled")

    @classmethod
    def open(cls) -> list["WorkState"]:
        return [cls.WAITING, cls.RUNNING]

    @classmethod
    def without_result(cls) -> list["WorkState"]:
        """The states of which `problem` gives the reason."""
        return [cls.REFUSED, cls.FAILED]


class BackgroundWork(models.Model):
    """A form that was sent on a page, and its result. If its worker dies, the next one begins it again: what it
    does either continues or has left nothing.
    """

    log_kind = "background work"

    # For addresses: it reveals neither order nor number.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    what = models.CharField(max_length=40, help_text="The kind of work, as an app registered it.")
    about = models.JSONField(default=dict, blank=True, help_text="The parts of the page's address.")
    given = models.JSONField(default=dict, blank=True, help_text="The form's values as sent.")
    files = models.JSONField(default=dict, blank=True, help_text="By field: name and path of each uploaded file.")
    check_only = models.BooleanField(default=False)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of everything that was asked for.")
    state = models.CharField(max_length=10, choices=WorkState, default=WorkState.WAITING)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="background_work")
    asked_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # The worker that does it renews this; once it has passed, another worker begins again. `tries` tells them apart.
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    step = models.CharField(max_length=40, blank=True, help_text="The part of the work that is in progress.")
    done = models.PositiveBigIntegerField(default=0)
    of = models.PositiveBigIntegerField(null=True, blank=True, help_text="The end of `done`, if it is known.")
    lines = models.JSONField(default=list, blank=True, help_text="The result, as lines of text.")
    problem = models.TextField(blank=True, help_text="The reason why it has no result.")
    shown = models.JSONField(
        default=dict,
        blank=True,
        help_text="Both in the language of the person who asked, where that is not English.",
    )

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["asked_by", "what", "-id"], name="background_work_of_a_page")]
        constraints = [
            # A second click on a button asks for nothing new.
            models.UniqueConstraint(
                fields=["asked_by", "fingerprint"],
                condition=Q(state__in=["waiting", "running"]),
                name="background_work_is_asked_for_once",
            ),
            # Two imports would each plan for data that the other is about to change.
            models.UniqueConstraint(fields=["state"], condition=Q(state="running"), name="one_background_work_runs"),
            models.CheckConstraint(
                condition=(Q(state__in=["waiting", "running"]) & Q(finished_at=None))
                | (~Q(state__in=["waiting", "running"]) & Q(finished_at__isnull=False)),
                name="exactly_ended_background_work_has_its_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["refused", "failed"]) | ~Q(problem=""),
                name="background_work_without_result_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.pk}"

    @property
    def shown_lines(self) -> list[str]:
        """The result, in the language of the person who asked."""
        return self.shown.get("lines") or self.lines

    @property
    def shown_problem(self) -> str:
        """The reason why it has no result, in the language of the person who asked."""
        return self.shown.get("problem") or self.problem

    @property
    def is_open(self) -> bool:
        return self.state in WorkState.open()

    @property
    def percent(self) -> int | None:
        """The share of the current step that is done; None if its end is not known."""
        return min(100, self.done * 100 // self.of) if self.of else None
