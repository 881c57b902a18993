"""Acts of an admin that a second admin approves, because they open the way into an account."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from ..languages import say
from .people import User


class ApprovedAct(models.TextChoices):
    """The act that an admin asks for, in words that follow their name."""

    PASSWORD_LINK = "password_link", say("a link for a new password")
    SET_ROLES = "set_roles", say("roles with that of an admin")
    INVITE = "invite", say("an invitation with the role of an admin")
    REMOVE_SECOND_FACTOR = "remove_second_factor", say("removing the second factor")


class Approval(models.Model):
    """A request of one admin, and what another one decided. Nothing is done before that."""

    act = models.CharField(max_length=30, choices=ApprovedAct)
    # Empty for an invitation.
    person = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    email = models.EmailField(blank=True)
    note = models.CharField(max_length=200, blank=True)
    roles = models.JSONField(default=list, blank=True)
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    asked_at = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    is_approved = models.BooleanField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["-id"], condition=Q(decided_at=None), name="approvals_waiting")]
        constraints = [
            models.CheckConstraint(
                condition=Q(decided_by=None, decided_at=None, is_approved=None)
                | Q(decided_by__isnull=False, decided_at__isnull=False, is_approved__isnull=False),
                name="a_decided_approval_has_all",
            ),
            models.CheckConstraint(
                condition=Q(is_approved=None) | Q(is_approved=False) | ~Q(decided_by=F("asked_by")),
                name="nobody_approves_their_own",
            ),
            models.CheckConstraint(condition=Q(person=None) | Q(email="", note=""), name="an_approval_is_for_one"),
        ]

    def __str__(self) -> str:
        return f"{self.get_act_display()} for {self.person or self.email or self.note}"
