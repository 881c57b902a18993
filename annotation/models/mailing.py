"""Mail about other people's comments and decisions: one row for each item for one person."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say

from .annotations import Annotation
from .desk import Comment
from .guideline import GuidelineVersion


class MailState(models.TextChoices):
    WAITING = "waiting", say("Waiting to be sent")
    SENT = "sent", say("Sent")
    NOT_NEEDED = "not_needed", say("Read, or hidden, before it was sent")
    FAILED = "failed", say("Given up")


class Mailing(models.Model):
    """An item to mail to one person: a comment that mentions or answers them, an annotation that was returned to them
    at this version, or a new version of the guideline. Written in the transaction of the event; sent by a worker.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    # One of the registered kinds of notices (`core.notices.mail`), by which people choose when they are mailed; empty
    # in older rows, for which the general choice counts.
    kind = models.CharField(max_length=20, blank=True)
    comment = models.ForeignKey(Comment, models.CASCADE, null=True, blank=True, related_name="+")
    returned = models.ForeignKey(Annotation, models.CASCADE, null=True, blank=True, related_name="+")
    version = models.PositiveIntegerField(default=0, help_text="Of the returned annotation.")
    guideline = models.ForeignKey(GuidelineVersion, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=MailState, default=MailState.WAITING)
    # The letter that it goes out in. It stays when the letter is sent again, and is its Message-ID: a letter that
    # arrives twice shows once.
    letter = models.UUIDField(null=True, blank=True)
    # Until then a worker holds it, or it waits after a failure.
    not_before = models.DateTimeField(default=timezone.now)
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["person", "created_at"], condition=Q(state="waiting"), name="mail_waiting"),
            models.Index(fields=["letter"], name="mail_of_a_letter"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "comment"], condition=Q(comment__isnull=False), name="mailed_once_about_a_comment"
            ),
            models.UniqueConstraint(
                fields=["person", "returned", "version"],
                condition=Q(returned__isnull=False),
                name="mailed_once_about_a_return",
            ),
            models.UniqueConstraint(
                fields=["person", "guideline"],
                condition=Q(guideline__isnull=False),
                name="mailed_once_about_a_guideline",
            ),
            models.CheckConstraint(
                condition=Q(comment__isnull=False, returned=None, guideline=None)
                | Q(comment=None, returned__isnull=False, guideline=None)
                | Q(comment=None, returned=None, guideline__isnull=False),
                name="mail_is_about_one_thing",
            ),
            models.CheckConstraint(
                condition=~Q(state="sent") | Q(sent_at__isnull=False, letter__isnull=False),
                name="sent_mail_has_time_and_letter",
            ),
        ]

    def __str__(self) -> str:
        return f"mail to {self.person_id}: {self.state}"
