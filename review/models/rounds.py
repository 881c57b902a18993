"""Rounds: their subjects, reviewers and questionnaire, and the responses with a known verdict."""

import uuid
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Instance, Release
from core.languages import say
from core.models import Consensus, VisibleManager, WrittenInBatches
from judging.models import Response, Run
from judging.protocol.verdicts import Verdict

from . import subjects
from .questionnaires import first_questionnaire, has_pairs


class RoundState(models.TextChoices):
    DEALING = "dealing", say("Being dealt")
    OPEN = "open", say("Open")
    # Judging is over; the judgments are being paired.
    CLOSING = "closing", say("Being closed")
    CLOSED = "closed", say("Closed")


# The number of judgments of each item where each two of them are a pair. With other questionnaires it may be one.
FEWEST_EACH, MOST_EACH = 2, 5


class Round(WrittenInBatches):
    """Subjects that are judged together: chosen, dealt to reviewers, judged by two to five people each, adjudicated,
    closed. The questionnaire defines the subjects. The questionnaire, the number of people, and the rule for final
    verdicts never change once the round has begun: the database refuses it.
    """

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100, unique=True)
    state = models.CharField(max_length=10, choices=RoundState, default=RoundState.DEALING)
    questionnaire = models.CharField(
        max_length=40, default=first_questionnaire, help_text="The code of the questionnaire."
    )
    # Whether each two judgments of an item are a pair: its questionnaire says so.
    has_pairs = models.BooleanField(default=False, editable=False)
    # The release whose instances are judged, in a round of instances.
    release = models.ForeignKey(Release, models.PROTECT, null=True, blank=True, related_name="rounds")
    runs = models.ManyToManyField(Run, related_name="rounds", blank=True)
    # The only responses of these runs to judge; if empty, all of them.
    selected_responses: "models.ManyToManyField[Response, Any]" = models.ManyToManyField(
        Response, related_name="+", blank=True
    )
    sample_size = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Drawn in proportion to model, template and category. Empty: all responses of the runs.",
    )
    seed = models.PositiveIntegerField(default=5, help_text="The same seed draws the same sample and orders.")
    with_training = models.BooleanField(
        default=True,
        help_text="Reviewers start with the training set; each verdict is explained once they have judged.",
    )
    training_required = models.BooleanField(default=True, help_text="Nobody may skip the training set.")
    judgments_each = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(FEWEST_EACH), MaxValueValidator(MOST_EACH)],
        help_text="The number of people who judge each response.",
    )
    consensus = models.CharField(
        max_length=10,
        choices=Consensus,
        default=Consensus.ALL,
        help_text="The rule for a final verdict without adjudication.",
    )
    by_gain = models.BooleanField(
        default=False,
        help_text="Discriminating items are judged first. Rates are biased until all is judged.",
    )
    # Acts of its only admin on other accounts while judging in it, one per line.
    accounts_opened = models.TextField(blank=True, editable=False)
    adjudicate_among_two = models.BooleanField(
        default=False,
        help_text="The reviewers of a response may discuss and adjudicate it together, as the paper's authors did.",
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(1440)],
        help_text="A response left open for longer may be judged by another reviewer.",
    )
    undo_minutes = models.PositiveSmallIntegerField(
        default=15,
        validators=[MaxValueValidator(1440)],
        help_text="For how many minutes a judgment can be taken back. It counts only afterwards, so taking it back "
        "reveals nothing about the other judgment.",
    )
    check_items = models.PositiveIntegerField(
        default=0,
        help_text="Responses with a known verdict, mixed in for every reviewer; reviewers cannot recognise them.",
    )
    deadline = models.DateField(
        null=True, blank=True, help_text="The day by which its work is to be done. Nothing ends by itself."
    )
    # The number of responses that were left out, by `review.rounds.dealing.choosing.LeftOut`.
    left_out = models.JSONField(default=dict, blank=True)
    # The worker that deals renews this; once it has passed, another one starts over.
    dealing_until = models.DateTimeField(null=True, blank=True)
    is_import = models.BooleanField(default=False, help_text="Its judgments were made elsewhere.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | (~Q(state="closed") & Q(closed_at=None)),
                name="a_closed_round_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(judgments_each__range=(FEWEST_EACH, MOST_EACH)) | Q(has_pairs=False, judgments_each=1),
                name="a_round_has_two_to_five_judgments",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:
            self.has_pairs = has_pairs(self.questionnaire)
        super().save(*args, **kwargs)

    @property
    def is_open(self) -> bool:
        return self.state == RoundState.OPEN


class RoundReviewer(models.Model):
    """A person who judges in a round. A paused one gets no new items; those already dealt remain theirs."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="reviewers")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="review_rounds")
    paused_at = models.DateTimeField(null=True, blank=True)
    training_skipped_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField(default=timezone.now)
    # Of this person's slots in the round: how many are judged, in how many seconds, and how many are open. The
    # database itself keeps them (`KeepSums`): counting 20,000 takes longer than all else that a verdict asks for.
    judged = models.PositiveIntegerField(default=0, editable=False)
    seconds = models.PositiveBigIntegerField(default=0, editable=False)
    slots_open = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["round", "pk"]
        constraints = [models.UniqueConstraint(fields=["round", "person"], name="a_reviewer_once_per_round")]

    def __str__(self) -> str:
        return f"{self.person} in {self.round}"


class KnownUse(models.TextChoices):
    TRAINING = "training", say("Training set")
    CHECK = "check", say("Hidden check item")


class KnownVerdict(models.Model):
    """A response with a known verdict: for training, or to check reviewers."""

    response = models.OneToOneField(Response, models.PROTECT, related_name="known_verdict")
    use = models.CharField(max_length=10, choices=KnownUse)
    verdict = models.CharField(max_length=20, choices=Verdict)
    explanation = models.TextField(blank=True, help_text="Shown once the training item has been judged.")
    is_offered = models.BooleanField(default=True, help_text="Used in new rounds.")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(use="training") | ~Q(explanation=""), name="a_training_item_has_an_explanation"
            )
        ]

    def __str__(self) -> str:
        return f"known verdict of {self.response}"


class ItemKind(models.TextChoices):
    ORDINARY = "ordinary", say("To be judged")
    TRAINING = "training", say("Training set")
    CHECK = "check", say("Hidden check item")


class Item(WrittenInBatches):
    """A subject in a round: a response, a single instance, or a row of a registered kind. An ordinary one has as many
    slots as its round asks for judgments; one with a known verdict has a slot for every reviewer, and its judgments
    are in no agreement and no final verdict.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="items")
    # Typed as if never null: each questionnaire reads only its own subject, and a constraint sees that it is there.
    response: "models.ForeignKey[Response, Response]" = models.ForeignKey(  # type: ignore[misc]
        Response, models.PROTECT, null=True, blank=True, related_name="items"
    )
    # The instance of the response, so that dealing and reports need no join; or the subject itself.
    instance: "models.ForeignKey[Instance, Instance]" = models.ForeignKey(  # type: ignore[misc]
        Instance, models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Any other subject: a kind that an app above has registered (`subjects.py`), and the number of its row.
    subject_kind = models.CharField(max_length=20, blank=True)
    subject_number = models.BigIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=10, choices=ItemKind, default=ItemKind.ORDINARY)
    known = models.ForeignKey(KnownVerdict, models.PROTECT, null=True, blank=True, related_name="items")

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["batch"], condition=Q(batch__isnull=False), name="item_of_a_batch")]
        constraints = [
            models.UniqueConstraint(fields=["round", "response"], name="a_response_once_per_round"),
            # All judgments of a response are made in one round: no second one may ask for more.
            models.UniqueConstraint(
                fields=["response"], condition=Q(kind="ordinary"), name="a_response_is_judged_in_one_round"
            ),
            models.UniqueConstraint(
                fields=["subject_kind", "subject_number"],
                condition=Q(subject_number__isnull=False),
                name="a_subject_is_judged_in_one_round",
            ),
            models.UniqueConstraint(
                fields=["round", "instance"],
                condition=Q(response=None, instance__isnull=False),
                name="an_instance_once_per_round",
            ),
            models.CheckConstraint(
                condition=Q(subject_kind="", subject_number=None, instance__isnull=False)
                | (~Q(subject_kind="") & Q(subject_number__isnull=False, instance=None, response=None)),
                name="an_item_has_one_subject",
            ),
            models.CheckConstraint(
                condition=Q(kind="ordinary", known=None)
                | (~Q(kind="ordinary") & Q(known__isnull=False, response__isnull=False)),
                name="training_and_check_items_have_a_known_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} in {self.round}"

    # The row that `subject_number` names, once `subjects.load_subjects` has read it.
    row: Any = None

    @property
    def title(self) -> str:
        """The subject's name in lists."""
        if self.subject_kind:
            return subjects.subject_kinds()[self.subject_kind].title(self.subject)
        return (self.response.instance if self.response else self.instance).question

    @property
    def subject(self) -> Any:
        """The judged row: a response, an instance, or a row of a registered kind."""
        subjects.load_subjects([self])
        return self.row or self.response or self.instance
