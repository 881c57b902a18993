"""Refuses passwords in addition to those that Django refuses, and ends tokens with the old password."""

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db.models.signals import post_save

from ..languages import say
from ..models import User
from .sample_people import DEMO_PASSWORD
from .tokens import revoke_all


class NotThePrintedPassword:
    """Password validator: refuses the printed first-start password, which everybody knows."""

    def validate(self, password: str, user: object = None) -> None:
        if password == DEMO_PASSWORD:
            raise ValidationError(say("This password is public. Choose another one."))

    def get_help_text(self) -> str:
        return say("Choose a password other than the one shown when the program first starts.")


class ResetLinks(PasswordResetTokenGenerator):
    """Links in mails about forgotten passwords. None works after the account was closed."""

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.times_closed}"


def end_tokens_with_the_old_password(*, instance: User, created: bool, **signal: object) -> None:
    """End the person's tokens when a page, command or program sets a password. Sessions end without this, because
    they hold a hash of the password.
    """
    if instance.has_new_password and not created:
        instance.__dict__.pop("_lost_password", None)
        revoke_all(person=instance, actor=None)


def register() -> None:
    post_save.connect(end_tokens_with_the_old_password, sender=User)
