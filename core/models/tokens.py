"""Personal tokens, with which programs act for a person, and stored answers for repeated requests."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from .people import User

ANSWERS_KEPT_FOR = timedelta(days=1)


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def usable(self, *, at=None) -> "AccessTokenQuerySet":
        """Tokens that at the time `at` (now if not given) are neither revoked nor expired, of open accounts."""
        expires = Q(expires_at=None) | Q(expires_at__gt=at or timezone.now())
        return self.filter(expires, revoked_at=None, person__is_active=True)


class AccessToken(models.Model):
    """A token with which a program may do what its person may do, as far as its scopes allow. Everyone may read; the
    scopes are for more. Only the token's hash is kept: the token itself is a password.
    """

    person = models.ForeignKey(User, models.PROTECT, db_index=False, related_name="tokens")
    name = models.CharField(max_length=100, help_text="Its purpose, such as “notebook on my laptop”.")
    token_hash = models.CharField(max_length=64, unique=True)
    may_work = models.BooleanField(default=False)
    may_administer = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    # Written once a minute at most.
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["person", "-id"], name="tokens_of_a_person")]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="a_token_has_a_name"),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=F("created_at")), name="a_token_expires_later"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def scopes(self) -> list[str]:
        """The names of its scopes: read, work, admin."""
        return ["read", *(["work"] if self.may_work else []), *(["admin"] if self.may_administer else [])]

    def is_usable(self) -> bool:
        """Return whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


class KeptAnswerQuerySet(models.QuerySet["KeptAnswer"]):
    def out_of_date(self, *, at: datetime) -> "KeptAnswerQuerySet":
        """Answers that have expired at this time."""
        return self.filter(begun_at__lt=at - ANSWERS_KEPT_FOR)


class KeptAnswer(models.Model):
    """The answer to a request with an `Idempotency-Key`: the same request gets it again, and acts only once."""

    person = models.ForeignKey(User, models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=100)
    # Of method, address and body.
    request_hash = models.CharField(max_length=64)
    begun_at = models.DateTimeField(default=timezone.now)
    # Empty while the first request is being worked on.
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.TextField(blank=True)
    headers = models.JSONField(default=dict, blank=True)

    objects = KeptAnswerQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["person", "begun_at"], name="kept_answers_by_age")]
        constraints = [models.UniqueConstraint(fields=["person", "key"], name="one_answer_per_key")]

    def __str__(self) -> str:
        return f"answer to {self.key}"
