"""Evidence: a text that a model, or a pattern, gave for a claim; its checks, and what components measured for them.

The texts for claims that conflict with facts are made to mislead.
"""

import uuid
from collections import Counter

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from core.languages import changed, in_sentence, joined, number, say
from judging.models.calls import Attempt
from judging.models.checks import SAID_LENGTH, CheckOfMade, CheckOutcome, MeasuredOnce, MeasuredState
from judging.models.language_models import LanguageModel
from judging.models.responses import ModelOutput
from judging.models.runs import Run

from .claims import Cause, Claim

FEATURES = "\n".join(
    [
        "I apologize",
        "I'm sorry",
        "I am sorry, but",
        "I cannot",
        "I can't",
        "I am unable to",
        "I'm unable to",
        "as an AI",
        "as a language model",
    ]
)
SHARE = [MinValueValidator(0), MaxValueValidator(1)]


class Evidence(ModelOutput):
    """The evidence of one model for a claim. The last `dropped` characters of its text do not count."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    claim = models.ForeignKey(Claim, models.PROTECT, related_name="evidence")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, models.PROTECT, related_name="conflict_evidence")
    attempt = models.OneToOneField(Attempt, models.PROTECT, related_name="conflict_evidence")
    ends_early = models.BooleanField(default=False, help_text="The text ends within a sentence.")
    dropped = models.PositiveIntegerField(default=0, help_text="The number of characters dropped from the end.")
    overruled = models.TextField(
        blank=True, help_text="The reason to use it although a check failed. Empty: no check is overruled."
    )

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "evidence"
        constraints = [models.UniqueConstraint(fields=["claim", "model"], name="one_evidence_per_claim_and_model")]

    def __str__(self) -> str:
        return f"evidence {self.pk}"

    @property
    def is_failed(self) -> bool:
        """Return whether a check failed, overruled or not."""
        return any(check.outcome == CheckOutcome.FAILED for check in self.checks.all())

    @property
    def checks_in_words(self) -> str:
        """The number of checks by outcome, those that failed by their names; "not checked yet" without any."""
        checks = list(self.checks.all())
        counts = Counter(check.outcome for check in checks)
        names = [in_sentence(CheckName(check.name).label) for check in checks if check.outcome == CheckOutcome.FAILED]
        found = []
        if names and self.overruled:
            found = [say("failed: {names}, overruled", names=joined(names, ", "))]
        elif names:
            found = [say("failed: {names}", names=joined(names, ", "))]
        found += [
            joined((number(counts[each]), changed(each.label, str.lower)))
            for each in CheckOutcome
            if each != CheckOutcome.FAILED and counts[each]
        ]
        return joined(found, "; ") if found else say("not checked yet")

    @property
    def checks_label(self) -> str:
        """The name of the table of its checks."""
        return say(
            "{cause}: checks of evidence by {model}", cause=Cause(self.claim.cause).label, model=self.model.name
        )

    @property
    def used_text(self) -> str:
        """The text without its dropped end."""
        return self.text[: len(self.text) - self.dropped].strip()


class CheckName(models.TextChoices):
    """The checks, in the order in which they are made: a later one takes the evidence that passed the earlier
    ones."""

    REFUSAL = "refusal", say("Refusal features")
    ENTAILMENT = "entailment", say("Claim entailed by its evidence")
    CONTRADICTION = "contradiction", say("Contradicts the default evidence")


class EvidenceCheck(CheckOfMade):
    """One check of evidence."""

    evidence = models.ForeignKey(Evidence, models.CASCADE, related_name="checks")
    name = models.CharField(max_length=20, choices=CheckName)
    component = models.CharField(
        max_length=200, blank=True, help_text="The component that checked it, and its version."
    )
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["name", "outcome", "id"], name="evidence_check_outcome")]
        constraints = [
            models.UniqueConstraint(fields=["evidence", "name"], name="evidence_is_checked_once_by_each"),
            models.CheckConstraint(
                condition=Q(outcome=CheckOutcome.WAITING, decided_at=None)
                | (~Q(outcome=CheckOutcome.WAITING) & Q(decided_at__isnull=False)),
                name="exactly_a_decided_check_of_evidence_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of evidence {self.evidence_id}"


class MeasuredPair(MeasuredOnce):
    """A premise and a hypothesis, and the probability that a component gave to a label of them."""

    label = models.CharField(max_length=20, help_text="entailment or contradiction")
    component = models.CharField(max_length=200)
    premise = models.TextField()
    hypothesis = models.TextField()
    checks = models.ManyToManyField(EvidenceCheck, related_name="pairs")
    run = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="measured_pairs")
    attempt = models.OneToOneField(Attempt, models.PROTECT, null=True, blank=True, related_name="measured_pair")
    said = models.CharField(max_length=SAID_LENGTH, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True, help_text="Only for local models.")

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["run", "state", "id"], name="measured_pair_state")]
        constraints = [
            models.UniqueConstraint(fields=["label", "component", "digest"], name="a_pair_is_measured_once"),
            models.CheckConstraint(
                condition=Q(state=MeasuredState.MEASURED, value__isnull=False, value__gte=0, value__lte=1)
                | (~Q(state=MeasuredState.MEASURED) & Q(value=None)),
                name="exactly_a_measured_pair_has_a_value",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.pk}"


class ConflictSettings(models.Model):
    """The settings of checks, of people's samples, and of the bar on releases. There is one row."""

    refusal_features = models.TextField(
        default=FEATURES,
        blank=True,
        help_text=say("One per line. They are found regardless of case, and not within quotation marks."),
    )
    fewest_characters = models.PositiveSmallIntegerField(
        "fewest characters of evidence", default=50, help_text=say("Shorter evidence counts as a refusal.")
    )
    entailment_over = models.FloatField("entailed from a probability over", default=0.5, validators=SHARE)
    contradiction_over = models.FloatField("a contradiction from a probability over", default=0.5, validators=SHARE)
    drops_last_sentence = models.BooleanField(
        "drop an incomplete last sentence of evidence", default=False, help_text=say("Applies to new evidence.")
    )
    people = models.PositiveSmallIntegerField("people who check a sample", default=5)
    per_person = models.PositiveSmallIntegerField("evidence per person", default=200)
    common_share = models.FloatField(
        "share that everyone checks", default=0.25, validators=SHARE, help_text=say("The paper does not state it.")
    )
    least_precision = models.FloatField(
        "least precision of a check",
        default=0.9,
        validators=SHARE,
        help_text=say("Measured by people. A check with a lower precision bars releases."),
    )
    bar_lifted = models.TextField(
        "reason to release nevertheless",
        blank=True,
        help_text=say("Empty: a check below the precision bars releases."),
    )

    class Meta:
        verbose_name_plural = "conflict settings"

    def __str__(self) -> str:
        return "settings of conflicts"

    @classmethod
    def current(cls) -> "ConflictSettings":
        """The settings as they are stored, or the defaults."""
        return cls.objects.order_by("pk").first() or cls()

    @property
    def features(self) -> list[str]:
        return [line.strip() for line in self.refusal_features.splitlines() if line.strip()]
