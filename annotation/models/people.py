"""People, what they may do, and the settings that hold for the whole project."""

from functools import cached_property

from django.contrib.auth.models import AbstractUser, Group
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone


class Role(models.TextChoices):
    """A role is the Django group of this name."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ADMIN = "admin"


class User(AbstractUser):
    class Theme(models.TextChoices):
        SYSTEM = "system", "As the system"
        LIGHT = "light", "Light"
        DARK = "dark", "Dark"

    theme = models.CharField(max_length=10, choices=Theme, default=Theme.SYSTEM)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="one_account_per_email",
                violation_error_message="There is an account with this email address already.",
            ),
            models.UniqueConstraint(
                Lower("username"),
                name="one_account_per_username",
                violation_error_message="There is an account with this user name already.",
            ),
        ]

    @cached_property
    def roles(self) -> frozenset[str]:
        """The names of this person's roles; a superuser has them all."""
        if self.is_superuser:
            return frozenset(Role.values)
        return frozenset(self.groups.values_list("name", flat=True)) & frozenset(Role.values)

    def has_role(self, *roles: str) -> bool:
        """Whether the person has at least one of `roles`."""
        return not self.roles.isdisjoint(roles)

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, *, at=None) -> "InvitationQuerySet":
        """Not accepted, not withdrawn, not lapsed at the time `at`."""
        return self.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=at or timezone.now())


class Invitation(models.Model):
    """A link by which one person makes one account, or chooses a new password for the account that is theirs.

    Only the link's hash is kept: the link itself is a password.
    """

    # Set where the link is for somebody who has an account and forgot the password.
    person = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="password_links")
    email = models.EmailField(blank=True)
    note = models.CharField(max_length=200, blank=True)
    roles = models.ManyToManyField(Group)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, models.PROTECT, related_name="invitations_sent")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="invitations_accepted")

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_at=None, accepted_by=None)
                | Q(accepted_at__isnull=False, accepted_by__isnull=False, withdrawn_at=None),
                name="an_accepted_invitation_has_time_and_person",
            ),
            models.CheckConstraint(
                condition=Q(person=None) | Q(accepted_by=None) | Q(accepted_by=F("person")),
                name="a_password_link_serves_its_person_only",
            ),
            models.UniqueConstraint(
                fields=["accepted_by"], condition=Q(person=None), name="one_account_per_invitation"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation for {self.person or self.email or self.note or 'somebody'}"


class Project(models.Model):
    """The settings that admins change while the project runs. There is exactly one row."""

    name = models.CharField(max_length=100, default="WikiContradict Workbench")
    annotations_per_tag = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(5)],
        help_text="How many people annotate each newly harvested tag, blind to one another.",
    )
    double_annotation_percent = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(100)],
        help_text="Share of newly harvested tags, in percent, that need one annotation more.",
    )
    lease_seconds = models.PositiveIntegerField(
        default=120,
        validators=[MinValueValidator(30)],
        help_text="A claimed tag whose page is no longer open goes back to the queue after this time.",
    )
    suggestions_on = models.BooleanField(
        default=True, help_text="Offer suggestions at the desk. They never decide; a study can do without."
    )
    drafting_model = models.CharField(
        max_length=100,
        blank=True,
        help_text="A language model that annotators may ask for a draft of a stand-alone version or of a question. "
        "It only proposes, and what was used is counted.",
    )
    drafting_budget = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="What all drafts together may cost, in the currency of the model's prices. Empty: no limit.",
    )
    settle_among_two = models.BooleanField(
        default=False,
        help_text="Let the two who judged a response discuss and settle it, as the paper's authors did.",
    )

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_project")]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def get(cls) -> "Project":
        """The settings; made with their defaults when asked for the first time."""
        return cls.objects.get_or_create(pk=1)[0]
