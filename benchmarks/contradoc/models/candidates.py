"""Candidates: documents with one edit that should make them contradict themselves; and their checks."""

import uuid

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from core.languages import say
from judging.models.calls import Attempt
from judging.models.checks import SAID_LENGTH, CheckOfMade, MeasuredOnce, MeasuredState
from judging.models.runs import Run

from .documents import Document
from .statements import Statement


class Operation(models.TextChoices):
    """The kind of edit; the values are those of the released records."""

    INSERT = "Insert", say("Insertion")
    REPLACE = "Replace", say("Replacement")


class CandidateState(models.TextChoices):
    """The state of a candidate.

    made ──checks──> chosen ──people──> verified | rejected | negative
      └──> failed | left_out
    """

    MADE = "made", say("To be checked")
    FAILED = "failed", say("Failed a check")
    LEFT_OUT = "left_out", say("Not chosen")
    CHOSEN = "chosen", say("Chosen for verification")
    VERIFIED = "verified", say("Verified")
    REJECTED = "rejected", say("Rejected")
    NEGATIVE = "negative", say("Does not contradict itself")

    @classmethod
    def by_people(cls) -> list["CandidateState"]:
        """States that people decide on."""
        return [cls.VERIFIED, cls.REJECTED, cls.NEGATIVE]


class Candidate(models.Model):
    """A document with one edit: the text from `start` to `end` is replaced by `new_text`, which holds one new
    sentence and the white space that it needs. If `start` equals `end`, the sentence is inserted.
    """

    # For addresses that people may see: it reveals neither order nor number.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, models.PROTECT, related_name="candidates")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="candidates")
    # The candidate of whose sentence a verifier gave another gap.
    moved_from = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="moved")
    method = models.CharField(
        max_length=40, help_text="The method of making the error, by its code in the benchmark."
    )
    operation = models.CharField(max_length=10, choices=Operation)
    is_rewording = models.BooleanField(default=False, help_text="Made with the rewording, not the contradiction.")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    new_text = models.TextField()
    digest = models.CharField(max_length=64, help_text="The same for equal edits: a SHA-256.")
    rank = models.PositiveSmallIntegerField(default=1, help_text="Rank among the statement's gaps, from 1.")
    state = models.CharField(max_length=10, choices=CandidateState, default=CandidateState.MADE)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state", "id"], name="candidate_state")]
        constraints = [
            models.UniqueConstraint(fields=["document", "digest"], name="an_edit_once_per_document"),
            models.CheckConstraint(
                condition=Q(operation=Operation.INSERT, start=F("end"))
                | Q(operation=Operation.REPLACE, start__lt=F("end")),
                name="an_insertion_replaces_nothing",
            ),
            models.CheckConstraint(condition=~Q(new_text=""), name="a_candidate_has_a_new_sentence"),
        ]

    def __str__(self) -> str:
        return f"candidate {self.pk}"

    @property
    def benchmark(self) -> str:
        return self.document.benchmark

    @property
    def sentence(self) -> str:
        """The new sentence, without the white space around it."""
        return self.new_text.strip()

    @property
    def text(self) -> str:
        """The document with the edit."""
        clean = self.document.text
        return clean[: self.start] + self.new_text + clean[self.end :]


class Measurement(MeasuredOnce):
    """One question to a component about one or two texts, such as the perplexity of a document."""

    name = models.CharField(max_length=40, help_text="The code of the measure.")
    component = models.CharField(max_length=200, help_text="The component that measures it, with its version.")
    # The first candidate that needed it, and which of its texts is measured.
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="measurements")
    part = models.CharField(max_length=20)
    window = models.PositiveSmallIntegerField(
        default=0, help_text="Sentences on either side of the edit; 0: the whole document."
    )
    run = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="measurements")
    attempt = models.OneToOneField(Attempt, models.PROTECT, null=True, blank=True, related_name="measurement")
    said = models.CharField(max_length=SAID_LENGTH, blank=True, help_text="A label, or why there is no value.")
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["run", "state", "id"], name="measurement_state")]
        constraints = [
            models.UniqueConstraint(fields=["name", "component", "digest"], name="a_text_is_measured_once"),
            models.CheckConstraint(
                condition=Q(state=MeasuredState.MEASURED, value__isnull=False, measured_at__isnull=False)
                | Q(state=MeasuredState.UNREADABLE, value=None, measured_at__isnull=False)
                | Q(state=MeasuredState.WAITING, value=None, measured_at=None),
                name="exactly_a_measurement_has_a_value",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of candidate {self.candidate_id}"


class Check(CheckOfMade):
    """One check of a candidate."""

    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="checks")
    name = models.CharField(max_length=40, help_text="The code of the check.")
    version = models.PositiveSmallIntegerField(default=1)
    component = models.CharField(
        max_length=200, blank=True, help_text="The component that gave the value. Empty: none could."
    )
    reason = models.TextField(blank=True, help_text="Why it was not checked.")
    extent = models.CharField(max_length=100, blank=True, help_text="The part of the document that was checked.")
    measurements = models.ManyToManyField(Measurement, blank=True, related_name="checks")

    class Meta:
        ordering = ["candidate_id", "pk"]
        indexes = [models.Index(fields=["name", "outcome"], name="check_outcome")]
        constraints = [
            models.UniqueConstraint(fields=["candidate", "name", "version"], name="a_check_once_per_candidate"),
            models.CheckConstraint(
                condition=Q(outcome__in=["passed", "failed"], value__isnull=False, decided_at__isnull=False)
                | (Q(outcome="not_checked", value=None, decided_at__isnull=False) & ~Q(reason=""))
                | Q(outcome="waiting", value=None, decided_at=None),
                name="a_check_has_a_value_or_the_reason_for_none",
            ),
            models.CheckConstraint(
                condition=Q(outcome="not_checked") | ~Q(component=""), name="a_check_names_its_component"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of candidate {self.candidate_id}: {self.get_outcome_display()}"


class CheckSettings(models.Model):
    """The thresholds of the checks of a benchmark's candidates, which admins change. A check keeps the threshold that
    was used until the checks are run again.
    """

    benchmark = models.CharField(max_length=40, unique=True)
    contradiction_over = models.FloatField(
        "a contradiction from a probability over",
        default=0.9,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=say("Of the statement and its contradiction. The released program has 0.9."),
    )
    insertion_rise = models.FloatField(
        "the perplexity may rise with an insertion by",
        default=0.03,
        help_text=say("The paper has 0.01 to 0.03 by type and length, its program 0.03."),
    )
    replacement_rise = models.FloatField(
        "the perplexity may rise with a replacement by",
        default=0.08,
        help_text=say("The paper has 0.01 to 0.03 by type and length, its program 0.08."),
    )
    next_sentence_over = models.FloatField(
        "a plausible next sentence from a probability over",
        default=0.5,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=say("On the less plausible side."),
    )
    window = models.PositiveSmallIntegerField(
        "sentences on either side whose perplexity counts",
        default=0,
        validators=[MaxValueValidator(100)],
        help_text=say("0: the whole document."),
    )

    class Meta:
        verbose_name_plural = "check settings"

    def __str__(self) -> str:
        return f"checks of {self.benchmark}"

    @classmethod
    def of(cls, benchmark: str) -> "CheckSettings":
        """The thresholds of a benchmark; created with their defaults on first use."""
        return cls.objects.get_or_create(benchmark=benchmark)[0]
